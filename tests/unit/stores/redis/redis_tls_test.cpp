// Redis over TLS: who is believed, and that nothing is said to anybody else.
#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "unit/stores/redis/redis_cluster.h"
#include "unit/stores/redis/redis_under_test.h"

#if defined(PRESENCE_HAVE_REDIS) && defined(PRESENCE_HAVE_TLS)

namespace presence {
namespace {

using test::certificate;
using test::open_redis;
using test::RedisProcess;

constexpr UnixTime kNow = 1'800'000'000;

/// A server whose TLS port is the only one.
class TlsServer {
 public:
  explicit TlsServer(bool mutual = false, std::vector<std::string> more = {})
      : port_(test::free_port()), process_(options(port_, mutual, std::move(more))) {}

  RedisProcess& operator*() { return process_; }
  RedisProcess* operator->() { return &process_; }
  [[nodiscard]] std::string dsn(const std::string& options, const std::string& host = "127.0.0.1",
                                const std::string& login = "") const {
    return "rediss://" + login + host + ":" + std::to_string(port_) + options;
  }

 private:
  static std::vector<std::string> options(int port, bool mutual, std::vector<std::string> more) {
    std::vector<std::string> all = test::tls_options(mutual);
    all.insert(all.end(), {"--tls-port", std::to_string(port), "--bind", "127.0.0.1"});
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  int port_;
  RedisProcess process_;
};

class RedisTlsTest : public testing::Test {
 protected:
  void SetUp() override { PRESENCE_NEEDS_REDIS(); }

  std::unique_ptr<Store> open(const std::string& dsn, double timeout = 10) {
    StoreOptions options;
    options.key = "users:online";
    options.timeout = timeout;
    return open_redis(servers_, dsn, options);
  }
  void expect_refused(const std::string& dsn, const std::string& part, double timeout = 10) {
    const Status status = open(dsn, timeout)->record("1", kNow);
    ASSERT_FALSE(status.ok()) << part;
    EXPECT_EQ(status.error().code, ErrorCode::unavailable) << status.error().message;
    EXPECT_NE(status.error().message.find(part), std::string::npos) << status.error().message;
    EXPECT_EQ(status.error().message.find("s3cret"), std::string::npos) << status.error().message;
  }

