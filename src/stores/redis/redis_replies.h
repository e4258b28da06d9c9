// What a Redis server answered.
#pragma once

#include <hiredis/hiredis.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace presence {

struct FreeReply {
  void operator()(redisReply* reply) const { freeReplyObject(reply); }
};

/// One answer, with all that is in it.
using RedisReply = std::unique_ptr<redisReply, FreeReply>;
/// The answers to the commands of one call, in their order.
using RedisReplies = std::vector<RedisReply>;

/// The bytes of a string, status or error; empty for anything else.
inline std::string_view text_of(const redisReply& reply) {
  return reply.str == nullptr ? std::string_view() : std::string_view(reply.str, reply.len);
}

/// The elements of an array; none for anything else.
struct ReplyElements {
  explicit ReplyElements(const redisReply& reply)
      : first(reply.element), size(reply.type == REDIS_REPLY_ARRAY ? static_cast<std::size_t>(reply.elements) : 0) {}

  redisReply** first;
  std::size_t size;

  const redisReply& operator[](std::size_t i) const { return *first[i]; }
};

/// The elements of an array of strings.
inline std::vector<std::string> texts_of(const redisReply& reply) {
  const ReplyElements elements(reply);
  std::vector<std::string> texts;
  texts.reserve(elements.size);
  for (std::size_t i = 0; i < elements.size; ++i) {
    texts.emplace_back(text_of(elements[i]));
  }
  return texts;
}

/// For an answer of another form than the command has.
inline Error unexpected_answer() {
  return {ErrorCode::rejected, "the server answered in a form that Redis does not have"};
}

/// The first error among the answers: the answer itself, or one of those in a transaction's. Null if there is none.
/// What a transaction is refused for comes before EXECABORT.
inline const redisReply* first_error(const RedisReplies& replies) {
  for (const RedisReply& reply : replies) {
    if (reply->type == REDIS_REPLY_ERROR) {
      return reply.get();
    }
    const ReplyElements elements(*reply);
    for (std::size_t i = 0; i < elements.size; ++i) {
      if (elements[i].type == REDIS_REPLY_ERROR) {
        return &elements[i];
      }
    }
  }
  return nullptr;
}

}  // namespace presence
