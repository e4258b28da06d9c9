#include "stores/memcached/table_store.h"

#include <array>
#include <map>
#include <set>

#include "base/crc32.h"
#include "unit/stores/memcached/memcached_under_test.h"

namespace presence {
namespace {

using test::expect_ok;
using test::fresh_key;
using test::is_online;
using test::patient;

class MemcachedTableTest : public test::MemcachedTest {
 protected:
  [[nodiscard]] std::string part(std::string_view visitor, unsigned parts = 8) const {
    return ':' + std::to_string(crc32(visitor) % parts);
  }

  UnixTime now_ = clock::now();
};

TEST_F(MemcachedTableTest, KeepsPhpArraysUnderPartKeys) {
  const auto store = open();
  const std::string time = std::to_string(now_);
  expect_ok(store->record("42", now_));
  expect_ok(store->record("guest", now_));
  const std::string integer = "a:1:{i:42;i:" + time + ";}";
  EXPECT_EQ(stored(part("42")),
            "VALUE " + key_ + part("42") + " 4 " + std::to_string(integer.size()) + "\r\n" + integer + "\r\nEND\r\n");
  EXPECT_NE(stored(part("guest")).find("a:1:{s:5:\"guest\";i:" + time + ";}"), std::string::npos);
}

TEST_F(MemcachedTableTest, OnePartIsTheKeyItself) {
  const auto store = open("?parts=1");
  expect_ok(store->record("42", now_));
  expect_ok(store->record("43", now_));
  EXPECT_NE(stored("").find("a:2:{i:42;"), std::string::npos);
}

TEST_F(MemcachedTableTest, ReadsWhatOtherClientsWrote) {
  const auto store = open("?parts=1&sweep=0");
  put("", 4, "a:3:{i:42;i:" + std::to_string(now_) + ";s:5:\"guest\";d:" + std::to_string(now_) + ".25;i:7;i:100;}");
  EXPECT_TRUE(is_online(*store, "42", now_));
  EXPECT_TRUE(is_online(*store, "guest", now_));
  EXPECT_FALSE(is_online(*store, "7", now_));
  EXPECT_EQ(store->count({now_, 5}).value(), 2);
  expect_ok(store->record("8", now_));
  EXPECT_EQ(stored("").find("i:7;"), std::string::npos) << "swept, as it is beyond the retention";
}

TEST_F(MemcachedTableTest, SomebodyElsesValueIsAnErrorAndStaysAsItIs) {
  const auto store = open("?parts=1");
  for (const auto& [flags, value] :
       {std::pair<unsigned, std::string>{0, "hello"}, {4, "a:1:{i:1;s:1:\"x\";}"}, {5, "x"}}) {
    put("", flags, value);
    const Status status = store->record("42", now_);
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().code, ErrorCode::damaged);
    EXPECT_NE(status.error().message.find("choose another key"), std::string::npos) << status.error().message;
    EXPECT_NE(stored("").find(value), std::string::npos);
    EXPECT_FALSE(store->health().breaker_open) << "the server is well";
  }
}

TEST_F(MemcachedTableTest, AVisitorIsWrittenOnceInTheThrottle) {
  const auto store = open();
  expect_ok(store->record("42", now_));
  expect_ok(store->record("42", now_ + 119));
  EXPECT_EQ(store->last_seen("42", now_ + 119).value(), now_);
  expect_ok(store->record("42", now_ + 120));
  EXPECT_EQ(store->last_seen("42", now_ + 120).value(), now_ + 120);
}

TEST_F(MemcachedTableTest, TheThrottleIsAnOptionAndStaysBelowTheWindow) {
  StoreOptions options = patient(fresh_key());
  options.throttle = 0;
  const auto each = open("", options);
  expect_ok(each->record("42", now_));
  expect_ok(each->record("42", now_ + 1));
  EXPECT_EQ(each->last_seen("42", now_ + 1).value(), now_ + 1);

  options = patient(fresh_key());
  options.window = 1;
  const auto narrow = open("", options);
  expect_ok(narrow->record("42", now_));
  expect_ok(narrow->record("42", now_ + 29));
  EXPECT_EQ(narrow->last_seen("42", now_ + 29).value(), now_);
  expect_ok(narrow->record("42", now_ + 30));
  EXPECT_EQ(narrow->last_seen("42", now_ + 30).value(), now_ + 30);
}

TEST_F(MemcachedTableTest, AWriteTakesOutWhoIsBeyondTheRetention) {
  const auto store = open("?parts=1&sweep=3600");
  expect_ok(store->record("1", now_ - 3601));
  expect_ok(store->record("2", now_ - 3600));
  expect_ok(store->record("3", now_));
  EXPECT_EQ(stored("").find("i:1;"), std::string::npos);
  EXPECT_NE(stored("").find("i:2;"), std::string::npos);
}

TEST_F(MemcachedTableTest, TheCountIsAnIntegerUnderItsOwnKey) {
  const auto store = open();
  expect_ok(store->record("1", now_));
  expect_ok(store->record("2", now_));
  expect_ok(store->record("3", now_));
  expect_ok(store->record("3", now_));
  EXPECT_EQ(store->count({now_, 5}).value(), 3);
  EXPECT_EQ(stored(":count"), "VALUE " + key_ + ":count 1 1\r\n3\r\nEND\r\n");
  expect_ok(store->forget("2", now_));
  EXPECT_EQ(store->count({now_, 5}).value(), 2);
  expect_ok(store->replace("1", "3", now_));
  EXPECT_EQ(store->count({now_, 5}).value(), 1);
}

TEST_F(MemcachedTableTest, TheCountIsSweptAnewWhenItsLeaseIsOver) {
  const auto store = open("?sweep=3600");
  expect_ok(store->record("1", now_ - 290));
  expect_ok(store->record("2", now_));
  EXPECT_EQ(store->count({now_ + 20, 5}).value(), 2) << "who left is still in it";
  EXPECT_EQ(store->count({now_ + 20, 6}).value(), 2);
  EXPECT_EQ(store->count({now_ + 100, 6}).value(), 1) << "another window is counted afresh";
  EXPECT_EQ(test::ask(test::memcached_dsn(), "delete " + key_ + ":sweep\r\n", "\r\n"), "DELETED\r\n");
  EXPECT_EQ(store->count({now_ + 20, 5}).value(), 1);
  EXPECT_NE(stored(":count").find("\r\n1\r\n"), std::string::npos);
  EXPECT_NE(stored(":sweep").find("VALUE"), std::string::npos);

  EXPECT_EQ(test::ask(test::memcached_dsn(), "delete " + key_ + ":sweep\r\n", "\r\n"), "DELETED\r\n");
  expect_ok(store->record("3", now_ + 3400));
  EXPECT_NE(stored(":count").find("\r\n1\r\n"), std::string::npos) << "a writer sweeps as well";
  EXPECT_EQ(stored(part("1")).find("i:1;"), std::string::npos);
}

TEST_F(MemcachedTableTest, PurgeSweepsAllPartsAndStoresTheCount) {
  const auto store = open("?sweep=3600");
  for (int i = 0; i < 50; ++i) {
    expect_ok(store->record(std::to_string(i), now_ - 3000));
  }
  expect_ok(store->purge(now_));
  EXPECT_NE(stored(":count").find("\r\n0\r\n"), std::string::npos);
  EXPECT_EQ(store->count({now_, 60}).value(), 50);
  expect_ok(store->purge(now_ + 601));
  for (int i = 0; i < 8; ++i) {
    EXPECT_NE(stored(':' + std::to_string(i)).find("a:0:{}"), std::string::npos) << i;
  }
}

TEST_F(MemcachedTableTest, ALongRetentionIsADateToTheServer) {
  StoreOptions options = patient(fresh_key());
  options.retention = 60 * 24 * 365;
  const auto store = open("", options);
  expect_ok(store->record("42", now_));
  EXPECT_TRUE(is_online(*store, "42", now_)) << "31,536,030 as such would be a date in 1971";
  const std::string answer = test::ask(test::memcached_dsn(), "mg " + key_ + part("42") + " t\r\n", "\r\n");
  const long left = std::stol(answer.substr(answer.find(" t") + 2));
  EXPECT_NEAR(static_cast<double>(left), 365.0 * 86400 + 30, 60);
}

TEST_F(MemcachedTableTest, MoreThanAValueHoldsIsAnErrorThatNamesParts) {
  const auto store = open("?parts=1&sweep=0");
  std::vector<std::string> ids;
  for (int i = 0; i < 5000; ++i) {
    ids.push_back(std::to_string(i) + std::string(240, 'x'));
  }
  std::vector<Seen> seen;
  for (const std::string& id : ids) {
    seen.push_back({id, now_});
  }
  expect_ok(store->record_all(std::span(seen).first(1000), now_));
  const Status status = store->record_all(seen, now_);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::no_space);
  EXPECT_NE(status.error().message.find("\"parts\""), std::string::npos) << status.error().message;
  EXPECT_EQ(store->count({now_, 5}).value(), 1000) << "those that were there stay";
  const auto more = open("?parts=8&sweep=0");
  expect_ok(more->record_all(seen, now_));
  EXPECT_EQ(more->count({now_, 5}).value(), 5000);
}

