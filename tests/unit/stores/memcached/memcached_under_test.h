// The Memcached servers that the stores are tested on: those that script/with-memcached names in the environment, or,
// for tests that stop or restart a server, one of the test's own.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/dsn.h"
#include "base/unique_fd.h"
#include "stores/memcached/memcached_servers.h"
#include "stores/store.h"

namespace presence::test {

inline std::string memcached_variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

inline std::string memcached_dsn() { return memcached_variable("PRESENCE_TEST_MEMCACHED"); }

/// Ends the test where there is no server. For SetUp(), and what it calls.
inline void need_memcached() {
  if (memcached_dsn().empty()) {
    if (memcached_variable("PRESENCE_TEST_REQUIRE") == "1") {
      FAIL() << "PRESENCE_TEST_MEMCACHED is not set: run this by script/with-memcached";
    }
    GTEST_SKIP() << "needs a Memcached server: script/with-memcached";
  }
}

/// A key that nobody else uses: tests share their servers.
inline std::string fresh_key() {
  static std::atomic<int> made{0};
  return "test:" + std::to_string(getpid()) + ':' + std::to_string(made++);
}

inline Result<std::unique_ptr<Store>> try_open(MemcachedServers& servers, const std::string& dsn,
                                               const StoreOptions& options) {
  const Result<Dsn> parsed = parse_dsn(dsn);
  EXPECT_TRUE(parsed.ok()) << dsn;
  return servers.open(*parsed, options);
}

inline std::unique_ptr<Store> open(MemcachedServers& servers, const std::string& dsn, const StoreOptions& options) {
  Result<std::unique_ptr<Store>> store = try_open(servers, dsn, options);
  EXPECT_TRUE(store.ok()) << (store.ok() ? "" : store.error().message);
  return store.ok() ? std::move(*store) : nullptr;
}

/// Options with a timeout that a busy test machine keeps.
inline StoreOptions patient(std::string key) {
  StoreOptions options;
  options.key = std::move(key);
  options.timeout = 10;
  return options;
}

/// A socket on a loopback port; which one, in `port`.
inline UniqueFd bound_socket(int& port) {
  UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  EXPECT_EQ(bind(socket.get(), reinterpret_cast<sockaddr*>(&address), size), 0);
  EXPECT_EQ(getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
  port = ntohs(address.sin_port);
  return socket;
}

/// A blocking connection to a loopback port; none if nobody listens there.
inline UniqueFd connect_to(int port) {
  UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  return connect(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 ? std::move(socket)
                                                                                           : UniqueFd();
}

/// What the server at a DSN of one host answers to a text that is not a part of what we test; ends with `end`.
inline std::string ask(const std::string& dsn, const std::string& text, std::string_view end) {
  const UniqueFd socket = connect_to(*parse_dsn(dsn)->hosts[0].port);
  EXPECT_TRUE(socket.valid());
  EXPECT_EQ(write(socket.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
  std::string answer;
  char buffer[4096];
  while (!std::string_view(answer).ends_with(end)) {
    const ssize_t size = read(socket.get(), buffer, sizeof buffer);
    if (size <= 0) {
      break;
    }
    answer.append(buffer, static_cast<std::size_t>(size));
  }
  return answer;
}

/// Stores a value as any other client would.
inline void put(const std::string& dsn, const std::string& key, unsigned flags, const std::string& value) {
  EXPECT_EQ(
      ask(dsn,
          "set " + key + ' ' + std::to_string(flags) + " 0 " + std::to_string(value.size()) + "\r\n" + value + "\r\n",
          "\r\n"),
      "STORED\r\n");
}

/// The server's answer to a get: "VALUE key flags bytes\r\n…\r\nEND\r\n".
inline std::string stored(const std::string& dsn, const std::string& key) {
  return ask(dsn, "get " + key + "\r\n", "END\r\n");
}

/// A server of the test's own.
class OwnMemcached {
 public:
  explicit OwnMemcached(std::vector<std::string> options = {}) : options_(std::move(options)) {
    { const UniqueFd socket = bound_socket(port_); }
    start();
  }
  ~OwnMemcached() { stop(); }
  OwnMemcached(const OwnMemcached&) = delete;
  OwnMemcached& operator=(const OwnMemcached&) = delete;

  [[nodiscard]] std::string dsn() const { return "memcached://127.0.0.1:" + std::to_string(port_); }
  [[nodiscard]] pid_t pid() const { return pid_; }

  /// Nobody runs meanwhile; the kernel still takes connections for it.
  void freeze() const {
    kill(pid_, SIGSTOP);
    waitpid(pid_, nullptr, WUNTRACED);  // until all its threads stand still
  }
  void thaw() const { kill(pid_, SIGCONT); }

  void start() {
    std::vector<std::string> words{memcached_variable("PRESENCE_TEST_MEMCACHED_PROGRAM"),
                                   "-l",
                                   "127.0.0.1",
                                   "-p",
                                   std::to_string(port_),
                                   "-U",
                                   "0"};
    if (geteuid() == 0) {
      words.insert(words.end(), {"-u", "root"});
    }
    words.insert(words.end(), options_.begin(), options_.end());
    std::vector<char*> arguments;
    for (std::string& word : words) {
      arguments.push_back(word.data());
    }
    arguments.push_back(nullptr);
    pid_ = fork();
    if (pid_ == 0) {
      execv(arguments[0], arguments.data());
      _exit(127);
    }
    for (int i = 0; i < 1000 && !connect_to(port_); ++i) {
      usleep(10'000);
    }
  }

  void stop() {
    if (pid_ > 0) {
      kill(pid_, SIGKILL);
      waitpid(pid_, nullptr, 0);
      pid_ = -1;
    }
  }

 private:
  std::vector<std::string> options_;
  int port_ = 0;
  pid_t pid_ = -1;
};

/// Tests on the servers of the environment, with connections of their own.
class MemcachedTest : public testing::Test {
 protected:
  void SetUp() override { need_memcached(); }

  std::unique_ptr<Store> open(const std::string& options = "", StoreOptions common = patient(fresh_key())) {
    key_ = common.key;
    return test::open(servers_, memcached_dsn() + options, common);
  }
  /// What another client reads there.
  [[nodiscard]] std::string stored(const std::string& suffix) const {
    return test::stored(memcached_dsn(), key_ + suffix);
  }
  void put(const std::string& suffix, unsigned flags, const std::string& value) const {
    test::put(memcached_dsn(), key_ + suffix, flags, value);
  }

  MemcachedServers servers_;
  std::string key_;  ///< Of the store opened last.
};

inline bool is_online(Store& store, std::string_view visitor, UnixTime now, int minutes = 5) {
  bool answer = false;
  const Status status = store.online({&visitor, 1}, {now, minutes}, {&answer, 1});
  EXPECT_TRUE(status.ok()) << status.error().message;
  return answer;
}

inline void expect_ok(const Status& status) { EXPECT_TRUE(status.ok()) << status.error().message; }

}  // namespace presence::test
