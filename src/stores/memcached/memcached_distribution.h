// Which of several servers has a key: decided by libmemcached, as it is for PHP's `memcached` extension.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "stores/memcached/memcached_connection.h"

struct memcached_st;

namespace presence {

/// How keys are spread over servers.
enum class MemcachedSpread {
  modula,      ///< By the hash modulo the number of servers: what PHP's extension does where nothing is set.
  consistent,  ///< As with memcached.default_consistent_hash=1, or OPT_DISTRIBUTION = DISTRIBUTION_CONSISTENT.
  ketama,      ///< As with OPT_LIBKETAMA_COMPATIBLE.
};

/// Does no I/O: libmemcached only computes here.
class MemcachedDistribution {
 public:
  /// The servers in the order in which PHP adds them. Error: internal, if libmemcached does not take them.
  static Result<MemcachedDistribution> make(const std::vector<MemcachedAddress>& servers, MemcachedSpread spread);

  /// The index of the key's server.
  [[nodiscard]] std::size_t server_of(std::string_view key) const;

 private:
  struct Free {
    void operator()(memcached_st* handle) const;
  };

  std::unique_ptr<memcached_st, Free> handle_;  ///< None for a single server, which has all keys.
};

}  // namespace presence
