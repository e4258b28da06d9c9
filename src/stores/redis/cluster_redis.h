// A Redis Cluster: each call goes to the node that has the key's slot.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "stores/circuit_breaker.h"
#include "stores/redis/redis_server.h"

namespace presence {

/// Learns who has a slot from the nodes' own redirections (MOVED) and remembers it: a Presence key has one slot, so the
/// whole map is not needed. The first call of a key may take two round trips, as may one after slots were moved. When a
/// node does not answer, the others are asked who has taken over.
class ClusterRedis final : public RedisServer {
 public:
  /// `tls`: null for none.
  ClusterRedis(RedisAddress address, std::shared_ptr<RedisTlsContext> tls)
      : address_(std::move(address)), tls_(std::move(tls)) {}

  Result<RedisReplies> run(const RedisCommands& commands, double timeout) override;
  [[nodiscard]] bool cluster() const override { return true; }
  [[nodiscard]] RedisTraffic traffic() const override;

 private:
  /// From node to node at most so often in one call.
  static constexpr int kMaxHops = 8;

  struct Node {
    RedisConnection connection;
    CircuitBreaker breaker;
  };
  /// Where a call goes next.
  struct Target {
    RedisEndpoint endpoint;
    bool asking = false;
  };

  [[nodiscard]] bool breaker_open() const override;
  Node& node(const RedisEndpoint& endpoint);
  [[nodiscard]] Target first_target(unsigned slot) const;
  /// A node that was not asked in this call yet.
  [[nodiscard]] std::optional<Target> another(const std::vector<std::string>& asked) const;
  /// What the node of `from` answers "MOVED slot host:port" or "ASK slot host:port" with. None if it is neither.
  std::optional<Target> redirection(std::string_view answer, const RedisEndpoint& from, unsigned slot);

  RedisAddress address_;
  std::shared_ptr<RedisTlsContext> tls_;
  std::map<std::string, Node> nodes_;  ///< By RedisEndpoint::text().
  std::unordered_map<unsigned, RedisEndpoint> owners_;
};

}  // namespace presence
