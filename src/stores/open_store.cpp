#include "stores/open_store.h"

#include <string_view>

#include "stores/memcached/memcached_servers.h"
#include "stores/redis/redis_servers.h"

namespace presence {
namespace {

/// What the scheme begins with: "redis" of "redis+unix".
std::string_view family(const Dsn& dsn) { return std::string_view(dsn.scheme).substr(0, dsn.scheme.find('+')); }

bool is_redis(const Dsn& dsn) { return family(dsn) == "redis" || family(dsn) == "rediss"; }

}  // namespace

StoreOpener::StoreOpener() = default;
StoreOpener::~StoreOpener() = default;

Status StoreOpener::check_scheme(const Dsn& dsn) {
  if (is_redis(dsn)) {
#ifdef PRESENCE_HAVE_REDIS
    return {};
#else
    return Error{ErrorCode::unsupported,
                 "this build of presence has no Redis: install hiredis' development files (Debian: libhiredis-dev) and "
                 "build again"};
#endif
  }
  if (family(dsn) == "memcached") {
#ifdef PRESENCE_HAVE_MEMCACHED
    return {};
#else
    return Error{ErrorCode::unsupported,
                 "this build of presence has no Memcached: install libmemcached's development files (Debian: "
                 "libmemcached-dev) and build again"};
#endif
  }
  return Error{ErrorCode::unsupported,
               "visitors cannot be kept there: the DSN of a store must begin with \"shm:\", \"redis:\", \"rediss:\", "
               "\"redis+unix:\", \"redis+sentinel:\", \"redis+cluster:\", \"memcached:\" or \"memcached+unix:\""};
}

Result<std::unique_ptr<Store>> StoreOpener::open(const Dsn& dsn, const StoreOptions& options) {
  if (Status known = check_scheme(dsn); !known) {
    return std::move(known).error();
  }
  static_cast<void>(options);
#ifdef PRESENCE_HAVE_REDIS
  if (is_redis(dsn)) {
    if (!redis_) {
      redis_ = std::make_unique<RedisServers>();
    }
    return redis_->open(dsn, options);
  }
#endif
#ifdef PRESENCE_HAVE_MEMCACHED
  if (!is_redis(dsn)) {
    if (!memcached_) {
      memcached_ = std::make_unique<MemcachedServers>();
    }
    return memcached_->open(dsn, options);
  }
#endif
  return Error{ErrorCode::internal, "a store that is known cannot be opened"};
}

void StoreOpener::abandon() {
  redis_.reset();
  memcached_.reset();
}

}  // namespace presence
