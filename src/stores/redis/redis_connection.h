// One connection to one Redis server.
#pragma once

#include <hiredis/hiredis.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/deadline.h"
#include "base/result.h"
#include "stores/redis/redis_address.h"
#include "stores/redis/redis_commands.h"
#include "stores/redis/redis_replies.h"
#include "stores/redis/redis_socket.h"

namespace presence {

/// What went over the wire so far.
struct RedisTraffic {
  std::uint64_t round_trips = 0;
  std::uint64_t bytes_sent = 0;
  std::uint64_t bytes_received = 0;

  RedisTraffic& operator+=(const RedisTraffic& other) {
    round_trips += other.round_trips;
    bytes_sent += other.bytes_sent;
    bytes_received += other.bytes_received;
    return *this;
  }
};

/// Connects and logs in when it is first used, and stays connected until something goes wrong: a timeout, an answer
/// that is no RESP, a closed connection. A forked child gives up its copy silently and connects by itself.
class RedisConnection {
 public:
  /// `tls`: null for none. `place`: the server, for people; messages begin with it.
  RedisConnection(RedisEndpoint endpoint, RedisLogin login, std::shared_ptr<RedisTlsContext> tls, std::string place);

  /// Sends all commands in one write and reads all answers, errors of the server among them. If a connection kept from
  /// earlier turns out to be closed, it connects again and sends them once more: commands are such that doing them
  /// twice does no harm. Error: unavailable, also when the deadline passes or the server refuses the login.
  Result<RedisReplies> run(const RedisCommands& commands, const Deadline& deadline);

  /// The same without the second attempt: for whoever asks first where the server is by now.
  Result<RedisReplies> run_once(const RedisCommands& commands, const Deadline& deadline);

  /// Whether a connection was kept from earlier.
  [[nodiscard]] bool connected() const;
  /// Whether the last call failed before anything was answered to it.
  [[nodiscard]] bool unheard() const { return !answered_; }

  /// Ends the connection.
  void drop();

  [[nodiscard]] const RedisEndpoint& endpoint() const { return endpoint_; }
  [[nodiscard]] const std::string& place() const { return place_; }
  [[nodiscard]] const RedisTraffic& traffic() const { return traffic_; }

 private:
  struct FreeReader {
    void operator()(redisReader* reader) const { redisReaderFree(reader); }
  };
  /// What is there while connected.
  struct Wire {
    RedisSocket socket;
    std::unique_ptr<redisReader, FreeReader> reader;
    std::uint32_t forks;  ///< forks::count() of the process it belongs to.
  };

  Status connect(const Deadline& deadline);
  Status log_in(const Deadline& deadline);
  Result<RedisReplies> exchange(const RedisCommands& commands, const Deadline& deadline);
  /// Takes all complete answers out of what was received.
  Status take_replies(std::size_t wanted, RedisReplies& replies);
  [[nodiscard]] Error failure(const Error& error) const;

  RedisEndpoint endpoint_;
  RedisLogin login_;
  std::shared_ptr<RedisTlsContext> tls_;
  std::string place_;
  std::optional<Wire> wire_;
  RedisTraffic traffic_;
  bool answered_ = false;  ///< Something came back to the running or last call.
};

}  // namespace presence
