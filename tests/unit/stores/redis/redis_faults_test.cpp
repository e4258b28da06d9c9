// Servers that are down, slow, locked up or used by somebody else: what it costs, and what the reader is told.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>

#include <memory>
#include <string>

#include "unit/stores/redis/redis_under_test.h"

#ifdef PRESENCE_HAVE_REDIS

namespace presence {
namespace {

using test::open_redis;
using test::RedisAdmin;
using test::RedisProcess;

constexpr UnixTime kNow = 1'800'000'000;

class RedisFaultsTest : public testing::Test {
 protected:
  std::unique_ptr<Store> open(const std::string& dsn, double timeout = 5) {
    StoreOptions options;
    options.key = "users:online";
    options.timeout = timeout;
    return open_redis(servers_, dsn, options);
  }
  static void expect_error(const Status& status, ErrorCode code, const std::string& part) {
    ASSERT_FALSE(status.ok()) << part;
    EXPECT_EQ(status.error().code, code) << status.error().message;
    EXPECT_NE(status.error().message.find(part), std::string::npos) << status.error().message;
    EXPECT_EQ(status.error().message.find("s3cret"), std::string::npos) << status.error().message;
  }

  RedisServers servers_;
};

TEST_F(RedisFaultsTest, NothingListensThere) {
  const auto store = open("redis+unix:///nonexistent/sock");
  expect_error(store->record("1", kNow), ErrorCode::unavailable, "redis+unix:/nonexistent/sock: cannot connect");
  expect_error(store->record("1", kNow), ErrorCode::unavailable, "it is tried again in 1 s");
  EXPECT_TRUE(store->health().breaker_open);
  EXPECT_NE(store->health().last_error.find("cannot connect"), std::string::npos);
  EXPECT_GT(store->health().last_error_time, 0);
  // Port 1 of this machine answers nobody.
  expect_error(open("redis://u:s3cret@127.0.0.1:1/0")->record("1", kNow), ErrorCode::unavailable,
               "redis://u:***@127.0.0.1:1/0: cannot connect");
  expect_error(open("redis://no-such-host.invalid")->record("1", kNow), ErrorCode::unavailable, "cannot find the host");
}

TEST_F(RedisFaultsTest, OpeningConnectsToNobody) {
  const auto store = open("redis+unix:///nonexistent/sock");
  EXPECT_EQ(store->health().last_error, "");
  EXPECT_FALSE(store->health().breaker_open);
}

TEST_F(RedisFaultsTest, AFrozenServerCostsOneTimeoutAndIsThenLeftAlone) {
  const RedisProcess server;
  const auto store = open(server.dsn(), 0.2);
  ASSERT_TRUE(store->record("1", kNow).ok());
  server.freeze();
  const double began = clock::monotonic();
  expect_error(store->record("1", kNow), ErrorCode::unavailable, "did not answer in time");
  const double first = clock::monotonic() - began;
  EXPECT_GE(first, 0.19);
  EXPECT_LT(first, 3) << "the machine may be slow, but not the 5 s of another wait";
  const std::uint64_t asked = servers_.server(parse_dsn(server.dsn()).value()).value()->traffic().round_trips;
  expect_error(store->record("1", kNow), ErrorCode::unavailable, "it is tried again in");
  EXPECT_EQ(servers_.server(parse_dsn(server.dsn()).value()).value()->traffic().round_trips, asked);
  server.thaw();
}

TEST_F(RedisFaultsTest, AFrozenServerIsNotWaitedForWhenConnectingEither) {
  const RedisProcess server({"--requirepass", "s3cret"});
  server.freeze();
  const auto store = open(server.dsn(":s3cret@"), 0.2);
  expect_error(store->record("1", kNow), ErrorCode::unavailable, "did not answer in time");
  server.thaw();
}

TEST_F(RedisFaultsTest, ALateAnswerIsNeverTakenForThatToTheNextCall) {
  const RedisProcess server;
  const auto store = open(server.dsn(), 0.2);
  ASSERT_TRUE(store->record("1", kNow).ok());
  server.freeze();
  EXPECT_FALSE(store->count({kNow, 5}).ok());
  server.thaw();
  RedisServers later;  // With a breaker that has seen nothing.
  StoreOptions options;
  options.key = "users:online";
  options.timeout = 5;
  EXPECT_EQ(open_redis(later, server.dsn(), options)->last_seen("1", kNow).value(), kNow);
}

TEST_F(RedisFaultsTest, ARestartedServerIsFoundAgainWithinTheCall) {
  RedisProcess server;
  const auto store = open(server.dsn());
  ASSERT_TRUE(store->record("1", kNow).ok());
  server.kill();
  server.start();
  ASSERT_TRUE(store->record("2", kNow).ok());
  EXPECT_EQ(store->count({kNow, 5}).value(), 1) << "nothing was saved";
}

TEST_F(RedisFaultsTest, AConnectionThatTheServerEndedIsOpenedAgain) {
  const RedisProcess server;
  const auto store = open(server.dsn());
  ASSERT_TRUE(store->record("1", kNow).ok());
  server.admin()("CLIENT KILL TYPE normal SKIPME yes");
  EXPECT_EQ(store->count({kNow, 5}).value(), 1);
}

TEST_F(RedisFaultsTest, APasswordIsWantedRefusedOrTooMuch) {
  const RedisProcess locked({"--requirepass", "s3cret"});
  const RedisProcess open_to_all;
  EXPECT_TRUE(open(locked.dsn(":s3cret@"))->record("1", kNow).ok());
  EXPECT_TRUE(open(locked.dsn("default:s3cret@"))->record("1", kNow).ok());
  expect_error(open(locked.dsn())->record("1", kNow), ErrorCode::unavailable, "wants a password");
  expect_error(open(locked.dsn(":wrongs3cret@"))->record("1", kNow), ErrorCode::unavailable,
               "refused the user or password");
  const auto wrong = open(locked.dsn("nobody:s3cret@"));
  expect_error(wrong->record("1", kNow), ErrorCode::unavailable, "refused the user or password");
  EXPECT_TRUE(wrong->health().breaker_open) << "a login that fails is not repeated by each page";
  expect_error(open(open_to_all.dsn(":s3cret@"))->record("1", kNow), ErrorCode::unavailable, "no password set");
}

TEST_F(RedisFaultsTest, AnAclUserMayDoWhatItIsGranted) {
  const RedisProcess server;
  RedisAdmin admin = server.admin();
  admin("ACL SETUSER site on >s3cret resetkeys ~users:* -@all +@transaction +zadd +zcount +zremrangebyscore");
  const auto store = open(server.dsn("site:s3cret@"));
  EXPECT_TRUE(store->record("1", kNow).ok());
  EXPECT_EQ(store->count({kNow, 5}).value(), 1);
  expect_error(store->forget("1", kNow), ErrorCode::rejected, "ACL SETUSER");
  expect_error(store->forget("1", kNow), ErrorCode::rejected, "zrem");
  EXPECT_FALSE(store->health().breaker_open) << "it answered";
  EXPECT_NE(store->health().last_error, "");
  StoreOptions elsewhere;
  elsewhere.key = "others";
  expect_error(open_redis(servers_, server.dsn("site:s3cret@"), elsewhere)->record("1", kNow), ErrorCode::rejected,
               "keys");
}

TEST_F(RedisFaultsTest, TheDatabaseIsThatOfTheDsn) {
  const RedisProcess server({"--databases", "4"});
  ASSERT_TRUE(open(server.dsn("", "?db=3"))->record("1", kNow).ok());
  RedisAdmin admin = server.admin();
  EXPECT_EQ(admin("DBSIZE").integer, 0);
  admin("SELECT 3");
  EXPECT_EQ(admin("DBSIZE").integer, 1);
  expect_error(open(server.dsn("", "?db=4"))->record("1", kNow), ErrorCode::unavailable, "no database of the number");
  admin("SELECT 0");
  EXPECT_EQ(admin("DBSIZE").integer, 0) << "nothing goes to another database instead";
}

TEST_F(RedisFaultsTest, SomebodyElsesKeyIsNamedAndLeftAlone) {
  const RedisProcess server;
  RedisAdmin admin = server.admin();
  admin("SET users:online precious");
  admin({"SET", "users:online:" + std::to_string(kNow / 60), "precious"});
  admin({"LPUSH", "users:online:" + std::to_string(kNow / 300), "precious"});
  admin({"SET", "users:online:hll:" + std::to_string(kNow / 60), "precious"});
  for (const char* options : {"", "?strategy=sets", "?strategy=bitmap", "?strategy=hll"}) {
    const auto store = open(server.dsn("", options));
    expect_error(store->record("1", kNow), ErrorCode::rejected, "under the key \"users:online");
    expect_error(store->record("1", kNow), ErrorCode::rejected, "choose another key");
    EXPECT_FALSE(store->count({kNow, 5}).ok());
    EXPECT_FALSE(store->health().breaker_open);
  }
  EXPECT_EQ(admin("GET users:online").text, "precious");
  EXPECT_EQ(admin({"GET", "users:online:hll:" + std::to_string(kNow / 60)}).text, "precious");
}

TEST_F(RedisFaultsTest, AReplicaIsNoPlaceToWrite) {
  const RedisProcess server({"--replicaof", "127.0.0.1", "1"});
  expect_error(open(server.dsn())->record("1", kNow), ErrorCode::transient, "name the master");
}

TEST_F(RedisFaultsTest, AFullServerTakesNothing) {
  const RedisProcess server({"--maxmemory", "1"});
  expect_error(open(server.dsn())->record("1", kNow), ErrorCode::transient, "maxmemory");
}

TEST_F(RedisFaultsTest, AServerThatCannotSaveTakesNothing) {
  const RedisProcess server;
  RedisAdmin admin = server.admin();
  admin("SET some thing");
  admin({"CONFIG", "SET", "save", "3600 1"});
  // The dump's name is taken by a folder.
  const std::string folder = server.folder() + "/dump.rdb";
  ASSERT_EQ(mkdir(folder.c_str(), 0700), 0);
  admin("BGSAVE");
  ASSERT_TRUE(test::eventually(
      [&] { return admin("INFO persistence").text.find("rdb_last_bgsave_status:err") != std::string::npos; }));
  expect_error(open(server.dsn())->record("1", kNow), ErrorCode::transient, "cannot save to its disk");
}

TEST_F(RedisFaultsTest, AServerThatIsLoadingSaysSo) {
  RedisProcess server({"--key-load-delay", "100000", "--rdbcompression", "no"});
  RedisAdmin admin = server.admin();
  for (int i = 0; i < 20; ++i) {
    admin({"SET", "k" + std::to_string(i), std::string(3'000'000, 'x')});
  }
  admin("SAVE");
  server.kill();
  server.start();
  expect_error(open(server.dsn())->record("1", kNow), ErrorCode::transient, "still loading");
}

TEST_F(RedisFaultsTest, WhatIsNoRedisIsNotTalkedToAgain) {
  // A server that answers with nonsense: an SSH banner.
  const TempFolder folder;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  folder.file("sock").copy(address.sun_path, sizeof address.sun_path - 1);
  const UniqueFd listener(socket(AF_UNIX, SOCK_STREAM, 0));
  ASSERT_EQ(bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(listen(listener.get(), 4), 0);
  const pid_t child = fork();
  if (child == 0) {
    const int client = accept(listener.get(), nullptr, nullptr);
    static_cast<void>(write(client, "SSH-2.0-OpenSSH\r\n", 17));
    char byte;
    static_cast<void>(read(client, &byte, 1));
    pause();
  }
  expect_error(open("redis+unix://" + folder.file("sock"))->record("1", kNow), ErrorCode::unavailable,
               "does not speak Redis' protocol");
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

TEST_F(RedisFaultsTest, AForkedChildHasAConnectionOfItsOwnAndLeavesTheParentsAlone) {
  const RedisProcess server;
  const auto store = open(server.dsn());
  test::expect_a_fork_leaves_the_connection_alone(*store);
}

TEST_F(RedisFaultsTest, AStoreOutlivesTheServersItCameFrom) {
  const RedisProcess server;
  auto servers = std::make_unique<RedisServers>();
  StoreOptions options;
  options.key = "users:online";
  const auto store = open_redis(*servers, server.dsn(), options);
  servers.reset();
  EXPECT_TRUE(store->record("1", kNow).ok());
}

}  // namespace
}  // namespace presence

#endif  // PRESENCE_HAVE_REDIS
