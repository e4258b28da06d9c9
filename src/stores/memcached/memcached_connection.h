// The connection to one Memcached server.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "base/deadline.h"
#include "base/result.h"
#include "base/unique_fd.h"
#include "stores/circuit_breaker.h"
#include "stores/memcached/memcached_protocol.h"

namespace presence {

/// Where a server is: a host and port, or a Unix socket.
struct MemcachedAddress {
  std::string host;    ///< Name or address; empty with a socket.
  int port = 11211;    ///< 1 to 65535.
  std::string socket;  ///< Path; empty with a host.

  /// For people: "host:port", or the path.
  [[nodiscard]] std::string text() const;
};

/// Connects when there is something to say, and stays connected. Belongs to one thread and one process: a forked child
/// closes its copy without a word, and connects anew. Closed after anything but a sound reply. Calls never block;
/// MemcachedServerList waits for all its connections at once.
class MemcachedConnection {
 public:
  explicit MemcachedConnection(MemcachedAddress address) : address_(std::move(address)) {}

  /// Makes sure of a connection, within the deadline; only looking up a host name may take longer. Errors: unavailable,
  /// also while the breaker is open.
  Status prepare(const Deadline& deadline);
  /// Says something; prepare() came before, and complete() is true.
  void begin(std::unique_ptr<MemcachedConversation> conversation);
  /// Sends and receives what can be sent and received now. Error: unavailable; the connection is closed then.
  Status advance();
  /// Whether all is sent and all replies are there.
  [[nodiscard]] bool complete() const { return conversation_ == nullptr; }
  /// Not all replies came in time: closes the connection.
  Error timed_out();
  /// Closes the connection if replies are still to come, which nobody waits for any more.
  void abandon();

  [[nodiscard]] int descriptor() const { return socket_.get(); }
  /// What poll(2) has to wait for.
  [[nodiscard]] short events() const;
  [[nodiscard]] const CircuitBreaker& breaker() const { return breaker_; }
  [[nodiscard]] const MemcachedAddress& address() const { return address_; }

 private:
  Status connect(const Deadline& deadline);
  Status connect_host(const Deadline& deadline);
  /// Closes the connection, and keeps away from the server for a while.
  Error failed(std::string message);
  Status send_some();
  Status receive_some();

  MemcachedAddress address_;
  CircuitBreaker breaker_;
  UniqueFd socket_;
  std::uint32_t forks_ = 0;  ///< forks::count() when the socket was opened.
  std::unique_ptr<MemcachedConversation> conversation_;
  std::size_t sent_ = 0;  ///< Of the conversation's request.
  std::string received_;  ///< Not yet taken by the conversation.
};

}  // namespace presence
