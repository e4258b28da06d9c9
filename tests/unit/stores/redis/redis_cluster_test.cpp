// Presence on a cluster of three masters.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "stores/redis/redis_slot.h"
#include "unit/stores/redis/redis_cluster.h"
#include "unit/stores/redis/redis_under_test.h"

#ifdef PRESENCE_HAVE_REDIS

namespace presence {
namespace {

using test::Cluster;
using test::open_redis;
using test::RedisAdmin;

constexpr UnixTime kNow = 1'800'000'000;

class RedisClusterTest : public testing::Test {
 protected:
  std::unique_ptr<Store> open(const std::string& key, const std::string& options = "", double timeout = 10) {
    StoreOptions all;
    all.key = key;
    all.timeout = timeout;
    return open_redis(servers_, cluster_.dsn(options), all);
  }
  std::uint64_t round_trips() {
    return servers_.server(parse_dsn(cluster_.dsn()).value()).value()->traffic().round_trips;
  }

  Cluster cluster_;
  RedisServers servers_;
};

TEST_F(RedisClusterTest, EveryStrategyKeepsTheKeysOfOneCallTogether) {
  for (const char* options :
       {"", "?strategy=sets", "?strategy=bitmap", "?strategy=bitmap&chunked=1", "?strategy=hll"}) {
    for (int i = 0; i < 9; ++i) {
      const std::string key = "site" + std::to_string(i) + ":" + options;
      const auto store = open(key, options);
      const bool counts_only = std::string(options) == "?strategy=hll";
      const auto fine = [&](const Status& status) {
        EXPECT_TRUE(status.ok() || (counts_only && status.error().code == ErrorCode::unsupported))
            << options << ": " << status.error().message;
      };
      fine(store->record("1", kNow - 100));
      fine(store->record("70000", kNow));
      const std::uint64_t before = round_trips();
      EXPECT_EQ(store->count({kNow, 5}).value(), 2) << options;
      EXPECT_EQ(round_trips(), before + 1) << "it knows the node by now";
      const std::array<std::string_view, 3> asked{"1", "2", "70000"};
      std::array<bool, 3> online{};
      fine(store->online(asked, {kNow, 5}, online));
      EXPECT_EQ(online, (counts_only ? std::array<bool, 3>{} : std::array<bool, 3>{true, false, true})) << options;
      fine(store->replace("1", "140000", kNow));
      fine(store->forget("70000", kNow));
      fine(store->purge(kNow));
      EXPECT_EQ(store->count({kNow, 5}).value(), counts_only ? 2 : 1) << options;
    }
  }
}

TEST_F(RedisClusterTest, ASortedSetHasItsPlainKeyAndSeveralKeysAHashTag) {
  ASSERT_TRUE(open("users:online")->record("1", kNow).ok());
  ASSERT_TRUE(open("users:online", "?strategy=sets")->record("1", kNow).ok());
  ASSERT_TRUE(open("site:{7}:online", "?strategy=sets")->record("1", kNow).ok());
  const std::string minute = std::to_string(kNow / 60);
  std::vector<std::string> keys;
  for (int i = 0; i < 3; ++i) {
    const auto found = cluster_.admin(i)("KEYS *").elements;
    keys.insert(keys.end(), found.begin(), found.end());
  }
  std::sort(keys.begin(), keys.end());
  EXPECT_EQ(keys, (std::vector<std::string>{"site:{7}:online:" + minute, "users:online", "{users:online}:" + minute}));
}

TEST_F(RedisClusterTest, FollowsASlotThatMovedOrIsMoving) {
  const std::string key = Cluster::key_on(0);
  const std::string slot = std::to_string(redis_slot(key));
  for (const char* options : {"", "?strategy=sets", "?strategy=bitmap"}) {
    // Each starts with the slot at home, where nothing is left of the one before.
    const auto store = open(key, options);
    ASSERT_TRUE(store->count({kNow, 5}).ok());
    cluster_.admin(2)({"CLUSTER", "SETSLOT", slot, "IMPORTING", cluster_.id(0)});
    cluster_.admin(0)({"CLUSTER", "SETSLOT", slot, "MIGRATING", cluster_.id(2)});
    // A key that is not at home any more: ASK. Transactions as well.
    Status status = store->record("1", kNow);
    ASSERT_TRUE(status.ok()) << options << ": " << status.error().message;
    const Result<std::int64_t> count = store->count({kNow, 5});
    // Several keys of which some are not there yet are refused for the time being.
    EXPECT_TRUE(count.ok() ? *count == 1 : count.error().code == ErrorCode::transient)
        << options << ": " << count.error().message;
    for (const int i : {2, 0, 1}) {
      cluster_.admin(i)({"CLUSTER", "SETSLOT", slot, "NODE", cluster_.id(2)});
    }
    // MOVED.
    EXPECT_EQ(store->count({kNow, 5}).value(), 1) << options;
    const std::uint64_t before = round_trips();
    EXPECT_EQ(store->count({kNow, 5}).value(), 1);
    EXPECT_EQ(round_trips(), before + 1) << "and remembers it";
    cluster_.admin(2)("FLUSHALL");
    for (const int i : {0, 2, 1}) {
      cluster_.admin(i)({"CLUSTER", "SETSLOT", slot, "NODE", cluster_.id(0)});
    }
  }
}

TEST_F(RedisClusterTest, ADeadNodeTakesItsKeysAlongAndNoOthers) {
  const auto dead = open(Cluster::key_on(0), "", 1);
  const auto living = open(Cluster::key_on(1), "", 5);
  ASSERT_TRUE(dead->record("1", kNow).ok());
  ASSERT_TRUE(living->record("1", kNow).ok());
  cluster_.node(0).kill();
  const Status status = dead->record("1", kNow);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::unavailable) << status.error().message;
  EXPECT_TRUE(living->record("2", kNow).ok());
  EXPECT_EQ(living->count({kNow, 5}).value(), 2);
  EXPECT_TRUE(dead->health().breaker_open);
  // The node of the DSN's first host is down, and the second leads on.
  RedisServers later;
  StoreOptions options;
  options.key = Cluster::key_on(2);
  options.timeout = 10;
  EXPECT_TRUE(open_redis(later, cluster_.dsn(), options)->record("1", kNow).ok());
}

TEST_F(RedisClusterTest, ANodeTalkedToAsASingleServerSaysWhatToWrite) {
  StoreOptions options;
  options.key = Cluster::key_on(1);
  options.timeout = 10;
  const Status status = open_redis(servers_, cluster_.node(0).dsn(), options)->record("1", kNow);
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().message.find("write redis+cluster:"), std::string::npos);
}

}  // namespace
}  // namespace presence

#endif  // PRESENCE_HAVE_REDIS
