#include "stores/redis/redis_socket.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

namespace presence {
namespace {

constexpr const char* kTooSlow = "did not answer in time (option \"timeout\", INI entry presence.timeout)";
constexpr const char* kNoTlsAnswer =
    "did not answer to TLS in time (option \"timeout\", INI entry presence.timeout); does it speak TLS on this port "
    "(tls-port of the server)?";

Error unavailable(std::string what) { return {ErrorCode::unavailable, std::move(what)}; }

std::string reason(int error) { return std::generic_category().message(error); }

/// Milliseconds for poll(); at least 1 while time is left, so that nothing spins.
int milliseconds(const Deadline& deadline) { return static_cast<int>(std::ceil(deadline.remaining() * 1000)); }

Status wait_for(int fd, short events, const Deadline& deadline) {
  while (true) {
    pollfd waiting{fd, events, 0};
    const int ready = poll(&waiting, 1, milliseconds(deadline));
    if (ready > 0) {
      return {};
    }
    if (ready < 0 && errno != EINTR) {
      return unavailable(reason(errno));
    }
    if (deadline.passed()) {
      return unavailable(kTooSlow);
    }
  }
}

Result<UniqueFd> connect_to(const sockaddr* address, socklen_t size, const Deadline& deadline) {
  UniqueFd fd(socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd) {
    return unavailable(reason(errno));
  }
  if (address->sa_family != AF_UNIX) {
    const int on = 1;
    setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    setsockopt(fd.get(), SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  }
  if (::connect(fd.get(), address, size) == 0) {
    return fd;
  }
  // A Unix socket whose server is slow to accept says EAGAIN, and nothing would wake us.
  if (errno != EINPROGRESS && errno != EINTR) {
    return unavailable("cannot connect: " + reason(errno));
  }
  if (Status ready = wait_for(fd.get(), POLLOUT, deadline); !ready) {
    return std::move(ready).error();
  }
  int error = 0;
  socklen_t length = sizeof error;
  getsockopt(fd.get(), SOL_SOCKET, SO_ERROR, &error, &length);
  if (error != 0) {
    return unavailable("cannot connect: " + reason(error));
  }
  return fd;
}

Result<UniqueFd> connect_unix(const std::string& path, const Deadline& deadline) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) {
    return unavailable("cannot connect: the path is too long");
  }
  std::memcpy(address.sun_path, path.data(), path.size());
  return connect_to(reinterpret_cast<const sockaddr*>(&address), sizeof address, deadline);
}

Result<UniqueFd> connect_tcp(const RedisEndpoint& endpoint, const Deadline& deadline) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int failed = getaddrinfo(endpoint.host.c_str(), std::to_string(endpoint.port).c_str(), &hints, &found);
  if (failed != 0) {
    return unavailable(std::string("cannot find the host: ") + gai_strerror(failed));
  }
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> addresses(found, freeaddrinfo);
  Error last = unavailable("the host has no address");
  for (const addrinfo* one = found; one != nullptr && !deadline.passed(); one = one->ai_next) {
    Result<UniqueFd> fd = connect_to(one->ai_addr, one->ai_addrlen, deadline);
    if (fd) {
      return fd;
    }
    last = std::move(fd).error();
  }
  return last;
}

}  // namespace

Result<RedisSocket> RedisSocket::connect(const RedisEndpoint& endpoint, RedisTlsContext* tls,
                                         const Deadline& deadline) {
  Result<UniqueFd> fd =
      endpoint.host.empty() ? connect_unix(endpoint.socket, deadline) : connect_tcp(endpoint, deadline);
  if (!fd) {
    return std::move(fd).error();
  }
  RedisSocket socket(std::move(fd).value());
  if (tls != nullptr) {
    if (Status begun = socket.begin_tls(*tls, endpoint.host, deadline); !begun) {
      tls->forget();
      return std::move(begun).error();
    }
  }
  return socket;
}

Status RedisSocket::begin_tls(RedisTlsContext& context, const std::string& host, const Deadline& deadline) {
  Result<RedisTls> started = context.start(fd_.get(), host);
  if (!started) {
    return std::move(started).error();
  }
  while (true) {
    const Result<RedisTls::Step> step = started->handshake();
    if (!step) {
      return step.error();
    }
    if (*step == RedisTls::Step::done) {
      tls_ = std::move(*started);
      return {};
    }
    const short events = *step == RedisTls::Step::receive ? POLLIN : POLLOUT;
    if (Status ready = wait_for(fd_.get(), events, deadline); !ready) {
      return deadline.passed() ? Status(unavailable(kNoTlsAnswer)) : ready;
    }
  }
}

Result<std::size_t> RedisSocket::send(std::string_view bytes) {
  if (tls_) {
    return tls_->send(bytes);
  }
  const ssize_t sent = ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
  if (sent >= 0) {
    return static_cast<std::size_t>(sent);
  }
  // Whoever closed the connection may have said why: reading finds that, or the end.
  if (errno == EAGAIN || errno == EINTR || errno == EPIPE || errno == ECONNRESET) {
    return std::size_t{0};
  }
  return unavailable("the connection broke: " + reason(errno));
}

Result<std::size_t> RedisSocket::receive(std::span<char> into) {
  if (tls_) {
    return tls_->receive(into);
  }
  const ssize_t got = recv(fd_.get(), into.data(), into.size(), 0);
  if (got > 0) {
    return static_cast<std::size_t>(got);
  }
  if (got == 0) {
    return unavailable("the server closed the connection");
  }
  if (errno == EAGAIN || errno == EINTR) {
    return std::size_t{0};
  }
  return unavailable("the connection broke: " + reason(errno));
}

Status RedisSocket::wait(bool sending, const Deadline& deadline) const {
  if (tls_ && tls_->holds_bytes()) {
    return {};
  }
  return wait_for(fd_.get(), static_cast<short>(sending ? POLLIN | POLLOUT : POLLIN), deadline);
}

}  // namespace presence
