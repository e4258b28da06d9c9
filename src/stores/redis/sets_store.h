// Visitors in one set for each minute.
#pragma once

#include "stores/redis/minute_keys_store.h"

namespace presence {

/// The recipe "one set per minute": SADD key:<minute> visitor, and EXPIRE. Exact to the minute, with ids; last seen by
/// the minute. The number of ids in several sets is worked out by the server, in a script, with a set that exists only
/// while it runs and is seen neither by replicas nor on disk.
class SetsStore final : public MinuteKeysStore {
 public:
  SetsStore(std::shared_ptr<RedisServer> server, StoreOptions options)
      : MinuteKeysStore(std::move(server), std::move(options), "", "SADD") {}

  Result<std::int64_t> count(const Window& window) override;
  Result<std::vector<std::string>> ids(const Window& window) override;
  Status online(std::span<const std::string_view> visitors, const Window& window, std::span<bool> answers) override;
  Result<UnixTime> last_seen(std::string_view visitor, UnixTime now) override;
  Status forget(std::string_view visitor, UnixTime now) override;
  Status forget_all(std::span<const Seen> forgotten, UnixTime now) override;
  Status replace(std::string_view from, std::string_view to, UnixTime now) override;
  Status changes(UnixTime since, UnixTime now, const Tell& each, const Tell& gone) override;
  [[nodiscard]] UnixTime time_unit() const override { return 60; }
};

}  // namespace presence
