#include "stores/redis/minute_keys_store.h"

#include <algorithm>
#include <map>

namespace presence {
std::vector<std::string> MinuteKeysStore::keys(std::int64_t first, UnixTime now) const {
  std::vector<std::string> keys;
  for (std::int64_t minute = minute_of(now); minute >= first; --minute) {
    keys.push_back(key(minute));
  }
  return keys;
}

void MinuteKeysStore::add_expiry(RedisCommands& commands, const std::string& key) const {
  commands.add("EXPIRE", key, (options_.retention + 1) * 60);
}

Status MinuteKeysStore::record(std::string_view visitor, UnixTime now) {
  const std::string key = this->key(minute_of(now));
  RedisCommands commands(key);
  // One transaction: a key that is made always ends.
  commands.multi();
  commands.add(add_, key, visitor);
  add_expiry(commands, key);
  commands.exec();
  return write(commands);
}

Status MinuteKeysStore::record_all(std::span<const Seen> seen, UnixTime now) {
  std::map<std::int64_t, std::vector<std::string_view>> minutes;
  for (const Seen& one : seen) {
    if (one.time >= expiry(now)) {
      minutes[minute_of(one.time)].push_back(one.visitor);
    }
  }
  if (minutes.empty()) {
    return {};
  }
  RedisCommands commands(key(minute_of(now)));
  for (const auto& [minute, visitors] : minutes) {
    const std::string key = this->key(minute);
    commands.multi();
    in_batches(visitors, [&](std::span<const std::string_view> batch) {
      commands.command(add_, 1 + batch.size()).arg(key);
      for (const std::string_view visitor : batch) {
        commands.arg(visitor);
      }
    });
    add_expiry(commands, key);
    commands.exec();
  }
  return write(commands);
}

}  // namespace presence
