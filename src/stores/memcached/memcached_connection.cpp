#include "stores/memcached/memcached_connection.h"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/forks.h"

namespace presence {
namespace {

constexpr std::string_view kTooSlow = "did not answer within the timeout; see whether it is overloaded or stopped";

/// Waits until a connection that is being made is there. Returns 0, or what went wrong as errno.
int await_connection(int socket, const Deadline& deadline) {
  pollfd waiting{socket, POLLOUT, 0};
  while (true) {
    const int ready = poll(&waiting, 1, deadline.milliseconds());
    if (ready > 0) {
      break;
    }
    if (ready == 0) {
      return ETIMEDOUT;
    }
    if (errno != EINTR) {
      return errno;
    }
  }
  int error = 0;
  socklen_t size = sizeof error;
  return getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? error : errno;
}

/// A socket connected to the address; on failure none, and errno in `error`.
UniqueFd open_socket(const sockaddr* address, socklen_t size, const Deadline& deadline, int& error) {
  UniqueFd socket(::socket(address->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket) {
    error = errno;
    return {};
  }
  error = ::connect(socket.get(), address, size) == 0 ? 0 : errno;
  if (error == EINPROGRESS || error == EINTR) {
    error = await_connection(socket.get(), deadline);
  }
  if (error != 0) {
    return {};
  }
  if (address->sa_family != AF_UNIX) {
    const int on = 1;
    setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);  // only costs time where it fails
  }
  return socket;
}

std::string text_of_errno(int error) {
  std::array<char, 128> buffer{};
  return strerror_r(error, buffer.data(), buffer.size());
}

}  // namespace

std::string MemcachedAddress::text() const {
  if (!socket.empty()) {
    return socket;
  }
  return (host.find(':') != std::string::npos ? '[' + host + ']' : host) + ':' + std::to_string(port);
}

Status MemcachedConnection::prepare(const Deadline& deadline) {
  if (socket_ && forks_ != forks::count()) {
    socket_.reset();
  }
  if (socket_) {
    // A server that went away, or said something nobody asked for, is noticed before it costs the call.
    char byte;
    if (recv(socket_.get(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) >= 0 || (errno != EAGAIN && errno != EWOULDBLOCK)) {
      socket_.reset();
    }
  }
  if (socket_) {
    return {};
  }
  if (Status allowed = breaker_.allow(clock::monotonic()); !allowed) {
    return allowed;
  }
  return connect(deadline);
}

Status MemcachedConnection::connect(const Deadline& deadline) {
  conversation_.reset();
  received_.clear();
  forks_ = forks::count();
  if (address_.socket.empty()) {
    return connect_host(deadline);
  }
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  // The path's length was checked with the DSN.
  std::memcpy(address.sun_path, address_.socket.data(), std::min(address_.socket.size(), sizeof address.sun_path - 1));
  int error = 0;
  socket_ = open_socket(reinterpret_cast<const sockaddr*>(&address), sizeof address, deadline, error);
  if (!socket_) {
    return failed("cannot be connected to (" + text_of_errno(error) + "); start it with -s, or correct the DSN");
  }
  return {};
}

Status MemcachedConnection::connect_host(const Deadline& deadline) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int code = getaddrinfo(address_.host.c_str(), std::to_string(address_.port).c_str(), &hints, &found);
  if (code != 0) {
    return failed(std::string("cannot be found (") + gai_strerror(code) + "); correct the host in the DSN");
  }
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> addresses(found, freeaddrinfo);
  int error = 0;
  for (const addrinfo* at = found; at != nullptr && !socket_; at = at->ai_next) {
    socket_ = open_socket(at->ai_addr, at->ai_addrlen, deadline, error);
  }
  if (socket_) {
    return {};
  }
  if (error == ETIMEDOUT) {
    return failed(std::string(kTooSlow));
  }
  return failed("cannot be connected to (" + text_of_errno(error) + "); start it, or correct the DSN");
}

Error MemcachedConnection::failed(std::string message) {
  socket_.reset();
  conversation_.reset();
  received_.clear();
  Error error{ErrorCode::unavailable, "Memcached at " + address_.text() + " " + message};
  breaker_.failed(error, clock::monotonic(), clock::now());
  return error;
}

Error MemcachedConnection::timed_out() { return failed(std::string(kTooSlow)); }

void MemcachedConnection::abandon() {
  if (conversation_) {
    socket_.reset();
    conversation_.reset();
    received_.clear();
  }
}

void MemcachedConnection::begin(std::unique_ptr<MemcachedConversation> conversation) {
  conversation_ = std::move(conversation);
  sent_ = 0;
}

short MemcachedConnection::events() const {
  const bool sending = conversation_ && sent_ < conversation_->request().size();
  return static_cast<short>(POLLIN | (sending ? POLLOUT : 0));
}

Status MemcachedConnection::advance() {
  if (Status sent = send_some(); !sent) {
    return sent;
  }
  if (!conversation_->complete()) {
    if (Status received = receive_some(); !received) {
      return received;
    }
  }
  if (sent_ == conversation_->request().size() && conversation_->complete()) {
    conversation_.reset();
    breaker_.succeeded();
  }
  return {};
}

Status MemcachedConnection::send_some() {
  const std::string& request = conversation_->request();
  while (sent_ < request.size()) {
    const ssize_t written = send(socket_.get(), request.data() + sent_, request.size() - sent_, MSG_NOSIGNAL);
    if (written >= 0) {
      sent_ += static_cast<std::size_t>(written);
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      break;
    } else if (errno != EINTR) {
      return failed("closed the connection (" + text_of_errno(errno) + "); see whether it was restarted");
    }
  }
  return {};
}

Status MemcachedConnection::receive_some() {
  std::array<char, 65536> buffer;
  while (!conversation_->complete()) {
    const ssize_t size = recv(socket_.get(), buffer.data(), buffer.size(), 0);
    if (size == 0) {
      return failed("closed the connection; see whether it was restarted, or takes no more connections (-c)");
    }
    if (size < 0) {
      if (errno == EAGAIN || errno == EWOULDBLOCK) {
        return {};
      }
      if (errno == EINTR) {
        continue;
      }
      return failed("broke off the connection (" + text_of_errno(errno) + "); see whether it was restarted");
    }
    received_.append(buffer.data(), static_cast<std::size_t>(size));
    const Result<std::size_t> used = conversation_->take(received_);
    if (!used) {
      return failed("cannot be talked to: " + used.error().message + "; correct host and port in the DSN");
    }
    received_.erase(0, *used);
  }
  return {};
}

}  // namespace presence
