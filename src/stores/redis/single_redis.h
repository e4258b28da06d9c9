// A Redis server that is always at one place.
#pragma once

#include <string>

#include "stores/circuit_breaker.h"
#include "stores/redis/redis_server.h"

namespace presence {

class SingleRedis final : public RedisServer {
 public:
  explicit SingleRedis(const RedisAddress& address)
      : connection_(address.endpoints.front(), address.login, address.place) {}

  Result<RedisReplies> run(const RedisCommands& commands, double timeout) override;
  [[nodiscard]] StoreHealth health() const override;
  [[nodiscard]] RedisTraffic traffic() const override { return connection_.traffic(); }

 private:
  void note(const Error& error);

  RedisConnection connection_;
  CircuitBreaker breaker_;
  std::string last_error_;  ///< Also what the server refused, which is no reason to stay away from it.
  UnixTime last_error_time_ = 0;
};

}  // namespace presence
