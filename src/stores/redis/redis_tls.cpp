#include "stores/redis/redis_tls.h"

#ifdef PRESENCE_HAVE_TLS

#include <arpa/inet.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstdint>
#include <utility>

namespace presence {
namespace {

Error unavailable(std::string what) { return {ErrorCode::unavailable, std::move(what)}; }

/// What OpenSSL has to say, which is then forgotten: others of this thread use it too.
std::string reason() {
  const char* text = ERR_reason_error_string(ERR_peek_last_error());
  std::string said = text == nullptr ? "no reason given" : text;
  ERR_clear_error();
  return said;
}

bool is_address(const std::string& host) {
  in6_addr ignored;
  return inet_pton(AF_INET, host.c_str(), &ignored) == 1 || inet_pton(AF_INET6, host.c_str(), &ignored) == 1;
}

int fd_of(BIO* bio) { return static_cast<int>(reinterpret_cast<std::intptr_t>(BIO_get_data(bio))); }

// OpenSSL's own way to a socket writes with SIGPIPE.
int write_socket(BIO* bio, const char* bytes, int size) {
  BIO_clear_retry_flags(bio);
  const ssize_t sent = ::send(fd_of(bio), bytes, static_cast<std::size_t>(size), MSG_NOSIGNAL);
  // Whoever closed the connection may have said why: reading finds that, or the end.
  if (sent < 0 && (errno == EAGAIN || errno == EINTR || errno == EPIPE || errno == ECONNRESET)) {
    BIO_set_retry_write(bio);
  }
  return static_cast<int>(sent);
}

int read_socket(BIO* bio, char* into, int size) {
  BIO_clear_retry_flags(bio);
  const ssize_t got = ::recv(fd_of(bio), into, static_cast<std::size_t>(size), 0);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
    BIO_set_retry_read(bio);
  }
  return static_cast<int>(got);
}

long control_socket(BIO* /*bio*/, int command, long /*number*/, void* /*pointer*/) {
  return command == BIO_CTRL_FLUSH ? 1 : 0;
}

const BIO_METHOD* socket_method() {
  static const std::unique_ptr<BIO_METHOD, decltype(&BIO_meth_free)> method = [] {
    std::unique_ptr<BIO_METHOD, decltype(&BIO_meth_free)> made(
        BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "presence socket"), BIO_meth_free);
    if (made) {
      BIO_meth_set_write(made.get(), write_socket);
      BIO_meth_set_read(made.get(), read_socket);
      BIO_meth_set_ctrl(made.get(), control_socket);
    }
    return made;
  }();
  return method.get();
}

/// A key that is locked by a password is refused: otherwise OpenSSL would ask for it on a terminal.
int no_password(char* /*into*/, int /*size*/, int /*writing*/, void* /*pointer*/) { return 0; }

Status accept_only(SSL* ssl, const std::string& name) {
  X509_VERIFY_PARAM* const checked = SSL_get0_param(ssl);
  X509_VERIFY_PARAM_set_hostflags(checked, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  const bool address = is_address(name);
  const bool set = address ? X509_VERIFY_PARAM_set1_ip_asc(checked, name.c_str()) == 1
                           : X509_VERIFY_PARAM_set1_host(checked, name.data(), name.size()) == 1 &&
                                 SSL_set_tlsext_host_name(ssl, name.c_str()) == 1;
  return set ? Status() : Status(unavailable("TLS cannot be set up: " + reason()));
}

}  // namespace

void RedisTls::Free::operator()(ssl_st* ssl) const { SSL_free(ssl); }
void RedisTlsContext::Free::operator()(ssl_ctx_st* context) const { SSL_CTX_free(context); }

Error RedisTls::failure(int kind) const {
  if (kind == SSL_ERROR_ZERO_RETURN || (kind == SSL_ERROR_SYSCALL && errno == 0)) {
    ERR_clear_error();
    return unavailable("the server closed the connection");
  }
  if (kind == SSL_ERROR_SYSCALL) {
    const int error = errno;
    ERR_clear_error();
    return unavailable("the connection broke: " + std::generic_category().message(error));
  }
  const long verified = SSL_get_verify_result(ssl_.get());
  if (verified == X509_V_ERR_HOSTNAME_MISMATCH || verified == X509_V_ERR_IP_ADDRESS_MISMATCH) {
    ERR_clear_error();
    return unavailable("the server's certificate is not for \"" + name_ +
                       "\"; write a name or address that it is for as the host, or as the option \"ssl_name\"");
  }
  if (verified != X509_V_OK) {
    ERR_clear_error();
    return unavailable("the server's certificate is not trusted (" +
                       std::string(X509_verify_cert_error_string(verified)) +
                       "); name the file of the authority that signed it by the option \"ssl_ca\"");
  }
  const int code = ERR_GET_REASON(ERR_peek_last_error());
  if (code == SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED || code == SSL_R_SSLV3_ALERT_HANDSHAKE_FAILURE) {
    return unavailable("the server refuses the connection (" + reason() +
                       "): if it wants a certificate of its clients (tls-auth-clients), name one by the options "
                       "\"ssl_cert\" and \"ssl_key\"");
  }
  if (code == SSL_R_WRONG_VERSION_NUMBER) {
    ERR_clear_error();
    return unavailable("what answers there does not speak TLS; look at the port (tls-port of the server)");
  }
  return unavailable("TLS failed: " + reason());
}

