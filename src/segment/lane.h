// A lane: the place in the segment where one thread shows what it is writing to, so that a sealer can wait for it, and
// knows when waiting is useless because the thread's process is dead.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>

#include "base/result.h"
#include "base/stop_points.h"
#include "base/unique_fd.h"
#include "segment/segment.h"

namespace presence {

/// Number of a lane: small, stable for the life of its thread, taken over by another process only after that one died.
using LaneIndex = std::uint16_t;

/// One lane in shared memory. Two cache lines, since processors fetch lines in pairs.
struct alignas(128) LaneRecord {
  /// What the owner is writing to right now: 0 for nothing, otherwise a table's number plus one.
  std::atomic<std::uint32_t> writing_to;
  /// A hint which lanes are worth trying; whether the owner lives is decided by its lock alone.
  std::atomic<std::int32_t> owner_pid;
};

/// All lanes of a segment.
class Lanes {
 public:
  static constexpr std::uint32_t kCount = 2048;

  static SectionSpec section();

  explicit Lanes(const Segment& segment);

  [[nodiscard]] LaneRecord& record(LaneIndex lane) const { return records_[lane]; }

  /// Whether a living process holds the lane. One system call.
  [[nodiscard]] bool alive(LaneIndex lane) const;

  /// How many lanes have ever been in use: those at and above this number need not be looked at.
  [[nodiscard]] std::uint32_t used() const;

  [[nodiscard]] const Segment& segment() const { return *segment_; }

 private:
  friend class Lane;
  const Segment* segment_;
  std::span<LaneRecord> records_;
};

/// The calling thread's own lane. Held by an open-file-description lock, so a kill gives it back. It belongs to one
/// process: a fork closes the child's share of the lock at once (by pthread_atfork), so that the parent's lane does not
/// look alive for as long as the child lives; the child claims its own.
class Lane {
 public:
  /// Takes a free lane. Error: no_space if all are held by living threads, unavailable if the file cannot be reopened.
  static Result<Lane> claim(const Lanes& lanes);

  Lane(Lane&& other) noexcept;
  Lane& operator=(Lane&&) = delete;
  ~Lane();

  /// Whether this object came over a fork: it is the parent's lane and must not be used, only destroyed.
  [[nodiscard]] bool inherited() const;

  [[nodiscard]] LaneIndex index() const { return index_; }
  [[nodiscard]] LaneRecord& record() const { return *record_; }

  /// Says what this thread is about to write to. The caller must then look whether that is still open, and leave again
  /// if not. Orders the store before that look: by a fence where needed, otherwise the sealer's membarrier does it.
  void enter(std::uint32_t table) const {
    record_->writing_to.store(table + 1, std::memory_order_relaxed);
    stop_point("lane.entered");
    if (fenced_) [[unlikely]] {
      std::atomic_thread_fence(std::memory_order_seq_cst);
    } else {
      std::atomic_signal_fence(std::memory_order_seq_cst);
    }
  }

  /// Says that the writes are done. Release: whoever sees the lane left sees the writes.
  void leave() const {
    stop_point("lane.leaving");
    record_->writing_to.store(0, std::memory_order_release);
    stop_point("lane.left");
  }

 private:
  Lane(const Lanes& lanes, int fd, LaneIndex index);

  int fd_;
  LaneIndex index_;
  LaneRecord* record_;
  bool fenced_;
  std::uint32_t forks_;
};

/// After this returns, each thread that had entered before a store the caller made earlier is seen to have entered, and
/// each one that enters later sees that store.
void order_with_lanes();

}  // namespace presence
