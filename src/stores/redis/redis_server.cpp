#include "stores/redis/redis_server.h"

#include <utility>

namespace presence {

Error RedisServer::noted(Error error) {
  last_error_ = error.message;
  last_error_time_ = clock::now();
  return error;
}

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
