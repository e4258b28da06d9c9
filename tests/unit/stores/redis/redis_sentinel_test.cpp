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
  void SetUp() override { start({}); }

  /// `tls`: further words for the servers, by which all of them speak nothing but TLS; empty: they do not.
  void start(const std::vector<std::string>& tls) {
    tls_ = !tls.empty();
    for (int i = 0; i < 2; ++i) {
      ports_.push_back(test::free_port());
      std::vector<std::string> options{tls_ ? "--tls-port" : "--port",
                                       std::to_string(ports_.back()),
                                       "--bind",
                                       "127.0.0.1",
                                       "--repl-diskless-sync-delay",
                                       "0"};
      options.insert(options.end(), tls.begin(), tls.end());
      if (i == 1) {
        options.insert(options.end(), {"--replicaof", "127.0.0.1", std::to_string(ports_[0])});
      }
      servers_.push_back(std::make_unique<RedisProcess>(options));
    }
    sentinel_port_ = test::free_port();
    std::ofstream config(folder_.file("sentinel.conf"));
    for (std::size_t i = 0; i + 1 < tls.size(); i += 2) {
      config << tls[i].substr(2) << ' ' << tls[i + 1] << '\n';
    }
    config << (tls_ ? "port 0\ntls-port " : "port ") << sentinel_port_ << "\nunixsocket " << folder_.file("sock")
           << "\nbind 127.0.0.1\ndir " << folder_.path() << "\nlogfile " << folder_.file("log")
           << "\nsentinel monitor main 127.0.0.1 " << ports_[0]
           << " 1\nsentinel down-after-milliseconds main 500\nsentinel failover-timeout main 2000\n";
    config.close();
    sentinel_ = test::spawn_redis({folder_.file("sentinel.conf"), "--sentinel"});
    ASSERT_TRUE(eventually([this] {
      RedisAdmin admin(folder_.file("sock"));
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
    return open_redis(redis_,
                      std::string(tls_ ? "rediss" : "redis") +
                          "+sentinel://127.0.0.1:1,127.0.0.1:" + std::to_string(sentinel_port_) + "/" + name +
                          (tls_ ? "?ssl_ca=" + test::certificate("ca.pem") : ""),
                      options);
  }
  [[nodiscard]] bool knows(int i, const std::string& visitor) const {
    return servers_[static_cast<std::size_t>(i)]->admin()({"ZSCORE", "users:online", visitor}).type != REDIS_REPLY_NIL;
  }

  bool tls_ = false;
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
  ASSERT_TRUE(eventually([this] { return RedisAdmin(folder_.file("sock"))("SENTINEL FAILOVER main").text == "OK"; }));
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

#ifdef PRESENCE_HAVE_TLS

class RedisTlsSentinelTest : public RedisSentinelTest {
 protected:
  void SetUp() override {
    PRESENCE_NEEDS_REDIS();
    std::vector<std::string> tls = test::tls_options();
    tls.insert(tls.end(), {"--tls-replication", "yes"});
    start(tls);
  }
};

TEST_F(RedisTlsSentinelTest, SentinelsAndMastersAreTalkedToByTlsOnly) {
  const auto store = open();
  const Status recorded = store->record("1", kNow);
  ASSERT_TRUE(recorded.ok()) << recorded.error().message;
  ASSERT_TRUE(eventually([this] { return knows(1, "1"); })) << "replicated";
  servers_[0]->kill();
  EXPECT_TRUE(eventually([&] { return store->record("2", kNow).ok(); }));
  EXPECT_TRUE(knows(1, "2"));
}

#endif  // PRESENCE_HAVE_TLS

}  // namespace
}  // namespace presence

#endif  // PRESENCE_HAVE_REDIS
