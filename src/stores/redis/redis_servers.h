// The Redis and Valkey servers that one thread talks to.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "base/dsn.h"
#include "base/result.h"
#include "stores/store.h"
#include "stores/store_options.h"

namespace presence {

class RedisServer;

/// Opens the stores of redis:, rediss:, redis+unix:, redis+sentinel: and redis+cluster:, and keeps their connections.
/// Belongs to one thread. In a forked child the connections notice by themselves; see RedisConnection.
class RedisServers {
 public:
  /// The options of the DSN: `strategy` (zset, sets, bitmap, hll), `db`, for TLS `ssl_ca`, `ssl_cert`, `ssl_key`
  /// and `ssl_name`, and for bitmap `window_size`, `max_id` and `chunked`. Errors: invalid_argument, unsupported. Does
  /// not connect yet.
  Result<std::unique_ptr<Store>> open(const Dsn& dsn, const StoreOptions& options);

  /// The server of a DSN. All stores of the same place and login share it.
  Result<std::shared_ptr<RedisServer>> server(const Dsn& dsn);

 private:
  /// So many are kept though nobody uses them now. A script may go through any number.
  static constexpr std::size_t kMaxServers = 16;

  std::map<std::string, std::shared_ptr<RedisServer>> servers_;
};

}  // namespace presence
