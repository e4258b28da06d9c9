// What an administrator sets: the values of the presence.* INI entries, free of PHP.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/dsn.h"
#include "base/result.h"
#include "presence/options.h"

namespace presence {

/// Who writes finished minutes.
enum class FlusherMode {
  automatic,  ///< A process of its own, started where none is; where that is forbidden, as `request`.
  request,    ///< The end of a request.
  off,        ///< Nobody but Counters::flush(), from a cron job.
};

/// One value for each INI entry. The defaults here are the defaults of the INI entries (a PHPT compares them).
/// Already validated: every number is within the range given here.
struct Settings {
  /// Off: every call checks the types of its arguments and does nothing.
  bool enabled = true;

  std::string segment;             ///< Path of the shared file; empty: see segment_path().
  std::uint64_t segment_size = 0;  ///< Bytes at most; 0: as much as max_series and max_visitors need.
  std::string data_dir;            ///< Folder of the SQLite file and of batches not yet sent; empty: see data_dir().

  std::string store = "shm:";        ///< DSN of the visitors' store.
  std::string key = "users:online";  ///< Key, or first part of the keys, in the store. 1 to 200 bytes.
  int window = 5;                    ///< Minutes without a request after which a visitor is gone; 1 to retention.
  int retention = 60;                ///< Minutes that a visitor is kept; 1 to 525600 (a year).
  std::optional<int> throttle;  ///< Seconds in which a visitor is recorded once; 0 to 86400. None: the store's own.
  PresenceMode mode = PresenceMode::buffered;
  double timeout = 0.2;  ///< Seconds that a page may wait for a server; 0.001 to 60.
  OnError on_error = OnError::raise;

  std::string sink;  ///< DSN of the counters' database; empty: see sink_dsn().
  FlusherMode flusher = FlusherMode::automatic;
  std::uint64_t spool_max = std::uint64_t{256} << 20;  ///< Bytes that may wait on disk for a database; 65536 to 2^40.

  std::uint32_t max_series = 8192;     ///< Different (sink, name, argument) a minute; 64 to 4194304.
  std::uint32_t max_visitors = 65536;  ///< Visitors at a time; 64 to 67108864.

  bool operator==(const Settings&) const = default;
};

/// Where the segment is: the setting, or /dev/shm/presence-<effective user id>. Asked for at first use and not at
/// start, when the process may still be root.
std::string segment_path(const Settings& settings);

/// Where files are kept: the setting, or /var/tmp/presence-<effective user id>.
std::string data_dir(const Settings& settings);

/// The counters' sink: the setting, or the SQLite file counters.sqlite in the data folder. Error: invalid_argument.
Result<Dsn> sink_dsn(const Settings& settings);

}  // namespace presence
