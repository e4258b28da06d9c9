// Presence on a master, its replica, and the sentinels that choose between them.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <csignal>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "unit/stores/redis/redis_under_test.h"

#ifdef PRESENCE_HAVE_REDIS

namespace presence {
namespace {

using test::eventually;
using test::open_redis;
using test::RedisAdmin;
using test::RedisProcess;

constexpr UnixTime kNow = 1'800'000'000;

class RedisSentinelTest : public testing::Test {
 protected:
  void SetUp() override {
    for (int i = 0; i < 2; ++i) {
      ports_.push_back(test::free_port());
      std::vector<std::string> options{"--port",    std::to_string(ports_.back()), "--bind",
                                       "127.0.0.1", "--repl-diskless-sync-delay",  "0"};
      if (i == 1) {
        options.insert(options.end(), {"--replicaof", "127.0.0.1", std::to_string(ports_[0])});
      }
      servers_.push_back(std::make_unique<RedisProcess>(options));
    }
    sentinel_port_ = test::free_port();
    std::ofstream(folder_.file("sentinel.conf"))
        << "port " << sentinel_port_ << "\nbind 127.0.0.1\ndir " << folder_.path() << "\nlogfile "
        << folder_.file("log") << "\nsentinel monitor main 127.0.0.1 " << ports_[0]
        << " 1\nsentinel down-after-milliseconds main 500\nsentinel failover-timeout main 2000\n";
    sentinel_ = test::spawn_redis({folder_.file("sentinel.conf"), "--sentinel"});
    ASSERT_TRUE(eventually([this] {
      RedisAdmin admin("127.0.0.1", sentinel_port_);
      return admin.connected() && admin("INFO sentinel").text.find("status=ok") != std::string::npos &&
             admin("INFO sentinel").text.find("slaves=1") != std::string::npos;
    })) << "the sentinel does not start";
    ASSERT_TRUE(eventually([this] {
      return servers_[1]->admin()("INFO replication").text.find("master_link_status:up") != std::string::npos;
    }));
  }
  void TearDown() override {
    kill(sentinel_, SIGKILL);
    waitpid(sentinel_, nullptr, 0);
  }

  std::unique_ptr<Store> open(const std::string& name = "main", double timeout = 5) {
    StoreOptions options;
    options.key = "users:online";
    options.timeout = timeout;
    // The first sentinel is not there.
    return open_redis(redis_, "redis+sentinel://127.0.0.1:1,127.0.0.1:" + std::to_string(sentinel_port_) + "/" + name,
                      options);
  }
  [[nodiscard]] bool knows(int i, const std::string& visitor) const {
    return servers_[static_cast<std::size_t>(i)]->admin()({"ZSCORE", "users:online", visitor}).type != REDIS_REPLY_NIL;
  }

  TempFolder folder_;
  std::vector<int> ports_;
  std::vector<std::unique_ptr<RedisProcess>> servers_;
  int sentinel_port_ = 0;
  pid_t sentinel_ = -1;
  RedisServers redis_;
};

TEST_F(RedisSentinelTest, FindsTheMasterAndItsSuccessor) {
  const auto store = open();
  ASSERT_TRUE(store->record("1", kNow).ok());
  EXPECT_EQ(store->count({kNow, 5}).value(), 1);
  ASSERT_TRUE(eventually([this] { return knows(1, "1"); })) << "replicated";
  servers_[0]->kill();
  EXPECT_FALSE(store->record("2", kNow).ok()) << "nobody has taken over yet";
  EXPECT_TRUE(eventually([&] { return store->record("2", kNow).ok(); }));
  EXPECT_TRUE(knows(1, "2"));
  EXPECT_EQ(store->count({kNow, 5}).value(), 2);
  EXPECT_FALSE(store->health().breaker_open);
}

TEST_F(RedisSentinelTest, FollowsAMasterThatSteppedBack) {
  const auto store = open();
  ASSERT_TRUE(store->record("1", kNow).ok());
  // Refused until it has looked at the replica closely enough.
  ASSERT_TRUE(
      eventually([this] { return RedisAdmin("127.0.0.1", sentinel_port_)("SENTINEL FAILOVER main").text == "OK"; }));
  ASSERT_TRUE(eventually([this] {
    return servers_[0]->admin()("ROLE").elements.at(0) == "slave" &&
           servers_[1]->admin()("ROLE").elements.at(0) == "master";
  }));
  EXPECT_TRUE(eventually([&] { return store->record("2", kNow).ok(); }));
  EXPECT_TRUE(knows(1, "2"));
}

TEST_F(RedisSentinelTest, ANameThatNobodyKnowsIsSaid) {
  const Status status = open("other")->record("1", kNow);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::unavailable);
  EXPECT_NE(status.error().message.find("knows no master of that name"), std::string::npos) << status.error().message;
}

}  // namespace
}  // namespace presence

#endif  // PRESENCE_HAVE_REDIS
