#include "stores/memcached/ring_store.h"

#include <array>

#include "base/sha256.h"
#include "unit/stores/memcached/memcached_under_test.h"

namespace presence {
namespace {

using test::expect_ok;
using test::fresh_key;
using test::is_online;
using test::patient;

class MemcachedRingTest : public test::MemcachedTest {
 protected:
  std::unique_ptr<Store> ring(const std::string& options = "", StoreOptions common = patient(fresh_key())) {
    return open("?strategy=ring" + options, std::move(common));
  }
  std::int64_t count(Store& store, UnixTime now) {
    const auto count = store.count({now, 5});
    EXPECT_TRUE(count.ok()) << count.error().message;
    return count.ok() ? *count : -1;
  }
  [[nodiscard]] std::string counter(UnixTime time) const { return ':' + std::to_string(time / 60 % 6); }
  /// As if its time to live were over.
  void expire(const std::string& suffix) const {
    EXPECT_EQ(test::ask(test::memcached_dsn(), "delete " + key_ + suffix + "\r\n", "\r\n"), "DELETED\r\n");
  }

  UnixTime minute_ = clock::now() / 60 * 60;
};

TEST_F(MemcachedRingTest, ANewSessionAddsOneToTheCounterOfItsMinute) {
  const auto store = ring();
  expect_ok(store->record("42", minute_ + 30));
  expect_ok(store->record("43", minute_ + 31));
  expect_ok(store->record("42", minute_ + 32));
  const std::string slot = std::to_string(minute_ / 60);
  EXPECT_EQ(stored(":session:42"),
            "VALUE " + key_ + ":session:42 1 " + std::to_string(slot.size()) + "\r\n" + slot + "\r\nEND\r\n");
  EXPECT_NE(stored(counter(minute_)).find("\r\n2\r\n"), std::string::npos);
}

TEST_F(MemcachedRingTest, TheCountStaysWhileAMinuteFills) {
  const auto store = ring();
  for (int i = 0; i < 10; ++i) {
    expect_ok(store->record(std::to_string(i), minute_ - 60 + i));
  }
  for (int second = 0; second < 60; ++second) {
    expect_ok(store->record("new" + std::to_string(second), minute_ + second));
    ASSERT_EQ(count(*store, minute_ + second), 10) << second;
  }
  EXPECT_EQ(count(*store, minute_ + 60), 70);
}

TEST_F(MemcachedRingTest, TheCountHoldsTheMinutesBeforeTheRunningOne) {
  const auto store = ring();
  for (int back = 5; back >= 0; --back) {
    for (int i = 0; i < 1 << back; ++i) {
      expect_ok(store->record(std::to_string(back) + '/' + std::to_string(i), minute_ - 60 * back));
    }
  }
  EXPECT_EQ(count(*store, minute_), 2 + 4 + 8 + 16 + 32);
  EXPECT_EQ(count(*store, minute_ + 60), 1 + 2 + 4 + 8 + 16);
  EXPECT_EQ(count(*store, minute_ + 300), 1);
  EXPECT_EQ(count(*store, minute_ + 360), 0) << "the counter of its own slot is another now";
}

TEST_F(MemcachedRingTest, ACounterStartsFromZeroWhenItsTurnComesAgain) {
  const auto store = ring();
  for (int i = 0; i < 7; ++i) {
    expect_ok(store->record(std::to_string(i), minute_));
  }
  // The server's clock has not moved: the old counter is still there.
  expect_ok(store->record("next", minute_ + 360));
  EXPECT_NE(stored(counter(minute_)).find("\r\n1\r\n"), std::string::npos);
  expect_ok(store->record("and next", minute_ + 361));
  EXPECT_EQ(count(*store, minute_ + 420), 2);
}

TEST_F(MemcachedRingTest, WhoStaysIsCountedOncePerWindow) {
  const auto store = ring();
  for (int second = 0; second < 300; second += 20) {
    expect_ok(store->record("42", minute_ + second));
  }
  expire(":session:42");
  for (int second = 300; second < 600; second += 20) {
    expect_ok(store->record("42", minute_ + second));
  }
  for (int minute = 1; minute <= 10; ++minute) {
    EXPECT_EQ(count(*store, minute_ + 60 * minute), 1) << minute;
  }
}

TEST_F(MemcachedRingTest, SessionKeysLiveForTheWindowAndCountersUntilTheirTurn) {
  const auto store = ring();
  const UnixTime now = minute_ + 17;
  expect_ok(store->record("42", now));
  const auto ttl = [&](const std::string& suffix) {
    const std::string answer = test::ask(test::memcached_dsn(), "mg " + key_ + suffix + " t\r\n", "\r\n");
    return std::stol(answer.substr(answer.find(" t") + 2));
  };
  EXPECT_NEAR(static_cast<double>(ttl(":session:42")), 300, 15);
  EXPECT_NEAR(static_cast<double>(ttl(counter(minute_))), 360 - 17, 15);
}

TEST_F(MemcachedRingTest, CountersThatPhpMadeCountToo) {
  const auto store = ring();
  put(counter(minute_ - 60), 1, "5");
  put(counter(minute_), 1, "2");
  EXPECT_EQ(count(*store, minute_), 5);
  expect_ok(store->record("42", minute_));
  EXPECT_EQ(count(*store, minute_ + 60), 5 + 3);
}

TEST_F(MemcachedRingTest, SomebodyElsesValueIsAnError) {
  const auto store = ring();
  put(counter(minute_), 0, "hello");
  const Status status = store->record("42", minute_);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::damaged);
  EXPECT_NE(status.error().message.find("choose another key"), std::string::npos) << status.error().message;
  EXPECT_FALSE(is_online(*store, "42", minute_)) << "new again the next time";
  const auto counted = store->count({minute_ + 60, 5});
  ASSERT_FALSE(counted.ok());
  EXPECT_EQ(counted.error().code, ErrorCode::damaged);
}

TEST_F(MemcachedRingTest, IdsThatNoKeyCanHoldAreHashed) {
  const auto store = ring();
  for (const std::string& id :
       {std::string("a b"), std::string("a\nb"), std::string("a\x7F"), std::string("#a"), std::string(240, 'x')}) {
    expect_ok(store->record(id, minute_));
    EXPECT_NE(stored(":session:#" + sha256_hex(id, 32)).find("VALUE"), std::string::npos) << id;
    EXPECT_TRUE(is_online(*store, id, minute_));
  }
  expect_ok(store->record("h\xC3\xA9:a#", minute_));
  EXPECT_NE(stored(":session:h\xC3\xA9:a#").find("VALUE"), std::string::npos);
  EXPECT_FALSE(is_online(*store, "#" + sha256_hex("a b", 32), minute_));
}

TEST_F(MemcachedRingTest, ThousandsOfLongIdsAreAskedAtOnce) {
  const auto store = ring();
  std::vector<std::string> ids;
  std::vector<Seen> even;
  for (int i = 0; i < 3000; ++i) {
    ids.push_back(std::string(180, 'x') + std::to_string(i));
  }
  for (std::size_t i = 0; i < ids.size(); i += 2) {
    even.push_back({ids[i], minute_});
  }
  expect_ok(store->record_all(even, minute_));
  const std::vector<std::string_view> asked(ids.begin(), ids.end());
  std::array<bool, 3000> answers{};
  expect_ok(store->online(asked, {minute_, 5}, answers));
  for (std::size_t i = 0; i < answers.size(); ++i) {
    ASSERT_EQ(answers[i], i % 2 == 0) << i;
  }
}

TEST_F(MemcachedRingTest, TheLongestKeyHasRoom) {
  StoreOptions options = patient(fresh_key());
  options.key += ':' + std::string(199 - options.key.size(), 'k');
  ASSERT_EQ(options.key.size(), 200U);
  const auto store = ring("", options);
  expect_ok(store->record(std::string(250, 'x'), minute_));
  expect_ok(store->record(std::string(41, 'x'), minute_));
  expect_ok(store->record(std::string(42, 'x'), minute_));
  EXPECT_EQ(count(*store, minute_ + 60), 3);
}

TEST_F(MemcachedRingTest, ForgettingTakesASessionOffItsCounter) {
  const auto store = ring();
  expect_ok(store->record("42", minute_ - 60));
  expect_ok(store->record("43", minute_ - 60));
  expect_ok(store->forget("42", minute_));
  expect_ok(store->forget("42", minute_));
  expect_ok(store->forget("44", minute_));
  EXPECT_FALSE(is_online(*store, "42", minute_));
  EXPECT_TRUE(is_online(*store, "43", minute_));
  EXPECT_EQ(count(*store, minute_), 1);
}

TEST_F(MemcachedRingTest, RefreshIsAnOption) {
  const auto store = ring("&refresh=20");
  const UnixTime slot = minute_;
  expect_ok(store->record("42", slot));
  EXPECT_EQ(count(*store, slot + 19), 0);
  EXPECT_EQ(count(*store, slot + 20), 1);
  EXPECT_EQ(count(*store, slot + 319), 1);
  EXPECT_EQ(count(*store, slot + 320), 0);
  EXPECT_NE(stored(':' + std::to_string(slot / 20 % 16)).find("VALUE"), std::string::npos);
}

TEST_F(MemcachedRingTest, OtherWindowsNameAStrategyThatKnowsThem) {
  const auto store = ring();
  for (const int minutes : {1, 4, 6, 60}) {
    const auto counted = store->count({minute_, minutes});
    ASSERT_FALSE(counted.ok());
    EXPECT_EQ(counted.error().code, ErrorCode::unsupported);
    EXPECT_NE(counted.error().message.find("\"table\""), std::string::npos);
    EXPECT_NE(counted.error().message.find("redis"), std::string::npos);
  }
}

TEST_F(MemcachedRingTest, ProcessesThatBeginAMinuteTogetherCountAll) {
  constexpr int kProcesses = 8;
  constexpr int kEach = 50;
  const auto store = ring();
  expect_ok(store->record("old", minute_ - 360));  // the counter is there, of an older turn
  std::vector<pid_t> children;
  for (int process = 0; process < kProcesses; ++process) {
    const pid_t child = fork();
    if (child == 0) {
      int failures = 0;
      for (int i = 0; i < kEach; ++i) {
        failures += store->record(std::to_string(process * kEach + i), minute_).ok() ? 0 : 1;
      }
      _exit(failures == 0 ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = -1;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(count(*store, minute_ + 60), kProcesses * kEach);
}

}  // namespace
}  // namespace presence
