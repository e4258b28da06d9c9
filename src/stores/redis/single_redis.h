// A Redis server that is always at one place.
#pragma once

#include <memory>
#include <utility>

#include "stores/circuit_breaker.h"
#include "stores/redis/redis_server.h"

namespace presence {

class SingleRedis final : public RedisServer {
 public:
  /// `tls`: null for none.
  SingleRedis(const RedisAddress& address, std::shared_ptr<RedisTlsContext> tls)
      : connection_(address.endpoints.front(), address.login, std::move(tls), address.place) {}

  Result<RedisReplies> run(const RedisCommands& commands, double timeout) override;
  [[nodiscard]] RedisTraffic traffic() const override { return connection_.traffic(); }

 private:
  [[nodiscard]] bool breaker_open() const override { return breaker_.open(clock::monotonic()); }

  RedisConnection connection_;
  CircuitBreaker breaker_;
};

}  // namespace presence
