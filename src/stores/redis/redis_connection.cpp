#include "stores/redis/redis_connection.h"

#include <array>
#include <span>
#include <utility>

#include "base/forks.h"
#include "stores/redis/redis_errors.h"

namespace presence {

RedisConnection::RedisConnection(RedisEndpoint endpoint, RedisLogin login, std::shared_ptr<RedisTlsContext> tls,
                                 std::string place)
    : endpoint_(std::move(endpoint)), login_(std::move(login)), tls_(std::move(tls)), place_(std::move(place)) {}

void RedisConnection::drop() { wire_.reset(); }

Error RedisConnection::failure(const Error& error) const { return {error.code, place_ + ": " + error.message}; }

bool RedisConnection::connected() const { return wire_ && wire_->forks == forks::count(); }

Result<RedisReplies> RedisConnection::run(const RedisCommands& commands, const Deadline& deadline) {
  const bool kept = connected();
  Result<RedisReplies> replies = run_once(commands, deadline);
  // A server that restarted, or that ends idle connections, has closed one that was kept without seeing the commands.
  if (!replies && kept && unheard() && !deadline.passed()) {
    return run_once(commands, deadline);
  }
  return replies;
}

Result<RedisReplies> RedisConnection::run_once(const RedisCommands& commands, const Deadline& deadline) {
  if (!connected()) {
    drop();
    if (Status connected = connect(deadline); !connected) {
      drop();
      return std::move(connected).error();
    }
  }
  Result<RedisReplies> replies = exchange(commands, deadline);
  if (!replies) {
    drop();
    return failure(replies.error());
  }
  return replies;
}

Status RedisConnection::connect(const Deadline& deadline) {
  Result<RedisSocket> socket = RedisSocket::connect(endpoint_, tls_.get(), deadline);
  if (!socket) {
    return failure(socket.error());
  }
  wire_.emplace(Wire{std::move(socket).value(), {}, forks::count()});
  wire_->reader.reset(redisReaderCreate());
  if (!wire_->reader) {
    return failure({ErrorCode::unavailable, "out of memory"});
  }
  return log_in(deadline);
}

Status RedisConnection::log_in(const Deadline& deadline) {
  RedisCommands commands("");
  if (login_.password && login_.user) {
    commands.add("AUTH", *login_.user, *login_.password);
  } else if (login_.password) {
    commands.add("AUTH", *login_.password);
  }
  if (login_.database != 0) {
    commands.add("SELECT", login_.database);
  }
  if (commands.replies() == 0) {
    return {};
  }
  Result<RedisReplies> replies = exchange(commands, deadline);
  if (!replies) {
    return failure(replies.error());
  }
  if (const redisReply* error = first_error(*replies)) {
    return Error{ErrorCode::unavailable, redis_error(place_, "", text_of(*error)).message};
  }
  return {};
}

Result<RedisReplies> RedisConnection::exchange(const RedisCommands& commands, const Deadline& deadline) {
  ++traffic_.round_trips;
  answered_ = false;
  std::string_view unsent = commands.bytes();
  RedisReplies replies;
  replies.reserve(commands.replies());
  std::array<char, 16384> buffer;
  while (replies.size() < commands.replies()) {
    if (!unsent.empty()) {
      const Result<std::size_t> sent = wire_->socket.send(unsent);
      if (!sent) {
        return sent.error();
      }
      unsent.remove_prefix(*sent);
      traffic_.bytes_sent += *sent;
    }
    if (Status ready = wire_->socket.wait(!unsent.empty(), deadline); !ready) {
      return std::move(ready).error();
    }
    const Result<std::size_t> got = wire_->socket.receive(buffer);
    if (!got) {
      return got.error();
    }
    if (*got == 0) {
      continue;
    }
    traffic_.bytes_received += *got;
    answered_ = true;
    if (redisReaderFeed(wire_->reader.get(), buffer.data(), *got) != REDIS_OK) {
      return Error{ErrorCode::unavailable, "the answer cannot be kept: out of memory"};
    }
    if (Status taken = take_replies(commands.replies(), replies); !taken) {
      return std::move(taken).error();
    }
  }
  return replies;
}

Status RedisConnection::take_replies(std::size_t wanted, RedisReplies& replies) {
  redisReader* const reader = wire_->reader.get();
  while (true) {
    void* reply = nullptr;
    if (redisReaderGetReply(reader, &reply) != REDIS_OK) {
      return Error{ErrorCode::unavailable, "what answers there does not speak Redis' protocol"};
    }
    if (reply == nullptr) {
      return {};
    }
    replies.emplace_back(static_cast<redisReply*>(reply));
    if (replies.size() > wanted) {
      return Error{ErrorCode::unavailable, "the server said more than it was asked"};
    }
  }
}

}  // namespace presence
