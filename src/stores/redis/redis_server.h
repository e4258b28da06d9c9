// The server, or servers, that the strategies talk to.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "base/clock.h"
#include "base/result.h"
#include "stores/redis/redis_commands.h"
#include "stores/redis/redis_connection.h"
#include "stores/redis/redis_replies.h"
#include "stores/store.h"

namespace presence {

/// What one DSN leads to. Lives on from one request to the next.
class RedisServer {
 public:
  virtual ~RedisServer() = default;

  /// Runs the commands within `timeout` seconds, connecting included. All answers are ones: an error among them, also
  /// within a transaction, is an Error that says what to do. See redis_error() for the codes.
  virtual Result<RedisReplies> run(const RedisCommands& commands, double timeout) = 0;

  /// Whether keys must share a hash tag for one call to concern all of them.
  [[nodiscard]] virtual bool cluster() const { return false; }
  [[nodiscard]] StoreHealth health() const { return {last_error_, last_error_time_, breaker_open()}; }
  /// Over all connections, those that ended included.
  [[nodiscard]] virtual RedisTraffic traffic() const = 0;

  /// True once a minute for each key: what must be done now and then is done by this call.
  bool chores_due(const std::string& key, UnixTime now);

 protected:
  [[nodiscard]] virtual bool breaker_open() const = 0;
  /// The error, remembered for health(): also what a server refused, which is no reason to stay away from it.
  Error noted(Error error);

 private:
  /// So many keys and rooms are remembered; for more, chores are done more often.
  static constexpr std::size_t kMaxKeys = 1024;

  std::unordered_map<std::string, std::int64_t> chores_;  ///< Key to the minute in which they were done last.
  std::string last_error_;
  UnixTime last_error_time_ = 0;
};

}  // namespace presence
