#include "runtime/settings.h"

#include <unistd.h>

namespace presence {
namespace {

std::string with_user_id(const char* prefix) { return prefix + std::to_string(geteuid()); }

}  // namespace

std::string segment_path(const Settings& settings) {
  return settings.segment.empty() ? with_user_id("/dev/shm/presence-") : settings.segment;
}

std::string data_dir(const Settings& settings) {
  return settings.data_dir.empty() ? with_user_id("/var/tmp/presence-") : settings.data_dir;
}

Result<Dsn> sink_dsn(const Settings& settings) {
  if (!settings.sink.empty()) {
    return parse_dsn(settings.sink);
  }
  Dsn dsn;
  dsn.scheme = "sqlite";
  dsn.path = data_dir(settings) + "/counters.sqlite";
  return dsn;
}

}  // namespace presence
