#include "stores/redis/redis_store.h"

#include <algorithm>
#include <charconv>

namespace presence {
void RedisStore::add_gone(RedisCommands& commands, std::span<const Seen> forgotten, UnixTime now) const {
  const std::string key = gone_key();
  in_batches(forgotten, [&](std::span<const Seen> batch) {
    commands.command("ZADD", 2 + 2 * batch.size()).arg(key).arg("GT");
    for (const Seen& one : batch) {
      commands.arg(one.time).arg(one.visitor);
    }
  });
  commands.add("ZREMRANGEBYSCORE", key, "-inf", "(" + std::to_string(expiry(now)));
  commands.add("EXPIRE", key, (options_.retention + 1) * 60);
}

void RedisStore::ask_gone(RedisCommands& commands, UnixTime since, UnixTime now) const {
  commands.add("ZRANGEBYSCORE", gone_key(), std::max(since, expiry(now)), "+inf", "WITHSCORES");
}

UnixTime RedisStore::time_of(const redisReply& score) {
  const std::string_view text = text_of(score);
  double time = 0;
  std::from_chars(text.data(), text.data() + text.size(), time);
  // Beyond this range, which no clock reaches, the conversion would be undefined.
  constexpr double kFar = 1e15;
  return static_cast<UnixTime>(time > kFar ? kFar : time < -kFar ? -kFar : time);
}

void RedisStore::tell_scored(const redisReply& reply, const Tell& tell) {
  const ReplyElements pairs(reply);
  for (std::size_t i = 0; i + 1 < pairs.size; i += 2) {
    tell({text_of(pairs[i]), time_of(pairs[i + 1])});
  }
}

}  // namespace presence
