#include "stores/redis/redis_address.h"

#include <charconv>
#include <string_view>
#include <utility>

namespace presence {
namespace {

constexpr int kSentinelPort = 26379;
constexpr std::size_t kMaxSocketPath = 107;  // sun_path with its NUL has 108.

Error invalid(std::string message) { return {ErrorCode::invalid_argument, std::move(message)}; }

Result<int> database_number(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 0) {
    return invalid("must name the Redis database by its number, such as redis://host/0 or ?db=0");
  }
  return number;
}

Status read_database(const Dsn& dsn, RedisAddress& address) {
  const bool in_path = address.kind == RedisKind::single && address.endpoints[0].socket.empty();
  const std::optional<std::string_view> option = dsn.option("db");
  if (address.kind == RedisKind::cluster && (option || !dsn.path.empty())) {
    return invalid("must not name a database: a Redis Cluster has only number 0");
  }
  if (in_path && option && !dsn.path.empty()) {
    return invalid("names the database twice, in the path and as \"db\"");
  }
  const std::string_view text = option ? *option : in_path ? std::string_view(dsn.path) : std::string_view();
  if (text.empty() && !option) {
    return {};
  }
  const Result<int> number = database_number(text);
  if (!number) {
    return number.error();
  }
  address.login.database = *number;
  return {};
}

Status read_hosts(const Dsn& dsn, RedisAddress& address) {
  if (dsn.hosts.empty()) {
    return invalid("must name a host, such as redis://127.0.0.1:6379/0; a Unix socket is redis+unix:///path");
  }
  if (address.kind == RedisKind::single && dsn.hosts.size() > 1) {
    return invalid("must name one host; several are for redis+sentinel: and redis+cluster:");
  }
  const int port = address.kind == RedisKind::sentinel ? kSentinelPort : RedisEndpoint().port;
  for (const Dsn::Host& host : dsn.hosts) {
    address.endpoints.push_back({host.name, host.port.value_or(port), {}});
  }
  return {};
}

Status read_socket(const Dsn& dsn, RedisAddress& address) {
  if (!dsn.hosts.empty() || dsn.path.empty() || dsn.path[0] != '/' || dsn.path.size() > kMaxSocketPath) {
    return invalid("must be redis+unix:///path/of/socket, the path having at most 107 bytes");
  }
  address.endpoints.push_back({{}, 0, dsn.path});
  return {};
}

Status read_login(const Dsn& dsn, RedisLogin& login) {
  if (dsn.user && !dsn.password) {
    return invalid("has a user and no password; a password alone is written redis://:password@host");
  }
  login.user = dsn.user;
  if (dsn.password && !dsn.password->empty()) {
    login.password = dsn.password;
  }
  return {};
}

Status read_tls(const Dsn& dsn, RedisAddress& address) {
  RedisTlsOptions options;
  for (const auto& [name, value] : {std::pair("ssl_ca", &options.ca_file),
                                    {"ssl_cert", &options.cert_file},
                                    {"ssl_key", &options.key_file},
                                    {"ssl_name", &options.name}}) {
    const std::optional<std::string_view> given = dsn.option(name);
    if (!given) {
      continue;
    }
    if (!address.tls) {
      return invalid("has the option " + std::string(name) + ", which goes with TLS: write rediss: in place of redis:");
    }
    if (value != &options.name && !given->starts_with('/')) {
      return invalid("the option \"" + std::string(name) + "\" must be the absolute path of a PEM file");
    }
    *value = *given;
  }
  if (options.cert_file.empty() && !options.key_file.empty()) {
    return invalid("has the option ssl_key without ssl_cert, the file of the certificate that the key is for");
  }
  if (address.tls) {
    address.tls = std::move(options);
  }
  return {};
}

}  // namespace

std::string RedisEndpoint::text() const {
  if (host.empty()) {
    return socket;
  }
  const bool ipv6 = host.find(':') != std::string::npos;
  return (ipv6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

Result<RedisAddress> redis_address(const Dsn& dsn) {
  RedisAddress address;
  const std::size_t plus = dsn.scheme.find('+');
  const std::string_view family = std::string_view(dsn.scheme).substr(0, plus);
  const std::string_view kind = plus == std::string::npos ? "" : std::string_view(dsn.scheme).substr(plus + 1);
  if (family == "rediss") {
    address.tls.emplace();
  }
  if (kind == "sentinel") {
    address.kind = RedisKind::sentinel;
    address.master = dsn.path;
    if (dsn.path.empty() || dsn.path.find('/') != std::string::npos) {
      return invalid("must name the master that the sentinels know, as in redis+sentinel://h1,h2/mymaster");
    }
  } else if (kind == "cluster") {
    address.kind = RedisKind::cluster;
  } else if (!kind.empty() && (kind != "unix" || address.tls)) {
    return invalid("must begin with redis:, rediss:, redis+unix:, redis+sentinel: or redis+cluster:");
  }
  if (Status read = kind == "unix" ? read_socket(dsn, address) : read_hosts(dsn, address); !read) {
    return std::move(read).error();
  }
  if (Status read = read_login(dsn, address.login); !read) {
    return std::move(read).error();
  }
  if (Status read = read_database(dsn, address); !read) {
    return std::move(read).error();
  }
  if (Status read = read_tls(dsn, address); !read) {
    return std::move(read).error();
  }
  Dsn bare = dsn;
  bare.options.clear();
  address.place = bare.redacted();
  return address;
}

}  // namespace presence
