#include "base/dsn.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>

#include "base/sha256.h"

namespace presence {
namespace {

constexpr std::size_t kMaxDsn = 4096;
constexpr std::size_t kMaxScheme = 32;
constexpr std::size_t kMaxHostName = 255;
constexpr int kMaxPort = 65535;

// Options whose values may be shown to people. Any other name is one we do not know, so it may hold a secret.
constexpr std::array<std::string_view, 31> kPublicOptions{
    "block",  "capacity", "charset",  "chunked",  "database", "db",      "distribution", "key",
    "max_id", "minutes",  "mode",     "on_error", "parts",    "prefix",  "refresh",      "retention",
    "shards", "socket",   "ssl",      "ssl_ca",   "ssl_cert", "ssl_key", "ssl_name",     "strategy",
    "sweep",  "table",    "throttle", "timeout",  "tls",      "window",  "window_size"};

// The options that say where something is, apart from how it is reached.
constexpr std::array<std::string_view, 2> kPlaceOptions{"socket", "table"};

template <std::size_t size>
bool contains(const std::array<std::string_view, size>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

Error invalid(std::string_view what) { return {ErrorCode::invalid_argument, "Invalid DSN: " + std::string(what)}; }

// Unlike <cctype>, these do not depend on the locale.
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), [](char c) { return lower(c); });
  return result;
}

int hex_value(char c) {
  if (is_digit(c)) {
    return c - '0';
  }
  const char l = lower(c);
  return l >= 'a' && l <= 'f' ? l - 'a' + 10 : -1;
}

Result<std::string> percent_decode(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      result += text[i];
      continue;
    }
    const int high = i + 2 < text.size() ? hex_value(text[i + 1]) : -1;
    const int low = i + 2 < text.size() ? hex_value(text[i + 2]) : -1;
    if (high < 0 || low < 0) {
      return invalid("a '%' must be followed by two hex digits; write a '%' itself as %25");
    }
    if (high == 0 && low == 0) {
      return invalid("%00 is not allowed");
    }
    result += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return result;
}

// Encodes what would be read as something else by parse_dsn, and what must not reach a log as it is.
std::string percent_encode(std::string_view text, std::string_view also_plain) {
  static constexpr char kHex[] = "0123456789ABCDEF";
  std::string result;
  for (const char c : text) {
    if (is_letter(c) || is_digit(c) || std::string_view("-._~").find(c) != std::string_view::npos ||
        also_plain.find(c) != std::string_view::npos) {
      result += c;
      continue;
    }
    const auto byte = static_cast<std::uint8_t>(c);
    result += '%';
    result += kHex[byte >> 4];
    result += kHex[byte & 15];
  }
  return result;
}

// The text up to the first of `ends`; what follows (with that character) stays in `rest`.
std::string_view take_until(std::string_view& rest, std::string_view ends) {
  const std::size_t end = std::min(rest.find_first_of(ends), rest.size());
  const std::string_view taken = rest.substr(0, end);
  rest.remove_prefix(end);
  return taken;
}

Result<std::string> parse_scheme(std::string_view& rest) {
  const std::size_t colon = rest.find(':');
  const std::string_view scheme = rest.substr(0, std::min(colon, rest.size()));
  const bool well_formed = colon != std::string_view::npos && !scheme.empty() && scheme.size() <= kMaxScheme &&
                           is_letter(scheme[0]) && std::all_of(scheme.begin(), scheme.end(), [](char c) {
                             return is_letter(c) || is_digit(c) || c == '+' || c == '-';
                           });
  if (!well_formed) {
    return invalid("it must begin with a scheme and a colon, such as \"mysql://\", \"redis://\" or \"sqlite:\"");
  }
  rest.remove_prefix(colon + 1);
  return lower(scheme);
}

Result<int> parse_port(std::string_view text) {
  int port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc() || end != text.data() + text.size() || port < 1 || port > kMaxPort) {
    // What stands here may be a part of a password, so it is not repeated.
    return invalid(
        "the port must be a number from 1 to 65535 (a '/', '?', '@' or '%' in a user name or password must be "
        "percent-encoded: %2F, %3F, %40, %25)");
  }
  return port;
}

