#include "stores/redis/redis_servers.h"

#ifdef PRESENCE_HAVE_REDIS

namespace presence {

Result<std::unique_ptr<Store>> RedisServers::open(const Dsn& /*dsn*/, const StoreOptions& /*options*/) {
  return Error{ErrorCode::unsupported, "Redis stores come with a later version"};
}

}  // namespace presence

#endif
