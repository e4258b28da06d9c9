// Servers that are down, stopped, restarted or something else altogether; forks; and the options of the DSN.
#include <unistd.h>

#include <thread>

#include "stores/memcached/memcached_servers.h"
#include "unit/stores/memcached/memcached_under_test.h"

namespace presence {
namespace {

using test::expect_ok;
using test::fresh_key;
using test::is_online;
using test::OwnMemcached;
using test::patient;

class MemcachedOutageTest : public test::MemcachedTest {
 protected:
  static StoreOptions hasty() {
    StoreOptions options;
    options.key = fresh_key();
    options.timeout = 0.5;
    return options;
  }
  static void expect_unavailable(const Status& status, std::string_view part) {
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().code, ErrorCode::unavailable);
    EXPECT_NE(status.error().message.find(part), std::string::npos) << status.error().message;
  }

  UnixTime now_ = clock::now();
};

TEST_F(MemcachedOutageTest, AServerThatIsNotThereIsNamedAndLeftAloneForAWhile) {
  int port = 0;
  { const UniqueFd socket = test::bound_socket(port); }
  const std::string place = "127.0.0.1:" + std::to_string(port);
  const auto store = test::open(servers_, "memcached://" + place, hasty());
  EXPECT_FALSE(store->health().breaker_open) << "nobody was asked so far";
  expect_unavailable(store->record("42", now_), "Memcached at " + place + " cannot be connected to");
  EXPECT_TRUE(store->health().breaker_open);
  EXPECT_NE(store->health().last_error.find(place), std::string::npos);
  EXPECT_NE(store->health().last_error_time, 0);
  expect_unavailable(store->record("42", now_), "it is tried again in 1 s");
  const auto other = test::open(servers_, "memcached://" + place + "?strategy=ring", hasty());
  expect_unavailable(other->record("42", now_), "it is tried again in 1 s");
}

TEST_F(MemcachedOutageTest, AStoppedServerCostsOneTimeoutAndIsUsedAgainLater) {
  OwnMemcached server;
  const auto store = test::open(servers_, server.dsn(), hasty());
  expect_ok(store->record("42", now_));
  server.freeze();
  const double before = clock::monotonic();
  bool answer = true;
  const std::string_view visitor = "42";
  expect_unavailable(store->online({&visitor, 1}, {now_, 5}, {&answer, 1}), "did not answer within the timeout");
  EXPECT_GE(clock::monotonic() - before, 0.5);
  expect_unavailable(store->record("42", now_), "it is tried again in");
  server.thaw();
  while (store->health().breaker_open) {
    usleep(50'000);
  }
  EXPECT_TRUE(is_online(*store, "42", now_)) << "and no late answer is taken for that of another question";
}

TEST_F(MemcachedOutageTest, AServerStoppedBeforeTheFirstCallCostsOneTimeoutToo) {
  OwnMemcached server;
  server.freeze();
  const auto store = test::open(servers_, server.dsn(), hasty());
  expect_unavailable(store->record("42", now_), "did not answer within the timeout");
  EXPECT_TRUE(store->health().breaker_open);
}

TEST_F(MemcachedOutageTest, ARestartedServerIsNoticedBeforeItCostsACall) {
  OwnMemcached server;
  const auto store = test::open(servers_, server.dsn(), patient(fresh_key()));
  expect_ok(store->record("42", now_));
  server.stop();
  server.start();
  EXPECT_FALSE(is_online(*store, "42", now_)) << "it forgot";
  expect_ok(store->record("42", now_));
  EXPECT_TRUE(is_online(*store, "42", now_));
}

TEST_F(MemcachedOutageTest, OneOfTwoServersDownFailsTheCallsThatNeedIt) {
  OwnMemcached up;
  OwnMemcached down;
  const std::string dsn = up.dsn() + ',' + down.dsn().substr(std::string("memcached://").size());
  down.stop();
  const auto store = test::open(servers_, dsn, hasty());
  int failed = 0;
  for (int i = 0; i < 40; ++i) {
    const Status status = store->record(std::to_string(i), now_);
    if (!status.ok()) {
      EXPECT_EQ(status.error().code, ErrorCode::unavailable);
      ++failed;
    }
  }
  EXPECT_GT(failed, 0);
  EXPECT_LT(failed, 40);
}

TEST_F(MemcachedOutageTest, WhatIsNoMemcachedIsNamed) {
  int port = 0;
  const UniqueFd listening = test::bound_socket(port);
  ASSERT_EQ(listen(listening.get(), 1), 0);
  std::thread stranger([&] {
    const UniqueFd socket(accept(listening.get(), nullptr, nullptr));
    char buffer[1000];
    EXPECT_GT(read(socket.get(), buffer, sizeof buffer), 0);
    const std::string_view greeting = "HTTP/1.1 400 Bad Request\r\n\r\n";
    EXPECT_EQ(write(socket.get(), greeting.data(), greeting.size()), static_cast<ssize_t>(greeting.size()));
  });
  const auto store = test::open(servers_, "memcached://127.0.0.1:" + std::to_string(port), patient(fresh_key()));
  expect_unavailable(store->record("42", now_), "does not speak Memcached's text protocol");
  stranger.join();
}

TEST_F(MemcachedOutageTest, AServerThatWantsAPasswordIsNamed) {
  char path[] = "/tmp/memcached-auth.XXXXXX";
  const UniqueFd file(mkstemp(path));
  ASSERT_EQ(write(file.get(), "user:password\n", 14), 14);
  OwnMemcached server({"-Y", path});
  const auto store = test::open(servers_, server.dsn(), patient(fresh_key()));
  expect_unavailable(store->record("42", now_), "user and password");
  unlink(path);
}

TEST_F(MemcachedOutageTest, AServerWithoutMemorySaysSo) {
  OwnMemcached server({"-m", "1", "-M", "-I", "512k"});
  StoreOptions options = patient(fresh_key());
  const auto store = test::open(servers_, server.dsn() + "?parts=64", options);
  std::vector<std::string> ids;
  for (int i = 0; i < 100'000; ++i) {
    ids.push_back(std::string(200, 'x') + std::to_string(i));
  }
  std::vector<Seen> seen;
  for (const std::string& id : ids) {
    seen.push_back({id, now_});
  }
  const Status status = store->record_all(seen, now_);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::no_space);
  EXPECT_NE(status.error().message.find("-m"), std::string::npos) << status.error().message;
  EXPECT_FALSE(store->health().breaker_open);
}

TEST_F(MemcachedOutageTest, AForkedChildConnectsAnewAndLeavesItsParentsConnectionAlone) {
  const auto store = open();
  expect_ok(store->record("parent", now_));
  for (int i = 0; i < 3; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      const bool ok = store->record("child" + std::to_string(i), now_).ok();
      _exit(ok ? 0 : 1);  // with the descriptors of the parent still open
    }
    expect_ok(store->record("parent" + std::to_string(i), now_));
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
    EXPECT_TRUE(is_online(*store, "child" + std::to_string(i), now_));
    EXPECT_TRUE(is_online(*store, "parent" + std::to_string(i), now_));
  }
  EXPECT_EQ(store->health().last_error, "");
}

