#include "stores/memcached/memcached_servers.h"

#ifdef PRESENCE_HAVE_MEMCACHED

namespace presence {

Result<std::unique_ptr<Store>> MemcachedServers::open(const Dsn& /*dsn*/, const StoreOptions& /*options*/) {
  return Error{ErrorCode::unsupported, "Memcached stores come with a later version"};
}

}  // namespace presence

#endif
