// Where a Redis server is and how to log in, from a DSN.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/dsn.h"
#include "base/result.h"

namespace presence {

/// One server: a host and port, or a Unix socket.
struct RedisEndpoint {
  std::string host;  ///< Empty for a Unix socket.
  int port = 6379;
  std::string socket;  ///< Path of the Unix socket.

  bool operator==(const RedisEndpoint&) const = default;
  /// "host:port", "[::1]:port" or the path, for people.
  [[nodiscard]] std::string text() const;
};

/// What is said first on a new connection.
struct RedisLogin {
  std::optional<std::string> user;  ///< Only with a password.
  std::optional<std::string> password;
  int database = 0;
};

/// TLS: whom to trust and what to show of oneself. Files are PEM, by their absolute paths.
struct RedisTlsOptions {
  std::string ca_file;    ///< Who signed the servers' certificates; empty: whom the system trusts.
  std::string cert_file;  ///< Our certificate, for servers that want one; empty: none.
  std::string key_file;   ///< Its key; empty: it is in the same file.
  std::string name;       ///< Whom the servers' certificates are for; empty: the host that is connected to.
};

/// How the servers of a DSN belong together.
enum class RedisKind { single, sentinel, cluster };

/// A DSN, checked: redis://[[user]:password@]host[:port][/database], redis+unix:///path[?db=], redis+cluster://h1,h2,
/// redis+sentinel://h1,h2/master[?db=]; rediss in place of redis means TLS.
struct RedisAddress {
  RedisKind kind = RedisKind::single;
  std::optional<RedisTlsOptions> tls;    ///< Present: nothing goes over the wire in the clear.
  std::vector<RedisEndpoint> endpoints;  ///< Sentinels, or those cluster nodes that are asked first. Never empty.
  RedisLogin login;
  std::string master;  ///< The name that sentinels know the master by.
  std::string place;   ///< The DSN for people, without options and secrets.
};

/// Error: invalid_argument, with what is wrong and never a secret; options are not looked at but for `db` and those
/// of RedisTlsOptions (`ssl_ca`, `ssl_cert`, `ssl_key`, `ssl_name`).
Result<RedisAddress> redis_address(const Dsn& dsn);

}  // namespace presence