TEST_F(MemcachedOutageTest, StoresOfOneDsnShareAConnection) {
  OwnMemcached server;
  const auto connections = [&] {
    const std::string stats = test::ask(server.dsn(), "stats\r\n", "END\r\n");
    const auto at = stats.find("STAT total_connections ");
    return std::stol(stats.substr(at + 23));
  };
  const long before = connections();
  const auto one = test::open(servers_, server.dsn(), patient(fresh_key()));
  const auto two = test::open(servers_, server.dsn() + "?parts=3", patient(fresh_key()));
  const auto three = test::open(servers_, server.dsn() + "?strategy=ring", patient(fresh_key()));
  for (int i = 0; i < 5; ++i) {
    expect_ok(one->record(std::to_string(i), now_));
    expect_ok(two->record(std::to_string(i), now_));
    expect_ok(three->record(std::to_string(i), now_));
  }
  EXPECT_EQ(connections() - before, 2) << "ours, and the one that asks";
}

TEST(MemcachedOptionsTest, WrongOptionsSayWhatThereIs) {
  struct Wrong {
    const char* dsn;
    const char* part;
  };
  MemcachedServers servers;
  for (const auto& [dsn, part] : {
           Wrong{"memcached://h?part=4", "known for memcached are strategy, distribution, timeout, parts, sweep"},
           Wrong{"memcached://h?refresh=60", "known for memcached are"},
           Wrong{"memcached://h?strategy=ring&parts=4", "refresh"},
           Wrong{"memcached://h?strategy=zset", "\"table\" or \"ring\""},
           Wrong{"memcached://h?parts=0", "\"parts\" must be an integer from 1 to 1024"},
           Wrong{"memcached://h?parts=8x", "\"parts\" must be an integer from 1 to 1024"},
           Wrong{"memcached://h?sweep=-1", "\"sweep\" must be an integer from 0 to 3600"},
           Wrong{"memcached://h?strategy=ring&refresh=7", "multiple of the option \"refresh\""},
           Wrong{"memcached://h?strategy=ring&refresh=301", "from 1 to 300"},
           Wrong{"memcached://h?distribution=random", "\"modula\", \"consistent\" or \"ketama\""},
           Wrong{"memcached://h?timeout=0", "timeout"},
           Wrong{"memcached://h/0", "memcached://host:port"},
           Wrong{"memcached:", "memcached://host:port"},
           Wrong{"memcached://user:pass@h", "no user and password"},
           Wrong{"memcached+unix://h/path", "memcached+unix:///path"},
           Wrong{"memcached+unix:", "memcached+unix:///path"},
       }) {
    const auto store = test::try_open(servers, dsn, {});
    ASSERT_FALSE(store.ok()) << dsn;
    EXPECT_EQ(store.error().code, ErrorCode::invalid_argument) << dsn;
    EXPECT_NE(store.error().message.find(part), std::string::npos) << dsn << ": " << store.error().message;
  }
  EXPECT_TRUE(test::try_open(servers, "memcached://h1,h2:1?distribution=ketama&timeout=1", {}).ok());
  EXPECT_TRUE(test::try_open(servers, "memcached://[::1]:5?distribution=consistent", {}).ok());
}

}  // namespace
}  // namespace presence
