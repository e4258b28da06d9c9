// A Redis server that is always at one place.
#pragma once

#include "stores/circuit_breaker.h"
#include "stores/redis/redis_server.h"

namespace presence {

class SingleRedis final : public RedisServer {
 public:
  explicit SingleRedis(const RedisAddress& address)
      : connection_(address.endpoints.front(), address.login, address.place) {}

  Result<RedisReplies> run(const RedisCommands& commands, double timeout) override;
  [[nodiscard]] RedisTraffic traffic() const override { return connection_.traffic(); }

 private:
  [[nodiscard]] bool breaker_open() const override { return breaker_.open(clock::monotonic()); }

  RedisConnection connection_;
  CircuitBreaker breaker_;
};

}  // namespace presence