Result<std::string> parse_ipv6(std::string_view text) {
  auto decoded = percent_decode(text);  // A zone is written [fe80::1%25eth0].
  if (!decoded) {
    return decoded;
  }
  const std::string address = decoded->substr(0, decoded->find('%'));
  in6_addr ignored;
  const bool zone_ok =
      std::all_of(decoded->begin() + static_cast<std::ptrdiff_t>(address.size()), decoded->end(),
                  [](char c) { return is_letter(c) || is_digit(c) || c == '%' || c == '.' || c == '-'; });
  if (inet_pton(AF_INET6, address.c_str(), &ignored) != 1 || !zone_ok) {
    return invalid("what stands in brackets must be an IPv6 address");
  }
  return lower(*decoded);
}

Result<std::string> parse_host_name(std::string_view text) {
  const bool well_formed =
      !text.empty() && text.size() <= kMaxHostName && std::all_of(text.begin(), text.end(), [](char c) {
        return is_letter(c) || is_digit(c) || c == '.' || c == '-' || c == '_';
      });
  if (!well_formed) {
    return invalid("a host must be a name of letters, digits, '.', '-' and '_', or an address");
  }
  return lower(text);
}

Result<Dsn::Host> parse_host(std::string_view text) {
  std::string_view after;
  Result<std::string> name = std::string();
  if (!text.empty() && text[0] == '[') {
    const std::size_t close = text.find(']');
    if (close == std::string_view::npos) {
      return invalid("a '[' has no ']'");
    }
    name = parse_ipv6(text.substr(1, close - 1));
    after = text.substr(close + 1);
  } else {
    if (std::count(text.begin(), text.end(), ':') > 1) {
      return invalid("an IPv6 address must stand in brackets, as in [::1]:3306");
    }
    after = text;
    name = parse_host_name(take_until(after, ":"));
  }
  if (!name) {
    return std::move(name).error();
  }
  Dsn::Host host{std::move(*name), std::nullopt};
  if (after.empty()) {
    return host;
  }
  if (after[0] != ':') {
    return invalid("after an address in brackets comes ':' and a port, ',' and another host, or '/'");
  }
  auto port = parse_port(after.substr(1));
  if (!port) {
    return std::move(port).error();
  }
  host.port = *port;
  return host;
}

Status parse_credentials(std::string_view text, Dsn& dsn) {
  const std::size_t colon = text.find(':');
  auto user = percent_decode(text.substr(0, colon));
  if (!user) {
    return std::move(user).error();
  }
  if (!user->empty()) {
    dsn.user = std::move(*user);
  }
  if (colon == std::string_view::npos) {
    return {};
  }
  auto password = percent_decode(text.substr(colon + 1));
  if (!password) {
    return std::move(password).error();
  }
  dsn.password = std::move(*password);
  return {};
}

// What stands between "//" and the path.
Status parse_authority(std::string_view text, Dsn& dsn) {
  const std::size_t at = text.rfind('@');
  if (at != std::string_view::npos) {
    if (auto status = parse_credentials(text.substr(0, at), dsn); !status) {
      return status;
    }
    text.remove_prefix(at + 1);
  }
  if (text.empty()) {
    return {};
  }
  while (true) {
    auto host = parse_host(take_until(text, ","));
    if (!host) {
      return std::move(host).error();
    }
    dsn.hosts.push_back(std::move(*host));
    if (text.empty()) {
      return {};
    }
    text.remove_prefix(1);
  }
}

Status parse_options(std::string_view text, Dsn& dsn) {
  static constexpr std::string_view kForm = "options must be written as ?name=value&name=value";
  while (!text.empty()) {
    std::string_view value = take_until(text, "&");
    if (!text.empty()) {
      text.remove_prefix(1);
      if (text.empty()) {
        return invalid(kForm);
      }
    }
    const std::string_view name = take_until(value, "=");
    const bool name_ok = !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
      return is_letter(c) || is_digit(c) || c == '_' || c == '-' || c == '.';
    });
    if (!name_ok || value.empty()) {
      return invalid(kForm);
    }
    if (dsn.option(name)) {
      return invalid("an option is given twice");
    }
    auto decoded = percent_decode(value.substr(1));
    if (!decoded) {
      return std::move(decoded).error();
    }
    dsn.options.emplace_back(name, std::move(*decoded));
  }
  return {};
}

}  // namespace