TEST_F(MemcachedTableTest, TwoServersShareThePartsAsPhpsClientDoes) {
  const auto two = test::open(servers_, test::memcached_variable("PRESENCE_TEST_MEMCACHED_TWO"), patient(fresh_key()));
  for (int i = 0; i < 100; ++i) {
    expect_ok(two->record(std::to_string(i), now_));
  }
  EXPECT_EQ(two->ids({now_, 5}).value().size(), 100U);
  EXPECT_EQ(two->count({now_, 5}).value(), 100);
}

TEST_F(MemcachedTableTest, ManyIdsOfAllPartsAreAskedAtOnce) {
  const auto store = open();
  std::vector<std::string> ids;
  for (int i = 0; i < 400; ++i) {
    ids.push_back("visitor " + std::to_string(i));
  }
  std::vector<Seen> half;
  for (std::size_t i = 0; i < ids.size(); i += 2) {
    half.push_back({ids[i], now_});
  }
  expect_ok(store->record_all(half, now_));
  const std::vector<std::string_view> asked(ids.begin(), ids.end());
  std::array<bool, 400> answers{};
  expect_ok(store->online(asked, {now_, 5}, answers));
  for (std::size_t i = 0; i < answers.size(); ++i) {
    EXPECT_EQ(answers[i], i % 2 == 0) << i;
  }
}

