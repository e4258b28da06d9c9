// What the flusher process shows of itself in the segment.
#pragma once

#include <atomic>
#include <cstdint>

#include "segment/segment.h"

namespace presence {

/// Whether a flusher lives is decided by its lock (LockByte::flusher) alone; the rest is for status(), and to save
/// looking at the lock on each request.
struct FlusherRecord {
  std::atomic<std::int32_t> pid;        ///< 0: there is none.
  std::atomic<std::int64_t> heartbeat;  ///< Unix time, about once a second.
  std::atomic<std::int64_t> started;    ///< Unix time.
  /// The build (see flusher_build()) that runs, and the newest that asked to take over.
  std::atomic<std::uint64_t> build;
  std::atomic<std::uint64_t> wanted_build;
  std::atomic<std::uint32_t> fork_failures;  ///< Times that a process could not be forked.

  static SectionSpec section();

  /// The record of a segment; null if the section is too small for one.
  static FlusherRecord* of(const Segment& segment);
};

}  // namespace presence
