// The master that sentinels know, wherever it is by now.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "stores/circuit_breaker.h"
#include "stores/redis/redis_server.h"

namespace presence {

/// Asks the sentinels where the master is whenever it has to connect: a master that becomes a replica ends its clients'
/// connections. Sentinels are asked without a password.
class SentinelRedis final : public RedisServer {
 public:
  /// `tls`: null for none; else for the sentinels as well as for the master.
  SentinelRedis(const RedisAddress& address, std::shared_ptr<RedisTlsContext> tls);

  Result<RedisReplies> run(const RedisCommands& commands, double timeout) override;
  [[nodiscard]] RedisTraffic traffic() const override;

 private:
  [[nodiscard]] bool breaker_open() const override { return breaker_.open(clock::monotonic()); }
  Result<RedisReplies> ask_master(const RedisCommands& commands, const Deadline& deadline);
  Result<RedisEndpoint> find_master(const Deadline& deadline);
  Error failed(Error error);

  RedisAddress address_;
  std::shared_ptr<RedisTlsContext> tls_;
  std::vector<RedisConnection> sentinels_;  ///< The one that answered last is the first.
  std::optional<RedisConnection> master_;
  RedisTraffic before_;  ///< Of masters that are no more.
  CircuitBreaker breaker_;
};

}  // namespace presence
