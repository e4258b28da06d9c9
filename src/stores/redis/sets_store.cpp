#include "stores/redis/sets_store.h"

#include <algorithm>
#include <map>

namespace presence {
namespace {

/// KEYS: the set that is made for it, and those to unite. Not told to replicas: they would do all of it again.
constexpr std::string_view kCount =
    "redis.set_repl(redis.REPL_NONE) "
    "local n=redis.call('SUNIONSTORE',KEYS[1],unpack(KEYS,2)) "
    "redis.call('UNLINK',KEYS[1]) return n";

/// KEYS: the minutes' sets, the newest first, and who was forgotten. The new name goes in first, as a set that becomes
/// empty loses its expiry. Who was forgotten and returns under the old name is seen now.
constexpr std::string_view kReplace =
    "local n,found=#KEYS,false for i=1,n-1 do local k=KEYS[i] if redis.call('SISMEMBER',k,ARGV[1])==1 then found=true "
    "redis.call('SADD',k,ARGV[2]) redis.call('SREM',k,ARGV[1]) end end "
    "if found and redis.call('ZSCORE',KEYS[n],ARGV[2]) then "
    "redis.call('SADD',KEYS[1],ARGV[2]) redis.call('EXPIRE',KEYS[1],ARGV[3]) end";

}  // namespace

Result<std::int64_t> SetsStore::count(const Window& window) {
  const std::vector<std::string> keys = this->keys(window);
  RedisCommands commands(keys.front());
  if (keys.size() == 1) {
    commands.add("SCARD", keys.front());
  } else {
    commands.command("EVAL", 3 + keys.size()).arg(kCount).arg(1 + keys.size()).arg(prefix() + ":union~");
    for (const std::string& key : keys) {
      commands.arg(key);
    }
  }
  const Result<RedisReplies> replies = run(commands);
  return replies ? Result<std::int64_t>((*replies)[0]->integer) : replies.error();
}

Result<std::vector<std::string>> SetsStore::ids(const Window& window) {
  const std::vector<std::string> keys = this->keys(window);
  RedisCommands commands(keys.front());
  commands.command("SUNION", keys.size());
  for (const std::string& key : keys) {
    commands.arg(key);
  }
  const Result<RedisReplies> replies = run(commands);
  return replies ? Result<std::vector<std::string>>(texts_of(*(*replies)[0])) : replies.error();
}

Status SetsStore::online(std::span<const std::string_view> visitors, const Window& window, std::span<bool> answers) {
  if (visitors.empty()) {
    return {};
  }
  const std::vector<std::string> keys = this->keys(window);
  RedisCommands commands(keys.front());
  for (const std::string& key : keys) {
    commands.command("SMISMEMBER", 1 + visitors.size()).arg(key);
    for (const std::string_view visitor : visitors) {
      commands.arg(visitor);
    }
  }
  const Result<RedisReplies> replies = run(commands);
  if (!replies) {
    return replies.error();
  }
  std::fill(answers.begin(), answers.end(), false);
  for (const RedisReply& reply : *replies) {
    const ReplyElements members(*reply);
    if (members.size != visitors.size()) {
      return unexpected_answer();
    }
    for (std::size_t i = 0; i < members.size; ++i) {
      answers[i] = answers[i] || members[i].integer == 1;
    }
  }
  return {};
}

Result<UnixTime> SetsStore::last_seen(std::string_view visitor, UnixTime now) {
  const std::vector<std::string> keys = this->keys(oldest(now), now);
  RedisCommands commands(keys.front());
  for (const std::string& key : keys) {
    commands.add("SISMEMBER", key, visitor);
  }
  const Result<RedisReplies> replies = run(commands);
  if (!replies) {
    return replies.error();
  }
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if ((*replies)[i]->integer == 1) {
      return 60 * (minute_of(now) - static_cast<std::int64_t>(i));
    }
  }
  return UnixTime{0};
}

Status SetsStore::forget(std::string_view visitor, UnixTime now) {
  const Seen forgotten{visitor, now};
  return forget_all({&forgotten, 1}, now);
}

Status SetsStore::forget_all(std::span<const Seen> forgotten, UnixTime now) {
  std::map<std::int64_t, std::vector<std::string_view>> by_minute;
  for (const Seen& one : forgotten) {
    by_minute[minute_of(one.time)].push_back(one.visitor);
  }
  if (by_minute.empty()) {
    return {};
  }
  RedisCommands commands(prefix());
  commands.multi();
  for (const auto& [last, visitors] : by_minute) {
    for (std::int64_t minute = oldest(now); minute <= last; ++minute) {
      in_batches(visitors, [&](std::span<const std::string_view> batch) {
        commands.command("SREM", 1 + batch.size()).arg(key(minute));
        for (const std::string_view visitor : batch) {
          commands.arg(visitor);
        }
      });
    }
  }
  add_gone(commands, forgotten, now);
  commands.exec();
  return write(commands);
}

Status SetsStore::replace(std::string_view from, std::string_view to, UnixTime now) {
  if (from == to) {
    return {};
  }
  const Seen forgotten{from, now};
  const std::vector<std::string> keys = this->keys(oldest(now), now);
  RedisCommands commands(prefix());
  commands.multi();
  commands.command("EVAL", 6 + keys.size()).arg(kReplace).arg(1 + keys.size());
  for (const std::string& key : keys) {
    commands.arg(key);
  }
  commands.arg(gone_key()).arg(from).arg(to).arg((options_.retention + 1) * 60);
  add_gone(commands, {&forgotten, 1}, now);
  commands.exec();
  return write(commands);
}

Status SetsStore::changes(UnixTime since, UnixTime now, const Tell& each, const Tell& gone) {
  const std::vector<std::string> keys = this->keys(std::max(minute_of(since), oldest(now)), now);
  RedisCommands commands(prefix());
  // First who is gone: who is among the visitors after that has come back.
  ask_gone(commands, since, now);
  // The oldest first: what is told last about a visitor is the latest.
  for (std::size_t i = keys.size(); i-- > 0;) {
    commands.add("SMEMBERS", keys[i]);
  }
  const Result<RedisReplies> replies = run(commands);
  if (!replies) {
    return replies.error();
  }
  tell_scored(*(*replies)[0], gone);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const UnixTime time = 60 * (minute_of(now) - static_cast<std::int64_t>(keys.size() - 1 - i));
    const ReplyElements members(*(*replies)[1 + i]);
    for (std::size_t m = 0; m < members.size; ++m) {
      each({text_of(members[m]), time});
    }
  }
  return {};
}

}  // namespace presence
