#include "stores/redis/single_redis.h"

#include <utility>

#include "stores/redis/redis_errors.h"

namespace presence {

Result<RedisReplies> SingleRedis::run(const RedisCommands& commands, double timeout) {
  if (Status allowed = breaker_.allow(clock::monotonic()); !allowed) {
    return std::move(allowed).error();
  }
  Result<RedisReplies> replies = connection_.run(commands, Deadline(timeout));
  if (!replies) {
    breaker_.failed(replies.error(), clock::monotonic(), clock::now());
    return noted(std::move(replies).error());
  }
  breaker_.succeeded();
  if (const redisReply* error = first_error(*replies)) {
    if (has_code(text_of(*error), "READONLY")) {
      connection_.drop();  // The name may lead to another server by now.
    }
    return noted(redis_error(connection_.place(), commands.key(), text_of(*error)));
  }
  return replies;
}

}  // namespace presence
