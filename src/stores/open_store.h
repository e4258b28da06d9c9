// From a DSN to a store on a server.
#pragma once

#include <memory>

#include "base/dsn.h"
#include "base/result.h"
#include "stores/store.h"
#include "stores/store_options.h"

namespace presence {

class RedisServers;
class MemcachedServers;

/// Opens stores on servers, and keeps what belongs to a server from one request to the next: its connection and its
/// circuit breaker, shared by all stores of one DSN. Belongs to one thread.
class StoreOpener {
 public:
  StoreOpener();
  ~StoreOpener();
  StoreOpener(const StoreOpener&) = delete;
  StoreOpener& operator=(const StoreOpener&) = delete;

  /// Whether there is a store on servers for the DSN's scheme. Error: unsupported; the message names those that there
  /// are.
  static Status check_scheme(const Dsn& dsn);

  /// A store for the DSN's scheme and strategy; connects when it is first asked something. The opener must outlive it.
  /// Errors: invalid_argument (a DSN that is wrong in itself; the message never shows its secrets), unsupported (no
  /// such store, or not in this build).
  Result<std::unique_ptr<Store>> open(const Dsn& dsn, const StoreOptions& options);

  /// For a forked child: closes the parent's connections without a word to the servers. Stores opened before must be
  /// gone.
  void abandon();

 private:
  std::unique_ptr<RedisServers> redis_;
  std::unique_ptr<MemcachedServers> memcached_;
};

}  // namespace presence