Result<std::size_t> RedisTls::stopped(int result) {
  const int kind = SSL_get_error(ssl_.get(), result);
  if (kind == SSL_ERROR_WANT_READ || kind == SSL_ERROR_WANT_WRITE) {
    return std::size_t{0};
  }
  return failure(kind);
}

Result<RedisTls::Step> RedisTls::handshake() {
  ERR_clear_error();
  errno = 0;
  const int result = SSL_connect(ssl_.get());
  if (result == 1) {
    return Step::done;
  }
  switch (const int kind = SSL_get_error(ssl_.get(), result)) {
    case SSL_ERROR_WANT_READ: return Step::receive;
    case SSL_ERROR_WANT_WRITE: return Step::send;
    default: return failure(kind);
  }
}

Result<std::size_t> RedisTls::send(std::string_view bytes) {
  ERR_clear_error();
  errno = 0;
  std::size_t sent = 0;
  const int result = SSL_write_ex(ssl_.get(), bytes.data(), bytes.size(), &sent);
  return result == 1 ? Result<std::size_t>(sent) : stopped(result);
}

Result<std::size_t> RedisTls::receive(std::span<char> into) {
  ERR_clear_error();
  errno = 0;
  std::size_t got = 0;
  const int result = SSL_read_ex(ssl_.get(), into.data(), into.size(), &got);
  return result == 1 ? Result<std::size_t>(got) : stopped(result);
}

bool RedisTls::holds_bytes() const { return SSL_pending(ssl_.get()) > 0; }

Result<std::shared_ptr<RedisTlsContext>> RedisTlsContext::create(RedisTlsOptions options) {
  return std::shared_ptr<RedisTlsContext>(new RedisTlsContext(std::move(options)));
}

Status RedisTlsContext::read_files() {
  ERR_clear_error();
  context_.reset(SSL_CTX_new(TLS_client_method()));
  SSL_CTX* const context = context_.get();
  if (context == nullptr || SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) != 1) {
    return unavailable("TLS cannot be set up: " + reason());
  }
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION);
  // What could not be sent at once is offered again from wherever it lies by then.
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  SSL_CTX_set_default_passwd_cb(context, no_password);
  const RedisTlsOptions& files = options_;
  const auto cannot = [](const char* option) {
    return unavailable("the file of the option \"" + std::string(option) + "\" cannot be used: " + reason());
  };
  if (files.ca_file.empty() ? SSL_CTX_set_default_verify_paths(context) != 1
                            : SSL_CTX_load_verify_locations(context, files.ca_file.c_str(), nullptr) != 1) {
    return cannot("ssl_ca");
  }
  if (files.cert_file.empty()) {
    return {};
  }
  if (SSL_CTX_use_certificate_chain_file(context, files.cert_file.c_str()) != 1) {
    return cannot("ssl_cert");
  }
  const std::string& key = files.key_file.empty() ? files.cert_file : files.key_file;
  if (SSL_CTX_use_PrivateKey_file(context, key.c_str(), SSL_FILETYPE_PEM) != 1) {
    return cannot("ssl_key");
  }
  return {};
}

Result<RedisTls> RedisTlsContext::start(int fd, const std::string& host) {
  if (!context_) {
    if (Status read = read_files(); !read) {
      context_.reset();
      return std::move(read).error();
    }
  }
  const std::string& name = options_.name.empty() ? host : options_.name;
  RedisTls tls(SSL_new(context_.get()), name);
  BIO* const bio = tls.ssl_ ? BIO_new(socket_method()) : nullptr;
  if (bio == nullptr) {
    return unavailable("TLS cannot be set up: " + reason());
  }
  BIO_set_data(bio, reinterpret_cast<void*>(static_cast<std::intptr_t>(fd)));
  BIO_set_init(bio, 1);
  SSL_set_bio(tls.ssl_.get(), bio, bio);
  if (Status set = accept_only(tls.ssl_.get(), name); !set) {
    return std::move(set).error();
  }
  return tls;
}

}  // namespace presence

#else

namespace presence {

// Nothing begins without a context, and there is none.
void RedisTls::Free::operator()(ssl_st* /*ssl*/) const {}
void RedisTlsContext::Free::operator()(ssl_ctx_st* /*context*/) const {}

namespace {
Error no_tls() {
  return {ErrorCode::unsupported,
          "this build of presence has no TLS for Redis, as it found no OpenSSL: install libssl-dev and build again, or "
          "use redis: over a tunnel"};
}
}  // namespace

Result<std::shared_ptr<RedisTlsContext>> RedisTlsContext::create(RedisTlsOptions /*options*/) { return no_tls(); }
Result<RedisTls> RedisTlsContext::start(int /*fd*/, const std::string& /*host*/) { return no_tls(); }
Result<RedisTls::Step> RedisTls::handshake() { return no_tls(); }
Result<std::size_t> RedisTls::send(std::string_view /*bytes*/) { return no_tls(); }
Result<std::size_t> RedisTls::receive(std::span<char> /*into*/) { return no_tls(); }
bool RedisTls::holds_bytes() const { return false; }

}  // namespace presence

#endif
