// The process that stores finished minutes, so that no request has to.
#pragma once

#include <cstdint>
#include <string>

#include "base/clock.h"
#include "exchange/replica_table.h"
#include "flusher/drain.h"
#include "flusher/flusher_record.h"

namespace presence {

/// What a flusher works on. The parts live in the memory of the process that starts it, of which it is a copy.
struct FlusherSource {
  const Segment& segment;
  const Lanes& lanes;
  const MinuteTables& tables;
  const TargetTable& targets;
  FlusherRecord& record;
  /// Which visitors to exchange with stores on servers; null: none.
  const ReplicaTable* replicas = nullptr;
};

/// Whether a flusher holds its lock on the segment. One system call.
[[nodiscard]] bool flusher_lives(const FlusherSource& source);

/// The same, at the cost of two loads, as long as its last heartbeat is fresh and it is not of an older build.
[[nodiscard]] bool flusher_seems_fine(const FlusherRecord& record, UnixTime now);

/// What came of an attempt to have a flusher.
enum class FlusherStart {
  lives,      ///< There is one already.
  started,    ///< A process was forked; it may lose to another one that was started at the same moment.
  forbidden,  ///< This process may not fork.
};

/// Starts a flusher where none lives. One of an older build is asked to end, and replaced by a later call.
///
/// The new process is no child of the caller (forked twice), in a session of its own, with no descriptor, terminal,
/// signal handler or mask of the caller's. It never returns from this call: it runs no destructor and no exit handler
/// of its parent. Costs two forks, of which the caller waits for the first. `spool_max`: see DrainOptions.
FlusherStart start_flusher(const FlusherSource& source, const std::string& data_dir,
                           std::uint64_t spool_max = kSpoolMax);

/// Identifies the code that runs: later builds have greater numbers. The change time of the file it was loaded from.
std::uint64_t flusher_build();

}  // namespace presence
