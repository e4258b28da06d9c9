#include "sinks/mysql_address.h"

#include <string_view>
#include <utility>

namespace presence::mysql {
namespace {

Error invalid(std::string_view what) { return {ErrorCode::invalid_argument, std::string(what)}; }

Status fill_tls(const Dsn& dsn, Address& address) {
  const std::string_view ssl = dsn.option("ssl").value_or("0");
  if (ssl != "0" && ssl != "1") {
    return invalid("the option \"ssl\" must be 0 or 1");
  }
  address.tls = ssl == "1";
  if (const auto ca = dsn.option("ssl_ca")) {
    if (!ca->starts_with('/')) {
      return invalid("the option \"ssl_ca\" must be the absolute path of a PEM file");
    }
    address.tls_ca = *ca;
  }
  return {};
}

}  // namespace

Result<Address> address_of(const Dsn& dsn) {
  static constexpr std::string_view kForm = "a MySQL DSN must be mysql://user:password@host:port/database";
  const std::string_view socket = dsn.option("socket").value_or("");
  if (dsn.hosts.size() > 1 || (dsn.hosts.empty() && socket.empty())) {
    return invalid(std::string(kForm) + ", with one host, or with ?socket=/path");
  }
  if (dsn.option("socket") && !socket.starts_with('/')) {
    return invalid("the option \"socket\" must be the absolute path of a Unix socket");
  }
  const std::string_view path = dsn.path;
  const std::string_view database = path.starts_with('/') ? path.substr(1) : path;
  if (database.empty() || database.find('/') != std::string_view::npos) {
    return invalid(std::string(kForm) + ", with the name of a database");
  }
  Address address;
  address.place = dsn.redacted();
  address.database = database;
  address.user = dsn.user.value_or("");
  address.password = dsn.password.value_or("");
  if (socket.empty()) {
    address.host = dsn.hosts.front().name;
    address.port = static_cast<unsigned>(dsn.hosts.front().port.value_or(0));
  } else {
    address.socket = socket;
  }
  if (Status status = fill_tls(dsn, address); !status) {
    return std::move(status).error();
  }
  return address;
}

}  // namespace presence::mysql
