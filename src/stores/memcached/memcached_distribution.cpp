#include "stores/memcached/memcached_distribution.h"

#ifdef PRESENCE_HAVE_MEMCACHED

#include <libmemcached/memcached.h>

namespace presence {

void MemcachedDistribution::Free::operator()(memcached_st* handle) const { memcached_free(handle); }

Result<MemcachedDistribution> MemcachedDistribution::make(const std::vector<MemcachedAddress>& servers,
                                                          MemcachedSpread spread) {
  MemcachedDistribution distribution;
  if (servers.size() == 1) {
    return distribution;
  }
  distribution.handle_.reset(memcached_create(nullptr));
  memcached_st* handle = distribution.handle_.get();
  if (handle == nullptr) {
    return Error{ErrorCode::internal, "libmemcached has no memory"};
  }
  memcached_return_t code = MEMCACHED_SUCCESS;
  if (spread == MemcachedSpread::consistent) {
    code = memcached_behavior_set(handle, MEMCACHED_BEHAVIOR_DISTRIBUTION, MEMCACHED_DISTRIBUTION_CONSISTENT);
  } else if (spread == MemcachedSpread::ketama) {
    code = memcached_behavior_set(handle, MEMCACHED_BEHAVIOR_KETAMA_WEIGHTED, 1);
  }
  for (const MemcachedAddress& server : servers) {
    if (memcached_success(code)) {
      code = memcached_server_add(handle, server.host.c_str(), static_cast<in_port_t>(server.port));
    }
  }
  if (memcached_failed(code)) {
    return Error{ErrorCode::internal,
                 std::string("libmemcached does not take these servers: ") + memcached_strerror(handle, code)};
  }
  return distribution;
}

std::size_t MemcachedDistribution::server_of(std::string_view key) const {
  return handle_ ? memcached_generate_hash(handle_.get(), key.data(), key.size()) : 0;
}

}  // namespace presence

#endif
