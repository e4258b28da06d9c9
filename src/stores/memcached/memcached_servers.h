// The Memcached servers that one thread talks to.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "base/dsn.h"
#include "base/result.h"
#include "stores/store.h"
#include "stores/store_options.h"

namespace presence {

class MemcachedServerList;

/// Opens the stores of `memcached://h1:11211,h2:11211?strategy=table|ring` and `memcached+unix:///path`, and keeps
/// their connections. Belongs to one thread. A forked child may keep it: the connections of its parent are closed
/// without a word, and made anew.
///
/// Options of the DSN: `strategy` (table), `distribution` (modula, consistent, ketama), `timeout`; of the table `parts`
/// (1 to 1024) and `sweep` (seconds, 0 to 3600), of the ring `refresh` (seconds; the window is a multiple of it).
class MemcachedServers {
 public:
  MemcachedServers();
  ~MemcachedServers();

  /// Errors: invalid_argument. Does not connect yet.
  Result<std::unique_ptr<Store>> open(const Dsn& dsn, const StoreOptions& options);

 private:
  Result<std::shared_ptr<MemcachedServerList>> servers_of(const Dsn& dsn);

  std::map<std::string, std::shared_ptr<MemcachedServerList>> lists_;
};

}  // namespace presence
