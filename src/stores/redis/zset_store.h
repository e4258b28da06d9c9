// Visitors in one sorted set, scored by the time they were last seen.
#pragma once

#include "stores/redis/redis_store.h"

namespace presence {

/// The recipe "sorted set": ZADD key time visitor. Exact to the second, with ids and times, and everything else that a
/// store may be asked. The set is purged by the calls that record, once a minute in each process. A room's set ends
/// when nobody was there for the retention; the others never do, as other programs may write to them.
class ZsetStore final : public RedisStore {
 public:
  ZsetStore(std::shared_ptr<RedisServer> server, StoreOptions options)
      : RedisStore(std::move(server), std::move(options)) {}

  Status record(std::string_view visitor, UnixTime now) override;
  Status record_all(std::span<const Seen> seen, UnixTime now) override;
  Result<std::int64_t> count(const Window& window) override;
  Result<std::vector<std::string>> ids(const Window& window) override;
  Status online(std::span<const std::string_view> visitors, const Window& window, std::span<bool> answers) override;
  Result<UnixTime> last_seen(std::string_view visitor, UnixTime now) override;
  Status forget(std::string_view visitor, UnixTime now) override;
  Status forget_all(std::span<const Seen> forgotten, UnixTime now) override;
  Status replace(std::string_view from, std::string_view to, UnixTime now) override;
  Status purge(UnixTime now) override;
  Status changes(UnixTime since, UnixTime now, const Tell& each, const Tell& gone) override;

 private:
  void add_purge(RedisCommands& commands, UnixTime now) const;
  void add_room_expiry(RedisCommands& commands) const;
};

}  // namespace presence
