// What the strategies on Redis have in common.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "stores/redis/redis_server.h"
#include "stores/store.h"
#include "stores/store_options.h"

namespace presence {

/// A store on a server, which it keeps alive.
class RedisStore : public Store {
 public:
  [[nodiscard]] StoreHealth health() const override { return server_->health(); }

 protected:
  RedisStore(std::shared_ptr<RedisServer> server, StoreOptions options)
      : server_(std::move(server)), options_(std::move(options)) {}

  Result<RedisReplies> run(const RedisCommands& commands) { return server_->run(commands, options_.timeout); }
  /// For commands whose answers say no more than that all went well.
  Status write(const RedisCommands& commands) {
    const Result<RedisReplies> replies = run(commands);
    return replies ? Status() : Status(replies.error());
  }

  /// The first part of a strategy's several keys; in a cluster with a hash tag, unless the key has one, so that all of
  /// them are on one node.
  [[nodiscard]] std::string key_prefix() const {
    const std::string& key = options_.key;
    const std::size_t open = key.find('{');
    const bool tagged = open != std::string::npos && key.find('}', open + 2) != std::string::npos;
    return !server_->cluster() || tagged ? key : '{' + key + '}';
  }
  /// Hands over some at a time, as many as one command is for: enough to save bytes, and little enough for other
  /// clients to get their turn.
  template <class T, class Each>
  static void in_batches(std::span<const T> all, Each each) {
    constexpr std::size_t kBatch = 1000;
    for (std::size_t begin = 0; begin < all.size(); begin += kBatch) {
      each(all.subspan(begin, std::min(kBatch, all.size() - begin)));
    }
  }
  template <class T, class Each>
  static void in_batches(const std::vector<T>& all, Each each) {
    in_batches(std::span<const T>(all), each);
  }

  /// Who was forgotten, in a sorted set of this extension's own beside the recipe's keys, scored by the time of it: so
  /// other servers learn of it. It ends with the retention.
  [[nodiscard]] std::string gone_key() const { return key_prefix() + ":gone~"; }
  /// Writes down who was forgotten when, in a transaction or beside one; the later time stays.
  void add_gone(RedisCommands& commands, std::span<const Seen> forgotten, UnixTime now) const;
  /// Asks who was forgotten at `since` or later.
  void ask_gone(RedisCommands& commands, UnixTime since, UnixTime now) const;
  /// A score is a double on the wire; another program may have written one with a fraction.
  static UnixTime time_of(const redisReply& score);
  /// Tells what a sorted set of visitors answered WITHSCORES.
  static void tell_scored(const redisReply& reply, const Tell& tell);

  /// Whoever was last seen before is gone.
  [[nodiscard]] UnixTime expiry(UnixTime now) const { return now - 60 * static_cast<UnixTime>(options_.retention); }

  std::shared_ptr<RedisServer> server_;
  StoreOptions options_;
};

}  // namespace presence
