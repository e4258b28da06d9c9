// What Counters::status() tells.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "flusher/spool.h"
#include "runtime/attachment.h"

namespace presence {

/// The state of the counters as far as it is in shared memory. No secrets. Numbers are since the segment was created.
struct CounterStatus {
  struct SegmentPart {
    std::string path;
    std::uint64_t size = 0;  ///< Bytes.
    std::uint32_t layout = 0;
    std::uint32_t lanes_used = 0;
    std::uint32_t lanes_max = 0;
  };
  /// One database.
  struct SinkPart {
    std::string sink;  ///< The DSN without secrets; empty if only a caller's own connection reaches it.
    UnixTime last_flush = 0;
    std::uint64_t rows_written = 0;
    std::uint64_t batches_written = 0;
    std::uint64_t rows_refused = 0;      ///< Set aside in a file.
    std::uint64_t batches_doubtful = 0;  ///< Likewise: nobody can tell whether they were committed.
    std::uint32_t failures = 0;          ///< In a row; above 0 the breaker is open until `next_attempt`.
    UnixTime next_attempt = 0;
    std::string last_error;
    UnixTime last_error_time = 0;
  };

  std::optional<SegmentPart> segment;  ///< None: shared memory is not in use.
  std::uint32_t series_used = 0;       ///< In the fullest minute.
  std::uint32_t series_max = 0;
  std::uint32_t minutes_used = 0;  ///< Tables.
  std::uint32_t minutes_max = 0;
  std::uint32_t targets_used = 0;  ///< Databases of all requests since the segment was created, by DSN.
  std::uint32_t targets_max = 0;
  std::uint64_t direct_adds = 0;
  std::uint64_t refused_adds = 0;  ///< Values that are lost: neither the database nor the disk took them.
  std::uint64_t shortened_arguments = 0;
  std::uint64_t scrubbed_arguments = 0;
  std::uint64_t damaged_series = 0;
  std::int32_t flusher_pid = 0;  ///< 0: none lives.
  UnixTime flusher_heartbeat = 0;
  std::uint32_t fork_failures = 0;
  UnixTime last_run = 0;
  UnixTime next_run = 0;
  std::uint32_t batches_waiting = 0;  ///< In memory and on disk, as of the last run.
  std::string data_dir;               ///< Of what waits; see Attachment::data_folder().
  std::string data_dir_ignored;       ///< What the settings say instead; empty if they agree.
  bool data_dir_usable = false;
  SpoolUsage spool;             ///< What waits on disk now.
  std::uint64_t set_aside = 0;  ///< Bytes of rows that no database took, on disk.
  std::vector<SinkPart> sinks;
};

/// Reads it. Costs microseconds, and a look at each batch that waits on disk. What is in files is told also where there
/// is no shared memory.
CounterStatus counter_status(Attachment& attachment);

}  // namespace presence
