#include "stores/memcached/memcached_servers.h"

#ifdef PRESENCE_HAVE_MEMCACHED

#include <sys/un.h>

#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "base/dsn_options.h"
#include "stores/memcached/memcached_server_list.h"
#include "stores/memcached/ring_store.h"
#include "stores/memcached/table_store.h"

namespace presence {
namespace {

constexpr int kDefaultPort = 11211;
constexpr int kMaxCounters = 1441;  ///< A day of minutes; each count reads all of them.

Error invalid(std::string message) { return {ErrorCode::invalid_argument, std::move(message)}; }

Result<std::vector<MemcachedAddress>> addresses_of(const Dsn& dsn) {
  if (dsn.user || dsn.password) {
    return invalid("Memcached stores take no user and password: the servers must be reachable by your machines only");
  }
  if (dsn.scheme == "memcached+unix") {
    if (!dsn.hosts.empty() || !dsn.path.starts_with('/') || dsn.path.size() >= sizeof(sockaddr_un::sun_path)) {
      return invalid("the DSN must be memcached+unix:///path/of/the/socket, with a path of at most 107 bytes");
    }
    return std::vector<MemcachedAddress>{{"", kDefaultPort, dsn.path}};
  }
  if (dsn.scheme != "memcached" || dsn.hosts.empty() || !dsn.path.empty()) {
    return invalid(
        "the DSN must be memcached://host:port, with more servers after commas, or memcached+unix:///path; options "
        "follow a '?'");
  }
  std::vector<MemcachedAddress> addresses;
  for (const Dsn::Host& host : dsn.hosts) {
    addresses.push_back({host.name, host.port.value_or(kDefaultPort), ""});
  }
  return addresses;
}

Result<MemcachedSpread> spread_of(const Dsn& dsn) {
  const std::string_view name = dsn.option("distribution").value_or("modula");
  if (name == "modula") {
    return MemcachedSpread::modula;
  }
  if (name == "consistent") {
    return MemcachedSpread::consistent;
  }
  if (name == "ketama") {
    return MemcachedSpread::ketama;
  }
  return invalid("the option \"distribution\" must be \"modula\", \"consistent\" or \"ketama\"");
}

Result<MemcachedTableOptions> table_options(const Dsn& dsn) {
  constexpr std::array<std::string_view, 5> kKnown{"strategy", "distribution", "timeout", "parts", "sweep"};
  if (Status known = check_option_names(dsn, kKnown); !known) {
    return std::move(known).error();
  }
  const Result<std::int64_t> parts = integer_of(dsn, "parts", MemcachedTableOptions().parts, 1, 1024);
  if (!parts) {
    return parts.error();
  }
  const Result<std::int64_t> sweep = integer_of(dsn, "sweep", MemcachedTableOptions().sweep, 0, 3600);
  if (!sweep) {
    return sweep.error();
  }
  return MemcachedTableOptions{static_cast<int>(*parts), static_cast<int>(*sweep)};
}

Result<int> ring_refresh(const Dsn& dsn, const StoreOptions& options) {
  constexpr std::array<std::string_view, 4> kKnown{"strategy", "distribution", "timeout", "refresh"};
  if (Status known = check_option_names(dsn, kKnown); !known) {
    return std::move(known).error();
  }
  const std::int64_t window = 60 * std::int64_t{options.window};
  const Result<std::int64_t> refresh = integer_of(dsn, "refresh", 60, 1, window);
  if (!refresh) {
    return refresh.error();
  }
  if (window % *refresh != 0 || window / *refresh >= kMaxCounters) {
    return invalid("the window of " + std::to_string(window) +
                   " seconds must be a multiple of the option \"refresh\" (" + std::to_string(*refresh) +
                   " seconds), at most " + std::to_string(kMaxCounters - 1) + " times it");
  }
  return static_cast<int>(*refresh);
}

}  // namespace

MemcachedServers::MemcachedServers() = default;
MemcachedServers::~MemcachedServers() = default;

Result<std::shared_ptr<MemcachedServerList>> MemcachedServers::servers_of(const Dsn& dsn) {
  const Result<std::vector<MemcachedAddress>> addresses = addresses_of(dsn);
  if (!addresses) {
    return addresses.error();
  }
  const Result<MemcachedSpread> spread = spread_of(dsn);
  if (!spread) {
    return spread.error();
  }
  std::string place = std::to_string(static_cast<int>(*spread));
  for (const MemcachedAddress& address : *addresses) {
    place += ' ' + address.text();
  }
  std::shared_ptr<MemcachedServerList>& list = lists_[place];
  if (!list) {
    Result<MemcachedDistribution> distribution = MemcachedDistribution::make(*addresses, *spread);
    if (!distribution) {
      lists_.erase(place);
      return std::move(distribution).error();
    }
    list = std::make_shared<MemcachedServerList>(*addresses, std::move(*distribution));
  }
  return list;
}

Result<std::unique_ptr<Store>> MemcachedServers::open(const Dsn& dsn, const StoreOptions& given) {
  StoreOptions options = given;
  const Result<double> timeout = timeout_of(dsn, given.timeout);
  if (!timeout) {
    return timeout.error();
  }
  options.timeout = *timeout;
  const std::string_view strategy = dsn.option("strategy").value_or("table");
  if (strategy == "table") {
    const Result<MemcachedTableOptions> table = table_options(dsn);
    if (!table) {
      return table.error();
    }
    auto servers = servers_of(dsn);
    if (!servers) {
      return std::move(servers).error();
    }
    return std::unique_ptr<Store>(std::make_unique<MemcachedTableStore>(std::move(*servers), options, *table));
  }
  if (strategy == "ring") {
    const Result<int> refresh = ring_refresh(dsn, options);
    if (!refresh) {
      return refresh.error();
    }
    auto servers = servers_of(dsn);
    if (!servers) {
      return std::move(servers).error();
    }
    return std::unique_ptr<Store>(std::make_unique<MemcachedRingStore>(std::move(*servers), options, *refresh));
  }
  return invalid("the option \"strategy\" of memcached: must be \"table\" or \"ring\"");
}

}  // namespace presence

#endif
