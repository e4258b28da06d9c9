// TLS on a connected socket, through OpenSSL.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "stores/redis/redis_address.h"

struct ssl_st;
struct ssl_ctx_st;

namespace presence {

/// The client's end of TLS 1.2 or later over one socket, which it neither owns nor waits for. The certificate of the
/// other end is always checked, its name included, and nothing of ours is sent before that. Going away says nothing to
/// the other end: a forked child shares the socket with its parent.
class RedisTls {
 public:
  /// What a step of the handshake waits for.
  enum class Step { done, receive, send };

  /// One step; again when the socket is ready for what it waits for. Error: unavailable, without the place.
  Result<Step> handshake();

  /// As many bytes as go now: 0 if none. Error: unavailable, if the connection is gone.
  Result<std::size_t> send(std::string_view bytes);

  /// How many bytes of `into` were filled, 0 if nothing is there yet. Error: unavailable, if the connection is gone.
  Result<std::size_t> receive(std::span<char> into);

  /// Whether something is to be received that has left the socket already.
  [[nodiscard]] bool holds_bytes() const;

 private:
  friend class RedisTlsContext;
  struct Free {
    void operator()(ssl_st* ssl) const;
  };

  RedisTls(ssl_st* ssl, std::string name) : ssl_(ssl), name_(std::move(name)) {}
  /// What came of a call that returned `result`: 0 bytes, or an error.
  Result<std::size_t> stopped(int result);
  [[nodiscard]] Error failure(int kind) const;

  std::unique_ptr<ssl_st, Free> ssl_;
  std::string name_;  ///< Whom the certificate must be for.
};

/// Whom to trust and what to show of oneself, for all connections of one DSN.
class RedisTlsContext {
 public:
  /// Reads no file yet. Error: unsupported, if this build has no TLS.
  static Result<std::shared_ptr<RedisTlsContext>> create(RedisTlsOptions options);

  /// Begins a handshake with the server of that host on the socket. Error: unavailable, if a file cannot be used.
  Result<RedisTls> start(int fd, const std::string& host);

  /// The files are read again for the next connection: they may have been exchanged for those that fit.
  void forget() { context_.reset(); }

 private:
  struct Free {
    void operator()(ssl_ctx_st* context) const;
  };

  explicit RedisTlsContext(RedisTlsOptions options) : options_(std::move(options)) {}
  Status read_files();

  RedisTlsOptions options_;
  std::unique_ptr<ssl_ctx_st, Free> context_;
};

}  // namespace presence
