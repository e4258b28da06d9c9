#include "stores/redis/redis_servers.h"

#include <string_view>
#include <utility>
#include <vector>

#include "base/dsn_options.h"
#include "stores/redis/bitmap_store.h"
#include "stores/redis/cluster_redis.h"
#include "stores/redis/hll_store.h"
#include "stores/redis/redis_address.h"
#include "stores/redis/redis_server.h"
#include "stores/redis/redis_tls.h"
#include "stores/redis/sentinel_redis.h"
#include "stores/redis/sets_store.h"
#include "stores/redis/single_redis.h"
#include "stores/redis/zset_store.h"

namespace presence {
namespace {

/// All that decides where commands end up, and as whom. Holds secrets: never shown.
std::string identity(const RedisAddress& address) {
  std::string text;
  const auto add = [&text](std::string_view part) { text += std::to_string(part.size()) + ':' + std::string(part); };
  add(std::to_string(static_cast<int>(address.kind)));
  if (address.tls) {
    const auto& [ca_file, cert_file, key_file, name] = *address.tls;
    for (const std::string& part : {ca_file, cert_file, key_file, name}) {
      add("s" + part);
    }
  }
  for (const RedisEndpoint& endpoint : address.endpoints) {
    add(endpoint.text());
  }
  add(address.master);
  add(address.login.user ? "u" + *address.login.user : "");
  add(address.login.password ? "p" + *address.login.password : "");
  add(std::to_string(address.login.database));
  return text;
}

Result<std::shared_ptr<RedisServer>> make_server(const RedisAddress& address) {
  std::shared_ptr<RedisTlsContext> tls;
  if (address.tls) {
    Result<std::shared_ptr<RedisTlsContext>> created = RedisTlsContext::create(*address.tls);
    if (!created) {
      return std::move(created).error();
    }
    tls = std::move(*created);
  }
  switch (address.kind) {
    case RedisKind::single: return std::shared_ptr<RedisServer>(std::make_shared<SingleRedis>(address, tls));
    case RedisKind::sentinel: return std::shared_ptr<RedisServer>(std::make_shared<SentinelRedis>(address, tls));
    case RedisKind::cluster: return std::shared_ptr<RedisServer>(std::make_shared<ClusterRedis>(address, tls));
  }
  return Error{ErrorCode::internal, "no such kind of server"};
}

std::vector<std::string_view> known_options(std::string_view strategy) {
  std::vector<std::string_view> known{"strategy", "db", "ssl_ca", "ssl_cert", "ssl_key", "ssl_name"};
  if (strategy == "bitmap") {
    known.insert(known.end(), {"window_size", "max_id", "chunked"});
  }
  return known;
}

Status check_minute_keys(std::string_view strategy, const StoreOptions& options) {
  if (options.retention > MinuteKeysStore::kLongestRetention) {
    return Error{ErrorCode::invalid_argument, "with strategy=" + std::string(strategy) +
                                                  " cannot keep visitors for longer than a day, as it has a key for "
                                                  "each minute: set retention to at most 1440, or use strategy=zset"};
  }
  return {};
}

}  // namespace

Result<std::shared_ptr<RedisServer>> RedisServers::server(const Dsn& dsn) {
  const Result<RedisAddress> address = redis_address(dsn);
  if (!address) {
    return address.error();
  }
  std::string key = identity(*address);
  if (const auto found = servers_.find(key); found != servers_.end()) {
    return found->second;
  }
  Result<std::shared_ptr<RedisServer>> made = make_server(*address);
  if (!made) {
    return made;
  }
  if (servers_.size() >= kMaxServers) {
    std::erase_if(servers_, [](const auto& entry) { return entry.second.use_count() == 1; });
  }
  servers_.emplace(std::move(key), *made);
  return made;
}

Result<std::unique_ptr<Store>> RedisServers::open(const Dsn& dsn, const StoreOptions& options) {
  const std::string_view strategy = dsn.option("strategy").value_or("zset");
  if (strategy != "zset" && strategy != "sets" && strategy != "bitmap" && strategy != "hll") {
    return Error{ErrorCode::invalid_argument,
                 "must have one of the strategies of Redis: zset, sets, bitmap or hll (option \"strategy\")"};
  }
  if (Status known = check_option_names(dsn, known_options(strategy)); !known) {
    return std::move(known).error();
  }
  Result<std::shared_ptr<RedisServer>> server = this->server(dsn);
  if (!server) {
    return std::move(server).error();
  }
  if (strategy == "zset") {
    return std::unique_ptr<Store>(std::make_unique<ZsetStore>(std::move(*server), options));
  }
  if (strategy == "bitmap") {
    const Result<BitmapOptions> bitmap = bitmap_options(dsn, options.window);
    if (!bitmap) {
      return bitmap.error();
    }
    return std::unique_ptr<Store>(std::make_unique<BitmapStore>(std::move(*server), options, *bitmap));
  }
  if (Status fits = check_minute_keys(strategy, options); !fits) {
    return std::move(fits).error();
  }
  if (strategy == "sets") {
    return std::unique_ptr<Store>(std::make_unique<SetsStore>(std::move(*server), options));
  }
  return std::unique_ptr<Store>(std::make_unique<HllStore>(std::move(*server), options));
}

}  // namespace presence
