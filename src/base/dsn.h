// Data source names: where a store or sink is, parsed and checked once.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace presence {

/// A DSN taken apart. The text of `scheme://user:password@host1:port,host2:port/path?name=value&…`, of
/// `scheme+unix:///path?…`, or of `scheme:path?…` (sqlite, shm). User, password, path and option values are
/// percent-decoded.
struct Dsn {
  struct Host {
    std::string name;         ///< A host name or address; an IPv6 address without its brackets.
    std::optional<int> port;  ///< 1 to 65535.
  };

  std::string scheme;  ///< Lower case, such as "mysql", "redis+unix".
  std::optional<std::string> user;
  std::optional<std::string> password;
  std::vector<Host> hosts;
  std::string path;  ///< After the host, without the first slash; all of it where there is no host.
  std::vector<std::pair<std::string, std::string>> options;
  /// How many of the last options were not in the text but given by the program, so that their names are no secrets.
  std::size_t options_beside_text = 0;

  /// The value of an option, if given.
  [[nodiscard]] std::optional<std::string_view> option(std::string_view name) const;

  /// The DSN as parse_dsn() takes it, with its secrets.
  [[nodiscard]] std::string text() const;

  /// The DSN for people: the password and options that may hold one are replaced by "***".
  [[nodiscard]] std::string redacted() const;

  /// 32 hex digits that name the place and not the credentials: equal for two DSNs that differ in user, password or
  /// options other than those that say where it is (`socket`, `table`).
  [[nodiscard]] std::string fingerprint() const;
};

/// Takes a DSN apart. Checks its form, not whether the scheme exists. Error: invalid_argument; the message says what is
/// wrong and never repeats the DSN, which may hold a password.
Result<Dsn> parse_dsn(std::string_view text);

}  // namespace presence
