// The Redis and Valkey servers that one thread talks to.
#pragma once

#include <memory>

#include "base/dsn.h"
#include "base/result.h"
#include "stores/store.h"
#include "stores/store_options.h"

namespace presence {

/// Opens the stores of redis:, rediss:, redis+unix:, redis+sentinel: and redis+cluster:, and keeps their connections.
/// Belongs to one thread, and to one process: a forked child drops it.
class RedisServers {
 public:
  /// Errors: invalid_argument, unsupported. Does not connect yet.
  Result<std::unique_ptr<Store>> open(const Dsn& dsn, const StoreOptions& options);
};

}  // namespace presence
