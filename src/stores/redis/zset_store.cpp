#include "stores/redis/zset_store.h"

#include <charconv>

namespace presence {
namespace {

/// So many visitors go into one command: enough to save bytes, and little enough for other clients to get their turn.
constexpr std::size_t kBatch = 1000;

/// In one step, so that nobody sees the visitor twice or not at all. GT: the later time stays.
constexpr std::string_view kReplace =
    "local s=redis.call('ZSCORE',KEYS[1],ARGV[1]) "
    "if s and ARGV[1]~=ARGV[2] and tonumber(s)>=tonumber(ARGV[3]) then "
    "redis.call('ZADD',KEYS[1],'GT',s,ARGV[2]) redis.call('ZREM',KEYS[1],ARGV[1]) end";

/// A score is a double on the wire; another program may have written one with a fraction.
UnixTime time_of(const redisReply& score) {
  const std::string_view text = text_of(score);
  double time = 0;
  std::from_chars(text.data(), text.data() + text.size(), time);
  // Beyond this range, which no clock reaches, the conversion would be undefined.
  constexpr double kFar = 1e15;
  return static_cast<UnixTime>(time > kFar ? kFar : time < -kFar ? -kFar : time);
}

}  // namespace

void ZsetStore::add_purge(RedisCommands& commands, UnixTime now) const {
  // Exclusive: a window as long as the retention still counts who was seen at its first second.
  commands.add("ZREMRANGEBYSCORE", options_.key, "-inf", "(" + std::to_string(expiry(now)));
}

void ZsetStore::add_room_expiry(RedisCommands& commands) const {
  commands.add("EXPIRE", options_.key, (options_.retention + 1) * 60);
}

Status ZsetStore::record(std::string_view visitor, UnixTime now) {
  RedisCommands commands(options_.key);
  if (options_.room) {
    commands.multi();
  }
  commands.add("ZADD", options_.key, now, visitor);
  if (options_.room) {
    add_room_expiry(commands);
    commands.exec();
  }
  if (server_->chores_due(options_.key, now)) {
    add_purge(commands, now);
  }
  return write(commands);
}

Status ZsetStore::record_all(std::span<const Seen> seen, UnixTime now) {
  std::vector<const Seen*> kept;
  kept.reserve(seen.size());
  for (const Seen& one : seen) {
    if (one.time >= expiry(now)) {
      kept.push_back(&one);
    }
  }
  if (kept.empty()) {
    return {};
  }
  RedisCommands commands(options_.key);
  for (std::size_t begin = 0; begin < kept.size(); begin += kBatch) {
    const std::size_t size = std::min(kBatch, kept.size() - begin);
    // GT: what waited here must not make a visitor older whom another server has seen since.
    commands.command("ZADD", 2 + 2 * size).arg(options_.key).arg("GT");
    for (std::size_t i = begin; i < begin + size; ++i) {
      commands.arg(kept[i]->time).arg(kept[i]->visitor);
    }
  }
  if (options_.room) {
    add_room_expiry(commands);
  }
  if (server_->chores_due(options_.key, now)) {
    add_purge(commands, now);
  }
  return write(commands);
}

Result<std::int64_t> ZsetStore::count(const Window& window) {
  RedisCommands commands(options_.key);
  commands.add("ZCOUNT", options_.key, window.since(), "+inf");
  const Result<RedisReplies> replies = run(commands);
  return replies ? Result<std::int64_t>((*replies)[0]->integer) : replies.error();
}

Result<std::vector<std::string>> ZsetStore::ids(const Window& window) {
  RedisCommands commands(options_.key);
  commands.add("ZRANGEBYSCORE", options_.key, window.since(), "+inf");
  const Result<RedisReplies> replies = run(commands);
  return replies ? Result<std::vector<std::string>>(texts_of(*(*replies)[0])) : replies.error();
}

Status ZsetStore::online(std::span<const std::string_view> visitors, const Window& window, std::span<bool> answers) {
  if (visitors.empty()) {
    return {};
  }
  RedisCommands commands(options_.key);
  commands.command("ZMSCORE", 1 + visitors.size()).arg(options_.key);
  for (const std::string_view visitor : visitors) {
    commands.arg(visitor);
  }
  const Result<RedisReplies> replies = run(commands);
  if (!replies) {
    return replies.error();
  }
  const ReplyElements scores(*(*replies)[0]);
  if (scores.size != visitors.size()) {
    return unexpected_answer();
  }
  for (std::size_t i = 0; i < scores.size; ++i) {
    answers[i] = scores[i].type != REDIS_REPLY_NIL && time_of(scores[i]) >= window.since();
  }
  return {};
}

Result<UnixTime> ZsetStore::last_seen(std::string_view visitor, UnixTime now) {
  RedisCommands commands(options_.key);
  commands.add("ZSCORE", options_.key, visitor);
  const Result<RedisReplies> replies = run(commands);
  if (!replies) {
    return replies.error();
  }
  const redisReply& score = *(*replies)[0];
  if (score.type == REDIS_REPLY_NIL) {
    return UnixTime{0};
  }
  const UnixTime time = time_of(score);
  return time >= expiry(now) ? time : UnixTime{0};
}

Status ZsetStore::forget(std::string_view visitor, UnixTime /*now*/) {
  RedisCommands commands(options_.key);
  commands.add("ZREM", options_.key, visitor);
  return write(commands);
}

Status ZsetStore::replace(std::string_view from, std::string_view to, UnixTime now) {
  RedisCommands commands(options_.key);
  commands.add("EVAL", kReplace, 1, options_.key, from, to, expiry(now));
  return write(commands);
}

Status ZsetStore::purge(UnixTime now) {
  RedisCommands commands(options_.key);
  add_purge(commands, now);
  return write(commands);
}

Status ZsetStore::changes(UnixTime since, UnixTime now, const std::function<void(const Seen&)>& each) {
  RedisCommands commands(options_.key);
  commands.add("ZRANGEBYSCORE", options_.key, std::max(since, expiry(now)), "+inf", "WITHSCORES");
  const Result<RedisReplies> replies = run(commands);
  if (!replies) {
    return replies.error();
  }
  const ReplyElements pairs(*(*replies)[0]);
  for (std::size_t i = 0; i + 1 < pairs.size; i += 2) {
    each({text_of(pairs[i]), time_of(pairs[i + 1])});
  }
  return {};
}

}  // namespace presence
