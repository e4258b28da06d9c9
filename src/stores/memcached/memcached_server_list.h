// The servers of one DSN, asked at once.
#pragma once

#include <memory>
#include <vector>

#include "base/deadline.h"
#include "base/result.h"
#include "stores/memcached/memcached_connection.h"
#include "stores/memcached/memcached_distribution.h"
#include "stores/memcached/memcached_protocol.h"
#include "stores/store.h"

namespace presence {

/// Shared by all stores of one DSN, and kept over requests. Belongs to one thread.
class MemcachedServerList {
 public:
  MemcachedServerList(const std::vector<MemcachedAddress>& addresses, MemcachedDistribution distribution);

  /// Sends each command to its key's server, all at once, and waits for all replies: one round trip. Error:
  /// unavailable, if any of the servers fails; some commands may have been carried out then.
  Status run(MemcachedBatch& batch, const Deadline& deadline);

  /// Of the server that failed last.
  [[nodiscard]] StoreHealth health() const;

 private:
  Status wait(const std::vector<MemcachedConnection*>& asked, const Deadline& deadline);

  std::vector<MemcachedConnection> connections_;
  MemcachedDistribution distribution_;
};

}  // namespace presence