  std::string trusted_ = "?ssl_ca=" + certificate("ca.pem");
  RedisServers servers_;
};

TEST_F(RedisTlsTest, RecordsAndCountsWithALogin) {
  TlsServer server(false, {"--requirepass", "s3cret", "--databases", "4"});
  const std::string dsn = server.dsn("/3" + trusted_, "127.0.0.1", ":s3cret@");
  ASSERT_TRUE(open(dsn)->record("1", kNow).ok());
  EXPECT_EQ(open(dsn)->count({kNow, 5}).value(), 1);
  expect_refused(server.dsn(trusted_, "127.0.0.1", ":wrong@"), "refused the user or password");
}

TEST_F(RedisTlsTest, WhoeverIsNotTrustedIsToldNothing) {
  TlsServer server(false, {"--requirepass", "s3cret"});
  expect_refused(server.dsn("?ssl_ca=" + certificate("wrong-ca.pem"), "127.0.0.1", ":s3cret@"), "is not trusted");
  // Whom the system trusts.
  expect_refused(server.dsn("", "127.0.0.1", ":s3cret@"), "by the option \"ssl_ca\"");
  test::RedisAdmin admin = server->admin();
  ASSERT_EQ(admin("AUTH s3cret").text, "OK");
  const std::string stats = admin("INFO commandstats").text;
  EXPECT_EQ(stats.find("cmdstat_zadd"), std::string::npos) << stats;
}

TEST_F(RedisTlsTest, TheNameIsCheckedAndCanBeAnother) {
  TlsServer server;
  // The certificate is for 127.0.0.1.
  expect_refused(server.dsn(trusted_, "localhost"), "is not for \"localhost\"");
  expect_refused(server.dsn(trusted_ + "&ssl_name=redis.example"), "is not for \"redis.example\"");
  EXPECT_TRUE(open(server.dsn(trusted_ + "&ssl_name=127.0.0.1", "localhost"))->record("1", kNow).ok());
}

TEST_F(RedisTlsTest, AServerMayWantACertificateOfUs) {
  TlsServer server(true);
  expect_refused(server.dsn(trusted_), "\"ssl_cert\" and \"ssl_key\"");
  const std::string own = trusted_ + "&ssl_cert=" + certificate("server.pem") + "&ssl_key=";
  EXPECT_TRUE(open(server.dsn(own + certificate("server.key")))->record("1", kNow).ok());
  expect_refused(server.dsn(own + certificate("ca.key")), "the option \"ssl_key\" cannot be used");
  expect_refused(server.dsn(own + "/nonexistent"), "the option \"ssl_key\" cannot be used");
}

TEST_F(RedisTlsTest, FilesThatCannotBeReadAreNamedAndReadAgainLater) {
  TlsServer server;
  const TempFolder folder;
  const std::string dsn = server.dsn("?ssl_ca=" + folder.file("ca.pem"));
  expect_refused(dsn, "the file of the option \"ssl_ca\" cannot be used");
  // Another authority's at first, then that of this server: as when certificates are exchanged while workers run.
  const auto store = open(server.dsn("?ssl_name=127.0.0.1&ssl_ca=" + folder.file("ca.pem")));
  std::filesystem::copy_file(certificate("wrong-ca.pem"), folder.file("ca.pem"));
  EXPECT_FALSE(store->record("1", kNow).ok());
  std::filesystem::copy_file(certificate("ca.pem"), folder.file("ca.pem"),
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_TRUE(test::eventually([&] { return store->record("1", kNow).ok(); }));
}

TEST_F(RedisTlsTest, AFrozenServerCostsOneTimeoutInTheHandshakeToo) {
  TlsServer server;
  server->freeze();
  const double began = clock::monotonic();
  expect_refused(server.dsn(trusted_), "did not answer to TLS in time", 0.2);
  EXPECT_GE(clock::monotonic() - began, 0.19);
  EXPECT_LT(clock::monotonic() - began, 5);
  server->thaw();
}

TEST_F(RedisTlsTest, AFrozenServerCostsOneTimeoutInACall) {
  TlsServer server;
  const auto store = open(server.dsn(trusted_), 0.3);
  ASSERT_TRUE(store->record("1", kNow).ok());
  server->freeze();
  const Status status = store->record("1", kNow);
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().message.find("did not answer in time"), std::string::npos) << status.error().message;
  server->thaw();
}

TEST_F(RedisTlsTest, WhatSpeaksNoTlsGetsNothingInTheClear) {
  // Says what a plain Redis would, and keeps what it hears.
  const UniqueFd listener(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ASSERT_EQ(bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), size), 0);
  ASSERT_EQ(listen(listener.get(), 4), 0);
  ASSERT_EQ(getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
  std::array<int, 2> heard;
  ASSERT_EQ(pipe2(heard.data(), O_CLOEXEC), 0);
  const UniqueFd reader(heard[0]);
  UniqueFd writer(heard[1]);
  const pid_t child = fork();
  if (child == 0) {
    const int client = accept(listener.get(), nullptr, nullptr);
    static_cast<void>(write(client, "+PONG\r\n", 7));
    std::array<char, 4096> bytes;
    for (ssize_t got = 1; got > 0;) {
      got = read(client, bytes.data(), bytes.size());
      static_cast<void>(write(writer.get(), bytes.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0))));
    }
    _exit(0);
  }
  writer.reset();
  expect_refused("rediss://:s3cret@127.0.0.1:" + std::to_string(ntohs(address.sin_port)) + trusted_,
                 "does not speak TLS");
  std::string all;
  std::array<char, 4096> bytes;
  for (ssize_t got = 0; (got = read(reader.get(), bytes.data(), bytes.size())) > 0;) {
    all.append(bytes.data(), static_cast<std::size_t>(got));
  }
  waitpid(child, nullptr, 0);
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(all[0], '\x16') << "the record type of a handshake";
  EXPECT_EQ(all.find("s3cret"), std::string::npos);
  EXPECT_EQ(all.find("AUTH"), std::string::npos);
}

TEST_F(RedisTlsTest, APlainServerIsNotTalkedToInTheClear) {
  const int port = test::free_port();
  const RedisProcess plain({"--port", std::to_string(port), "--bind", "127.0.0.1"});
  expect_refused("rediss://127.0.0.1:" + std::to_string(port) + trusted_, "TLS", 0.5);
}

TEST_F(RedisTlsTest, MoreThanTheKernelTakesAtOnceArrivesWhole) {
  TlsServer server;
  const auto store = open(server.dsn(trusted_), 60);
  std::vector<std::string> names;
  for (int i = 0; i < 20'000; ++i) {
    names.push_back(std::to_string(i) + std::string(200, 'x'));
  }
  std::vector<Seen> seen;
  for (const std::string& name : names) {
    seen.push_back({name, kNow});
  }
  const Status recorded = store->record_all(seen, kNow);
  ASSERT_TRUE(recorded.ok()) << recorded.error().message;
  Result<std::vector<std::string>> ids = store->ids({kNow, 5});
  ASSERT_TRUE(ids.ok()) << ids.error().message;
  std::sort(ids->begin(), ids->end());
  std::sort(names.begin(), names.end());
  EXPECT_TRUE(*ids == names) << ids->size();
}

TEST_F(RedisTlsTest, ARestartedServerIsFoundAgainWithinTheCall) {
  TlsServer server;
  const auto store = open(server.dsn(trusted_));
  ASSERT_TRUE(store->record("1", kNow).ok());
  server->kill();
  server->start();
  const Status status = store->record("2", kNow);
  EXPECT_TRUE(status.ok()) << status.error().message;
}

TEST_F(RedisTlsTest, AForkedChildHasAConnectionOfItsOwnAndLeavesTheParentsAlone) {
  TlsServer server;
  const auto store = open(server.dsn(trusted_));
  test::expect_a_fork_leaves_the_connection_alone(*store);
}

TEST_F(RedisTlsTest, AClusterIsTalkedToByTlsOnly) {
  std::vector<std::string> tls = test::tls_options();
  tls.insert(tls.end(), {"--tls-cluster", "yes", "--port", "0"});
  const test::Cluster cluster(tls);
  for (int i = 0; i < 3; ++i) {
    StoreOptions options;
    options.key = test::Cluster::key_on(i);
    options.timeout = 10;
    const auto store = open_redis(servers_, cluster.dsn(trusted_ + "&strategy=sets"), options);
    const Status recorded = store->record("1", kNow);
    ASSERT_TRUE(recorded.ok()) << recorded.error().message;
    EXPECT_EQ(store->count({kNow, 5}).value(), 1);
  }
}

}  // namespace
}  // namespace presence

#endif  // PRESENCE_HAVE_REDIS && PRESENCE_HAVE_TLS
