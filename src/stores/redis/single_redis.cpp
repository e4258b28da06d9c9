#include "stores/redis/single_redis.h"

#include <utility>

#include "base/clock.h"
#include "stores/redis/redis_errors.h"

namespace presence {

Result<RedisReplies> SingleRedis::run(const RedisCommands& commands, double timeout) {
  if (Status allowed = breaker_.allow(clock::monotonic()); !allowed) {
    return std::move(allowed).error();
  }
  Result<RedisReplies> replies = connection_.run(commands, Deadline(timeout));
  if (!replies) {
    breaker_.failed(replies.error(), clock::monotonic(), clock::now());
    note(replies.error());
    return replies;
  }
  breaker_.succeeded();
  if (const redisReply* error = first_error(*replies)) {
    if (has_code(text_of(*error), "READONLY")) {
      connection_.drop();  // The name may lead to another server by now.
    }
    Error refused = redis_error(connection_.place(), commands.key(), text_of(*error));
    note(refused);
    return refused;
  }
  return replies;
}

void SingleRedis::note(const Error& error) {
  last_error_ = error.message;
  last_error_time_ = clock::now();
}

StoreHealth SingleRedis::health() const { return {last_error_, last_error_time_, breaker_.open(clock::monotonic())}; }

}  // namespace presence
