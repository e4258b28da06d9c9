#include "stores/redis/redis_store.h"

#include <algorithm>
#include <charconv>

namespace presence {
namespace {

/// So many visitors go into one command: enough to save bytes, and little enough for other clients to get their turn.
constexpr std::size_t kBatch = 1000;

}  // namespace

void RedisStore::add_gone(RedisCommands& commands, std::span<const Seen> forgotten, UnixTime now) const {
  const std::string key = gone_key();
  for (std::size_t begin = 0; begin < forgotten.size(); begin += kBatch) {
    const std::span<const Seen> batch = forgotten.subspan(begin, std::min(kBatch, forgotten.size() - begin));
    commands.command("ZADD", 2 + 2 * batch.size()).arg(key).arg("GT");
    for (const Seen& one : batch) {
      commands.arg(one.time).arg(one.visitor);
    }
  }
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
