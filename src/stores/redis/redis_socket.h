// Bytes to and from a server, without waiting longer than a deadline.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/deadline.h"
#include "base/result.h"
#include "base/unique_fd.h"
#include "stores/redis/redis_address.h"
#include "stores/redis/redis_tls.h"

namespace presence {

/// A connected stream socket that never blocks by itself. Closing it says nothing to the server that another process
/// would miss which shares the descriptor after a fork.
class RedisSocket {
 public:
  /// Connects to the first of the host's addresses that answers, and speaks TLS with it if there is a context for that.
  /// Looking up a name takes as long as the system's resolver does. Error: unavailable; the message lacks the place.
  static Result<RedisSocket> connect(const RedisEndpoint& endpoint, RedisTlsContext* tls, const Deadline& deadline);

  /// As many bytes as the kernel takes now: 0 if none. Error: unavailable, if the connection is gone.
  Result<std::size_t> send(std::string_view bytes);

  /// What has arrived: how many bytes of `into` were filled, 0 if nothing is there yet. Error: unavailable, if the
  /// server has closed the connection or it is gone.
  Result<std::size_t> receive(std::span<char> into);

  /// Waits until something has arrived, or (if `sending`) more can be sent. Error: unavailable, when the deadline has
  /// passed.
  Status wait(bool sending, const Deadline& deadline) const;

 private:
  explicit RedisSocket(UniqueFd fd) : fd_(std::move(fd)) {}
  Status begin_tls(RedisTlsContext& context, const std::string& host, const Deadline& deadline);

  UniqueFd fd_;
  std::optional<RedisTls> tls_;
};

}  // namespace presence
