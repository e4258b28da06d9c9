// Guarded as a whole: builds without the client library compile this file to nothing.
#ifdef PRESENCE_HAVE_MYSQL

#include "sinks/mysql_connection.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <mutex>
#include <utility>

#include "base/unique_fd.h"
#include "sinks/mysql_errors.h"

namespace presence::mysql {
namespace {

// The command byte, and room for what a proxy may add.
constexpr std::size_t kPacketOverhead = 64;
// The least value that servers allow for max_allowed_packet.
constexpr std::size_t kMinPacket = 1024;

std::string describe(const std::string& place, MYSQL* handle) {
  return place + ": " + mysql_error(handle) + " (error " + std::to_string(mysql_errno(handle)) + ')';
}

/// What to do about an attempt to connect that failed so; empty where the server's words say it.
const char* advice(unsigned number) {
  switch (number) {
    case 1044:  // Access denied to database
    case 1045:  // Access denied
    case 1698:  // Access denied, without a password
      return "; correct user and password in the DSN (special characters percent-encoded), or grant the user the "
             "database";
    case 1049:  // Unknown database
      return "; create the database, or correct its name in the DSN";
    case 2002:  // No connection to a local server
    case 2003:  // No connection by TCP
      return "; start the server, or correct host, port or socket in the DSN";
    case 2005:  // Unknown host
      return "; correct the host in the DSN";
    default: return "";
  }
}

const char* or_null(const std::string& text) { return text.empty() ? nullptr : text.c_str(); }

void set_options(MYSQL* handle, const Address& address) {
  const auto seconds = static_cast<unsigned>(std::max(1.0, std::ceil(address.timeout)));
  mysql_options(handle, MYSQL_OPT_CONNECT_TIMEOUT, &seconds);
  mysql_options(handle, MYSQL_OPT_READ_TIMEOUT, &seconds);
  mysql_options(handle, MYSQL_OPT_WRITE_TIMEOUT, &seconds);
  mysql_options(handle, MYSQL_SET_CHARSET_NAME, "utf8mb4");
  mysql_options4(handle, MYSQL_OPT_CONNECT_ATTR_ADD, "program_name", "presence");

  // Otherwise a server may ask for any file that this process can read.
  const unsigned no_local_files = 0;
  mysql_options(handle, MYSQL_OPT_LOCAL_INFILE, &no_local_files);
  // A session that comes back silently would have lost its transaction and its settings.
  const my_bool reconnect = 0;
  mysql_options(handle, MYSQL_OPT_RECONNECT, &reconnect);
  if (address.port != 0) {
    // Whoever writes "localhost:3307" means that port, not the Unix socket.
    const unsigned protocol = MYSQL_PROTOCOL_TCP;
    mysql_options(handle, MYSQL_OPT_PROTOCOL, &protocol);
  }

  // Set in any case: the library's default for verification changed between its versions.
  const my_bool verify = address.tls_ca.empty() ? 0 : 1;
  mysql_options(handle, MYSQL_OPT_SSL_VERIFY_SERVER_CERT, &verify);
  if (!address.tls_ca.empty()) {
    mysql_options(handle, MYSQL_OPT_SSL_CA, address.tls_ca.c_str());
  }
  if (address.tls || !address.tls_ca.empty()) {
    const my_bool enforce = 1;
    mysql_options(handle, MYSQL_OPT_SSL_ENFORCE, &enforce);
  }
}

}  // namespace

Result<std::unique_ptr<Connection>> Connection::open(const Address& address) {
  // mysql_init() would do it by itself, but not safely from two threads at once.
  static std::once_flag once;
  std::call_once(once, [] { mysql_library_init(0, nullptr, nullptr); });

  std::unique_ptr<MYSQL, Close> handle(mysql_init(nullptr));
  if (!handle) {
    throw std::bad_alloc();
  }
  set_options(handle.get(), address);
  const MYSQL* connected =
      mysql_real_connect(handle.get(), or_null(address.host), or_null(address.user), address.password.c_str(),
                         or_null(address.database), address.port, or_null(address.socket), 0);
  if (connected == nullptr) {
    return Error{classify(mysql_errno(handle.get()), mysql_sqlstate(handle.get())),
                 describe(address.place, handle.get()) + advice(mysql_errno(handle.get()))};
  }
  // The library goes on in the clear where the server offers no TLS.
  const bool must_be_secret = address.tls || !address.tls_ca.empty();
  if (must_be_secret && mysql_get_ssl_cipher(handle.get()) == nullptr) {
    return Error{ErrorCode::unavailable, address.place + ": the server offers no TLS, which the DSN asks for"};
  }
  std::unique_ptr<Connection> connection(new Connection(std::move(handle), address.place));
  if (Status status = connection->prepare_session(address.timeout); !status) {
    return std::move(status).error();
  }
  return connection;
}

Connection::Connection(std::unique_ptr<MYSQL, Close> handle, std::string place)
    : handle_(std::move(handle)), place_(std::move(place)), owner_(getpid()) {}

Connection::~Connection() {
  if (!is_ours()) {
    abandon();
  }
}

bool Connection::is_ours() const { return owner_ == getpid(); }

void Connection::abandon() {
  // mysql_close() sends a goodbye, which would end the session that the parent still uses. So the descriptor is first
  // made to refer to a socket that leads nowhere; only this process's copy changes.
  const UniqueFd nowhere(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  const int fd = static_cast<int>(mysql_get_socket(handle_.get()));
  if (!nowhere || dup2(nowhere.get(), fd) < 0) {
    static_cast<void>(handle_.release());  // Leaked: better than harming the parent.
  }
}

Status Connection::prepare_session(double timeout) {
  // Half of the time that we wait for an answer, so that a wait for a lock ends with an error and not with the
  // connection. SET NAMES, since a server may ignore the character set of the handshake. The server ends a session that
  // is silent for two minutes: one that lost its client would keep its locks for as long, by default for eight hours.
  const std::string lock_seconds = std::to_string(std::max(1L, std::lround(std::floor(timeout / 2))));
  if (Status status =
          run("SET NAMES utf8mb4, SESSION autocommit = 1, SESSION innodb_lock_wait_timeout = " + lock_seconds +
              ", SESSION lock_wait_timeout = " + lock_seconds + ", SESSION wait_timeout = 120");
      !status) {
    return status;
  }
  // The version by query: what the handshake says may come from a proxy.
  auto rows = query("SELECT VERSION(), @@max_allowed_packet");
  if (!rows) {
    return std::move(rows).error();
  }
  if (rows->size() != 1 || rows->front().size() != 2) {
    return Error{ErrorCode::unavailable, place_ + ": the server does not tell its version"};
  }
  dialect_ = sql::server_dialect(rows->front()[0]);
  const std::string& packet = rows->front()[1];
  std::size_t bytes = 0;
  std::from_chars(packet.data(), packet.data() + packet.size(), bytes);
  max_statement_ = std::max(bytes, kMinPacket) - kPacketOverhead;
  return {};
}

Error Connection::failure() {
  last_error_ = mysql_errno(handle_.get());
  return {classify(last_error_, mysql_sqlstate(handle_.get())), describe(place_, handle_.get())};
}

Status Connection::run(std::string_view statement) {
  last_error_ = 0;
  if (mysql_real_query(handle_.get(), statement.data(), static_cast<unsigned long>(statement.size())) != 0) {
    return failure();
  }
  return {};
}

Result<Connection::Rows> Connection::query(std::string_view statement) {
  if (Status status = run(statement); !status) {
    return std::move(status).error();
  }
  struct Free {
    void operator()(MYSQL_RES* result) const { mysql_free_result(result); }
  };
  const std::unique_ptr<MYSQL_RES, Free> result(mysql_store_result(handle_.get()));
  if (!result) {
    return failure();
  }
  const unsigned columns = mysql_num_fields(result.get());
  Rows rows;
  while (MYSQL_ROW row = mysql_fetch_row(result.get())) {
    const unsigned long* lengths = mysql_fetch_lengths(result.get());
    std::vector<std::string>& texts = rows.emplace_back();
    for (unsigned i = 0; i < columns; ++i) {
      texts.emplace_back(row[i] == nullptr ? "" : row[i], row[i] == nullptr ? 0 : lengths[i]);
    }
  }
  return rows;
}

void Connection::append_literal(std::string& out, std::string_view text) {
  const std::size_t before = out.size();
  out.resize(before + 2 * text.size() + 3);  // Every byte escaped, two quotes, and the NUL that the library writes.
  out[before] = '\'';
  const unsigned long length = mysql_real_escape_string(handle_.get(), out.data() + before + 1, text.data(),
                                                        static_cast<unsigned long>(text.size()));
  out[before + 1 + length] = '\'';
  out.resize(before + 2 + length);
}

}  // namespace presence::mysql

#endif  // PRESENCE_HAVE_MYSQL
