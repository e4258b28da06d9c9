// What a MySQL DSN says about whom to connect to. Free of the client library.
#pragma once

#include <string>

#include "base/dsn.h"
#include "base/result.h"

namespace presence::mysql {

/// Whom to connect to, and how.
struct Address {
  std::string place;   ///< The redacted DSN, for messages.
  std::string host;    ///< Empty: by `socket`.
  unsigned port = 0;   ///< 0: the library's default.
  std::string socket;  ///< Path of a Unix socket; empty: by `host`.
  std::string user;    ///< Empty: the name of the process's user.
  std::string password;
  std::string database;
  bool tls = false;      ///< Refuse to go on without TLS.
  std::string tls_ca;    ///< PEM file; the server's certificate must be signed by one of these and carry its name.
  double timeout = 5.0;  ///< Seconds to connect, and to get an answer.
};

/// Reads the hosts, user, path and the options `socket`, `ssl` and `ssl_ca` of a DSN. Error: invalid_argument, with
/// what it must be.
Result<Address> address_of(const Dsn& dsn);

}  // namespace presence::mysql
