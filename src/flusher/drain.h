// Carrying finished minutes from shared memory over the disk into their databases. Whoever does it, the end of a
// request, a cron job or a process of its own, does it through here.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "base/result.h"
#include "counters/minute_tables.h"
#include "counters/sealer.h"
#include "counters/target_table.h"
#include "flusher/spool.h"
#include "segment/lane.h"
#include "segment/segment.h"
#include "sinks/sink.h"

namespace presence {

/// What one run did.
struct DrainReport {
  bool ran = false;               ///< False if another process was at it.
  bool held_up = false;           ///< Another process was sending what this one would have had to wait for on disk.
  std::int64_t rows_written = 0;  ///< Into all databases.
  std::optional<Error> error;     ///< The first failure; what could not be written stays in memory or on disk.
};

/// How one run is to be done.
struct DrainOptions {
  SealScope scope = SealScope::finished;
  bool even_if_put_off = false;         ///< Try a database although its last failure is too recent.
  std::uint64_t spool_max = kSpoolMax;  ///< Bytes that may wait on disk; as many again may be set aside there.
  SinkOptions sink;
  /// If set, failures of other databases than this one are no failure of the run: their rows wait, and status() tells.
  std::string errors_of;
  /// Connections of the caller's own, by fingerprint; used before a DSN.
  std::map<std::string, Sink*> own_sinks;
};

/// The parts of the segment that a drain works on.
struct DrainSource {
  const Segment& segment;
  const Lanes& lanes;
  const MinuteTables& tables;
  const TargetTable& targets;
};

/// Whether a drain has something to do: a finished minute to seal, or something left waiting whose time has come.
[[nodiscard]] bool drain_is_due(const MinuteTables& tables, UnixTime now);

/// Seals what is in scope, spools it, and sends what the spool holds, oldest first. One process at a time, by the flush
/// lock; a second one returns at once. Every step may be cut off by a kill: the next run goes on with it.
///
///   open -> closing -> sealed (has a batch number) -> spooled to disk -> stored -> free
///                                                  \-> sent at once, where the disk takes nothing
///
/// A database that fails is put off for a growing while; the others go on. What the disk does not take (spool_max, a
/// full disk, a folder that cannot be used) is sent from memory, unless earlier batches for the same database wait on
/// disk; else it stays in memory, and its table is not free. Without a source (no shared memory to be had) only what
/// lies in the spool is sent.
DrainReport drain(const DrainSource* source, const std::string& data_dir, const DrainOptions& options, UnixTime now);

}  // namespace presence
