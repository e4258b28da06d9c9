#include "stores/redis/redis_server.h"

namespace presence {

bool RedisServer::chores_due(const std::string& key, UnixTime now) {
  const std::int64_t minute = minute_of(now);
  if (const auto done = chores_.find(key); done != chores_.end()) {
    const bool due = done->second != minute;
    done->second = minute;
    return due;
  }
  if (chores_.size() >= kMaxKeys) {
    chores_.clear();
  }
  chores_.emplace(key, minute);
  return true;
}

}  // namespace presence
