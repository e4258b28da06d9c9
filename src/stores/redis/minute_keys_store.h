// Visitors under one key for each minute.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "stores/redis/redis_store.h"

namespace presence {

/// What the strategies sets and hll share: one key a minute, which holds whoever was seen in it and lives for the
/// retention and a minute after its last record. A window covers the running minute and those before it, as many as it
/// has minutes. Nothing is left to purge.
class MinuteKeysStore : public RedisStore {
 public:
  /// Minutes; the keys of all of them are named in one command.
  static constexpr int kLongestRetention = 1440;

  Status record(std::string_view visitor, UnixTime now) override;
  Status record_all(std::span<const Seen> seen, UnixTime now) override;
  Status purge(UnixTime /*now*/) override { return {}; }
  [[nodiscard]] UnixTime since(const Window& window) const override {
    return 60 * (minute_of(window.now) - (window.minutes - 1));
  }

 protected:
  /// `infix`: stands between the key and ":<minute>". `add`: the command that adds members to a key.
  MinuteKeysStore(std::shared_ptr<RedisServer> server, StoreOptions options, std::string_view infix,
                  std::string_view add)
      : RedisStore(std::move(server), std::move(options)), prefix_(key_prefix() + std::string(infix)), add_(add) {}

  [[nodiscard]] std::string key(std::int64_t minute) const { return prefix_ + ':' + std::to_string(minute); }
  [[nodiscard]] const std::string& prefix() const { return prefix_; }
  /// The keys of the minutes from `first` to that of `now`, the newest first.
  [[nodiscard]] std::vector<std::string> keys(std::int64_t first, UnixTime now) const;
  [[nodiscard]] std::vector<std::string> keys(const Window& window) const {
    return keys(minute_of(window.now) - (window.minutes - 1), window.now);
  }
  /// The first minute that the retention still holds.
  [[nodiscard]] std::int64_t oldest(UnixTime now) const { return minute_of(expiry(now)); }

 private:
  void add_expiry(RedisCommands& commands, const std::string& key) const;

  std::string prefix_;
  std::string_view add_;
};

}  // namespace presence
