// How many visitors, and not who: one HyperLogLog for each minute.
#pragma once

#include "stores/redis/minute_keys_store.h"

namespace presence {

/// PFADD key:hll:<minute> visitor, and EXPIRE; PFCOUNT over the window's keys. At most 12 KB a minute however many
/// visitors, with a standard error of 0.81 % (https://redis.io/docs/latest/commands/pfcount/). Exact to the minute.
/// Knows no single visitor.
class HllStore final : public MinuteKeysStore {
 public:
  HllStore(std::shared_ptr<RedisServer> server, StoreOptions options)
      : MinuteKeysStore(std::move(server), std::move(options), ":hll", "PFADD") {}

  Result<std::int64_t> count(const Window& window) override;
  Result<std::vector<std::string>> ids(const Window& window) override;
  Status online(std::span<const std::string_view> visitors, const Window& window, std::span<bool> answers) override;
  Result<UnixTime> last_seen(std::string_view visitor, UnixTime now) override;
  Status forget(std::string_view visitor, UnixTime now) override;
  Status replace(std::string_view from, std::string_view to, UnixTime now) override;
  [[nodiscard]] Status forgets() const override;
};

}  // namespace presence
