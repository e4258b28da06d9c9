// A way to the test server on which the answers to commits get lost.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/dsn.h"
#include "base/unique_fd.h"
#include "unit/sinks/sink_under_test.h"

namespace presence::test {

/// What happens to a COMMIT on its way.
enum class Cut {
  never,
  before,  ///< The connection ends and the server never sees it.
  after,   ///< The server carries it out, and the connection ends before its answer.
};

/// Carries bytes between clients and the MySQL server of a DSN, which must be reached by TCP and in the clear. One
/// thread and one connection at a time serve well for what a sink does: it opens the next one after the last one broke.
class CuttingProxy {
 public:
  explicit CuttingProxy(const Dsn& server) {
    sockaddr_in here{};
    here.sin_family = AF_INET;
    here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    listener_ = UniqueFd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    EXPECT_EQ(bind(listener_.get(), reinterpret_cast<sockaddr*>(&here), sizeof here), 0);
    EXPECT_EQ(listen(listener_.get(), 8), 0);
    socklen_t size = sizeof here;
    EXPECT_EQ(getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&here), &size), 0);
    port_ = ntohs(here.sin_port);
    server_.sin_family = AF_INET;
    server_.sin_port = htons(static_cast<std::uint16_t>(server.hosts.at(0).port.value_or(3306)));
    EXPECT_EQ(inet_pton(AF_INET, server.hosts.at(0).name.c_str(), &server_.sin_addr), 1);
    thread_ = std::thread([this] { serve(); });
  }
  ~CuttingProxy() {
    ended_ = true;
    thread_.join();
  }
  CuttingProxy(const CuttingProxy&) = delete;
  CuttingProxy& operator=(const CuttingProxy&) = delete;

  /// The DSN with this proxy in the server's place, in the clear. The DSN has an explicit port.
  [[nodiscard]] std::string through(std::string dsn, const Dsn& parsed) const {
    dsn = without_tls(std::move(dsn));
    const std::string port = ":" + std::to_string(*parsed.hosts.at(0).port) + "/";
    return dsn.replace(dsn.find(port), port.size(), ":" + std::to_string(port_) + "/");
  }

  /// From here on, for the next `times` commits.
  void cut(Cut how, int times = 1) {
    how_ = how;
    left_ = times;
  }

  [[nodiscard]] int cuts() const { return cuts_; }

 private:
  static constexpr int kLook = 20;  // Milliseconds until it looks whether the test is over.

  void serve() {
    std::vector<std::thread> connections;
    while (!ended_) {
      pollfd waiting{listener_.get(), POLLIN, 0};
      if (poll(&waiting, 1, kLook) == 1) {
        connections.emplace_back(
            [this, fd = accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC)] { carry(UniqueFd(fd)); });
      }
    }
    for (std::thread& connection : connections) {
      connection.join();
    }
  }

  void carry(UniqueFd client) {
    UniqueFd server(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (connect(server.get(), reinterpret_cast<const sockaddr*>(&server_), sizeof server_) != 0) {
      return;
    }
    // Length 7, packet 0, COM_QUERY.
    constexpr std::string_view kCommit(
        "\x07\x00\x00\x00\x03"
        "COMMIT",
        11);
    std::array<char, 65536> bytes;
    bool drop_answer = false;
    while (!ended_) {
      std::array<pollfd, 2> ends{{{client.get(), POLLIN, 0}, {server.get(), POLLIN, 0}}};
      if (poll(ends.data(), ends.size(), kLook) <= 0) {
        continue;
      }
      const bool from_client = ends[0].revents != 0;
      const ssize_t got = ::read(from_client ? client.get() : server.get(), bytes.data(), bytes.size());
      if (got <= 0 || (!from_client && drop_answer)) {
        return;
      }
      const std::string_view text(bytes.data(), static_cast<std::size_t>(got));
      if (from_client && text == kCommit && how_ != Cut::never && left_ > 0) {
        --left_;
        ++cuts_;
        if (how_ == Cut::before) {
          return;
        }
        drop_answer = true;
      }
      if (::write(from_client ? server.get() : client.get(), bytes.data(), static_cast<std::size_t>(got)) != got) {
        return;
      }
    }
  }

  UniqueFd listener_;
  sockaddr_in server_{};
  std::uint16_t port_ = 0;
  std::atomic<bool> ended_ = false;
  std::atomic<Cut> how_ = Cut::never;
  std::atomic<int> left_ = 0;
  std::atomic<int> cuts_ = 0;
  std::thread thread_;
};

}  // namespace presence::test
