// The Redis server that the tests share.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <string>

#include "base/dsn.h"
#include "stores/redis/redis_server.h"
#include "stores/redis/redis_servers.h"
#include "unit/stores/redis/redis_process.h"

namespace presence::test {

/// The DSN of script/with-redis. Empty: the test must be skipped, or fails where a server is required.
inline std::string shared_redis() {
  const char* dsn = std::getenv("PRESENCE_TEST_REDIS");
  return dsn == nullptr ? "" : dsn;
}

/// The DSN of the same server over TLS, options included. Empty as above.
inline std::string shared_redis_tls() {
  const char* dsn = std::getenv("PRESENCE_TEST_REDIS_TLS");
  return dsn == nullptr ? "" : dsn;
}

/// A way to the server for looking at keys.
inline RedisAdmin shared_admin() {
  const char* socket = std::getenv("PRESENCE_TEST_REDIS_SOCKET");
  return RedisAdmin(std::string(socket == nullptr ? "" : socket));
}

/// A key that no other test, running now or before, has.
inline std::string fresh_key() {
  static int number = 0;
  return "t" + std::to_string(getpid()) + "." + std::to_string(static_cast<long>(clock::monotonic() * 1e6)) + "." +
         std::to_string(++number);
}

/// The store of a DSN, or a failure of the test.
inline std::unique_ptr<Store> open_redis(RedisServers& servers, const std::string& dsn, StoreOptions options) {
  const Result<Dsn> parsed = parse_dsn(dsn);
  if (!parsed) {
    ADD_FAILURE() << parsed.error().message;
    return nullptr;
  }
  Result<std::unique_ptr<Store>> store = servers.open(*parsed, options);
  if (!store) {
    ADD_FAILURE() << store.error().message;
    return nullptr;
  }
  return std::move(*store);
}

/// A forked child that uses the store, which is empty so far, talks on a connection of its own, and its parent goes on
/// with the old one.
inline void expect_a_fork_leaves_the_connection_alone(Store& store) {
  constexpr UnixTime now = 1'800'000'000;
  ASSERT_TRUE(store.record("parent", now).ok());
  const pid_t child = fork();
  if (child == 0) {
    // By _exit and by a destructor: neither says anything on the parent's connection.
    const bool fine = store.record("child", now).ok() && store.count({now, 5}).value() >= 2;
    _exit(fine ? 0 : 1);
  }
  for (int i = 0; i < 200; ++i) {
    ASSERT_EQ(store.last_seen("parent", now).value(), now);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(store.count({now, 5}).value(), 2);
}

}  // namespace presence::test

#define PRESENCE_NEEDS_REDIS()                                                   \
  if (::presence::test::shared_redis().empty()) {                                \
    if (std::getenv("PRESENCE_TEST_REQUIRE") != nullptr) {                       \
      FAIL() << "needs PRESENCE_TEST_REDIS: run it under script/with-redis";     \
    }                                                                            \
    GTEST_SKIP() << "needs PRESENCE_TEST_REDIS: run it under script/with-redis"; \
  }                                                                              \
  static_assert(true, "")
