#include "stores/redis/zset_store.h"

#include <algorithm>

namespace presence {
namespace {

/// In one step, so that nobody sees the visitor twice or not at all. GT: the later time stays. Who was forgotten (the
/// second key) and returns under the old name is seen after that.
constexpr std::string_view kReplace =
    "local s=redis.call('ZSCORE',KEYS[1],ARGV[1]) "
    "if s and ARGV[1]~=ARGV[2] and tonumber(s)>=tonumber(ARGV[3]) then "
    "local g=redis.call('ZSCORE',KEYS[2],ARGV[2]) if g and tonumber(g)>=tonumber(s) then s=tonumber(g)+1 end "
    "redis.call('ZADD',KEYS[1],'GT',s,ARGV[2]) redis.call('ZREM',KEYS[1],ARGV[1]) end";

/// Takes out who was not seen after being forgotten. ARGV: time, visitor, time, …
constexpr std::string_view kForget =
    "for i=1,#ARGV,2 do local s=redis.call('ZSCORE',KEYS[1],ARGV[i+1]) "
    "if s and tonumber(s)<=tonumber(ARGV[i]) then redis.call('ZREM',KEYS[1],ARGV[i+1]) end end";

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
  in_batches(kept, [&](std::span<const Seen* const> batch) {
    // GT: what waited here must not make a visitor older whom another server has seen since.
    commands.command("ZADD", 2 + 2 * batch.size()).arg(options_.key).arg("GT");
    for (const Seen* one : batch) {
      commands.arg(one->time).arg(one->visitor);
    }
  });
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

Status ZsetStore::forget(std::string_view visitor, UnixTime now) {
  const Seen forgotten{visitor, now};
  RedisCommands commands(options_.key);
  commands.multi();
  commands.add("ZREM", options_.key, visitor);
  add_gone(commands, {&forgotten, 1}, now);
  commands.exec();
  return write(commands);
}

Status ZsetStore::forget_all(std::span<const Seen> forgotten, UnixTime now) {
  if (forgotten.empty()) {
    return {};
  }
  RedisCommands commands(options_.key);
  commands.multi();
  in_batches(forgotten, [&](std::span<const Seen> batch) {
    commands.command("EVAL", 3 + 2 * batch.size()).arg(kForget).arg(1).arg(options_.key);
    for (const Seen& one : batch) {
      commands.arg(one.time).arg(one.visitor);
    }
  });
  add_gone(commands, forgotten, now);
  commands.exec();
  return write(commands);
}

Status ZsetStore::replace(std::string_view from, std::string_view to, UnixTime now) {
  if (from == to) {
    return {};
  }
  const Seen forgotten{from, now};
  RedisCommands commands(options_.key);
  commands.multi();
  commands.add("EVAL", kReplace, 2, options_.key, gone_key(), from, to, expiry(now));
  add_gone(commands, {&forgotten, 1}, now);
  commands.exec();
  return write(commands);
}

Status ZsetStore::purge(UnixTime now) {
  RedisCommands commands(options_.key);
  add_purge(commands, now);
  return write(commands);
}

Status ZsetStore::changes(UnixTime since, UnixTime now, const Tell& each, const Tell& gone) {
  RedisCommands commands(options_.key);
  // First who is gone: who is among the visitors after that has come back.
  ask_gone(commands, since, now);
  commands.add("ZRANGEBYSCORE", options_.key, std::max(since, expiry(now)), "+inf", "WITHSCORES");
  const Result<RedisReplies> replies = run(commands);
  if (!replies) {
    return replies.error();
  }
  tell_scored(*(*replies)[0], gone);
  tell_scored(*(*replies)[1], each);
  return {};
}

}  // namespace presence