std::optional<std::string_view> Dsn::option(std::string_view name) const {
  for (const auto& [key, value] : options) {
    if (key == name) {
      return value;
    }
  }
  return std::nullopt;
}

namespace {

/// What Dsn::text() and Dsn::redacted() have in common.
std::string written(const Dsn& dsn, bool with_secrets) {
  const auto& [scheme, user, password, hosts, path, options, beside_text] = dsn;
  std::string text = scheme + ':';
  // A path that begins with two slashes would be taken for a host.
  const bool has_authority = user || password || !hosts.empty() || path.starts_with("//");
  if (has_authority) {
    text += "//";
  }
  if (password) {
    text +=
        (user ? percent_encode(*user, "") : "") + ':' + (with_secrets ? percent_encode(*password, "") : "***") + '@';
  } else if (user) {
    // Some put a Redis password where the user belongs.
    text += (with_secrets ? percent_encode(*user, "") : "***") + '@';
  }
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    const Dsn::Host& host = hosts[i];
    const bool ipv6 = host.name.find(':') != std::string::npos;
    text += i == 0 ? "" : ",";
    text += ipv6 ? '[' + percent_encode(host.name, ":") + ']' : host.name;
    text += host.port ? ':' + std::to_string(*host.port) : "";
  }
  if (!hosts.empty() && !path.empty()) {
    text += '/';
  }
  text += percent_encode(path, "/:,");
  char separator = '?';
  for (const auto& [name, value] : options) {
    text += separator + name + '=' +
            (with_secrets || contains(kPublicOptions, name) ? percent_encode(value, "/:,") : "***");
    separator = '&';
  }
  return text;
}

}  // namespace

std::string Dsn::text() const { return written(*this, true); }

std::string Dsn::redacted() const { return written(*this, false); }

std::string Dsn::fingerprint() const {
  // Each part is preceded by its length, so that no two lists of parts give the same text.
  std::string place;
  const auto add = [&place](std::string_view part) {
    place += std::to_string(part.size());
    place += ':';
    place += part;
  };
  add(scheme);
  add(std::to_string(hosts.size()));
  for (const Host& host : hosts) {
    add(host.name);
    add(host.port ? std::to_string(*host.port) : "");
  }
  add(path);
  for (const std::string_view name : kPlaceOptions) {
    const auto value = option(name);
    add(value ? name : "");
    add(value.value_or(""));
  }
  return sha256_hex(place, 32);
}

Result<Dsn> parse_dsn(std::string_view text) {
  if (text.size() > kMaxDsn) {
    return invalid("it must be at most 4096 bytes long");
  }
  if (std::any_of(text.begin(), text.end(), is_control)) {
    return invalid("it must not contain control characters");
  }
  auto scheme = parse_scheme(text);
  if (!scheme) {
    return std::move(scheme).error();
  }
  Dsn dsn;
  dsn.scheme = std::move(*scheme);

  if (text.starts_with("//")) {
    text.remove_prefix(2);
    const std::string_view authority = take_until(text, "/?");
    if (auto status = parse_authority(authority, dsn); !status) {
      return std::move(status).error();
    }
    const bool has_credentials = dsn.user || dsn.password;
    if (!dsn.hosts.empty() && !has_credentials && text.find('@') != std::string_view::npos) {
      // "user:p/w@host" cut at the slash: taking "user" for the host would send what follows to a stranger.
      return invalid(
          "an '@' stands after the host; a '/' or '?' in a user name or password must be written %2F or %3F");
    }
  } else if (!text.empty() && text[0] != '/' && text[0] != '?') {
    // Keeps out PDO's "mysql:host=…;password=…" and relative paths, which mean another file in each process.
    return invalid("after the scheme must come \"//\" and a host, or an absolute path");
  }

  const bool drop_slash = !dsn.hosts.empty() && text.starts_with('/');
  std::string_view raw_path = take_until(text, "?");
  if (drop_slash) {
    raw_path.remove_prefix(1);
  }
  auto path = percent_decode(raw_path);
  if (!path) {
    return std::move(path).error();
  }
  dsn.path = std::move(*path);
  if (!text.empty()) {
    if (auto status = parse_options(text.substr(1), dsn); !status) {
      return std::move(status).error();
    }
  }
  return dsn;
}

}  // namespace presence
