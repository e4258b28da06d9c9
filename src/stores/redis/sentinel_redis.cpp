#include "stores/redis/sentinel_redis.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "stores/redis/redis_errors.h"

namespace presence {

SentinelRedis::SentinelRedis(const RedisAddress& address, std::shared_ptr<RedisTlsContext> tls)
    : address_(address), tls_(std::move(tls)) {
  for (const RedisEndpoint& endpoint : address.endpoints) {
    sentinels_.emplace_back(endpoint, RedisLogin{}, tls_, address.place + " (sentinel " + endpoint.text() + ")");
  }
}

Error SentinelRedis::failed(Error error) {
  breaker_.failed(error, clock::monotonic(), clock::now());
  return noted(std::move(error));
}

Result<RedisReplies> SentinelRedis::run(const RedisCommands& commands, double timeout) {
  if (Status allowed = breaker_.allow(clock::monotonic()); !allowed) {
    return std::move(allowed).error();
  }
  const Deadline deadline(timeout);
  for (bool again = false;; again = true) {
    const bool kept = master_ && master_->connected();
    Result<RedisReplies> replies = ask_master(commands, deadline);
    if (!replies) {
      if (kept && !again && !deadline.passed()) {
        continue;
      }
      return failed(std::move(replies).error());
    }
    breaker_.succeeded();
    const redisReply* error = first_error(*replies);
    if (error == nullptr) {
      return replies;
    }
    if (has_code(text_of(*error), "READONLY")) {
      master_->drop();
      if (!again && !deadline.passed()) {
        continue;
      }
    }
    return noted(redis_error(master_->place(), commands.key(), text_of(*error)));
  }
}

Result<RedisReplies> SentinelRedis::ask_master(const RedisCommands& commands, const Deadline& deadline) {
  if (!master_ || !master_->connected()) {
    Result<RedisEndpoint> found = find_master(deadline);
    if (!found) {
      return std::move(found).error();
    }
    if (!master_ || master_->endpoint() != *found) {
      if (master_) {
        before_ += master_->traffic();
      }
      std::string place = address_.place + " (" + found->text() + ")";
      master_.emplace(std::move(*found), address_.login, tls_, std::move(place));
    }
  }
  return master_->run_once(commands, deadline);
}

Result<RedisEndpoint> SentinelRedis::find_master(const Deadline& deadline) {
  RedisCommands commands("");
  commands.add("SENTINEL", "GET-MASTER-ADDR-BY-NAME", address_.master);
  Error last{ErrorCode::unavailable, address_.place + ": no sentinel answered in time"};
  for (std::size_t i = 0; i < sentinels_.size() && !deadline.passed(); ++i) {
    // One that is frozen must leave time for the others, and for the master.
    const Deadline share(deadline.remaining() / static_cast<double>(sentinels_.size() - i + 1));
    Result<RedisReplies> replies = sentinels_[i].run(commands, share);
    if (!replies) {
      last = std::move(replies).error();
      continue;
    }
    if (const redisReply* error = first_error(*replies)) {
      last = redis_error(sentinels_[i].place(), "", text_of(*error));
      continue;
    }
    const ReplyElements address(*(*replies)[0]);
    if (address.size != 2) {
      last = {ErrorCode::unavailable, sentinels_[i].place() + ": the sentinel knows no master of that name"};
      continue;
    }
    const std::string_view port = text_of(address[1]);
    RedisEndpoint found{std::string(text_of(address[0])), 0, {}};
    std::from_chars(port.data(), port.data() + port.size(), found.port);
    std::rotate(sentinels_.begin(), sentinels_.begin() + static_cast<std::ptrdiff_t>(i),
                sentinels_.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    return found;
  }
  return last;
}

RedisTraffic SentinelRedis::traffic() const {
  RedisTraffic sum = before_;
  if (master_) {
    sum += master_->traffic();
  }
  for (const RedisConnection& sentinel : sentinels_) {
    sum += sentinel.traffic();
  }
  return sum;
}

}  // namespace presence