// The race of the recipe: read, change, write back.
TEST_F(MemcachedTableTest, TwentyProcessesRecordingAtOnceLoseNobody) {
  constexpr int kProcesses = 20;
  constexpr int kEach = 1000;
  StoreOptions options = patient(fresh_key());
  options.timeout = 60;
  const auto store = open("?sweep=5", options);
  expect_ok(store->record("first", now_));  // a connection that the children must leave alone
  int barrier[2];
  ASSERT_EQ(pipe(barrier), 0);
  std::vector<pid_t> children;
  for (int process = 0; process < kProcesses; ++process) {
    const pid_t child = fork();
    if (child == 0) {
      close(barrier[1]);
      char nothing;
      static_cast<void>(read(barrier[0], &nothing, 1) == 0);
      int failures = 0;
      for (int i = 0; i < kEach; ++i) {
        const Status status = store->record(std::to_string(process * kEach + i), now_);
        failures += status.ok() ? 0 : 1;
        if (!status.ok() && failures == 1) {
          dprintf(2, "%s\n", status.error().message.c_str());
        }
      }
      _exit(failures == 0 ? 0 : 1);
    }
    children.push_back(child);
  }
  close(barrier[0]);
  close(barrier[1]);
  for (const pid_t child : children) {
    int status = -1;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  const auto found = store->ids({now_, 5});
  ASSERT_TRUE(found.ok()) << found.error().message;
  EXPECT_EQ(std::set<std::string>(found->begin(), found->end()).size(), std::size_t{kProcesses * kEach + 1});
  EXPECT_EQ(found->size(), std::size_t{kProcesses * kEach + 1});
  expect_ok(store->purge(now_));
  EXPECT_EQ(store->count({now_, 5}).value(), kProcesses * kEach + 1);
}

}  // namespace
}  // namespace presence
