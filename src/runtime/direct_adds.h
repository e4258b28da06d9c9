// Adds that find no room in shared memory, or no shared memory at all.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/counter_row.h"
#include "base/result.h"
#include "flusher/spool.h"
#include "runtime/attachment.h"
#include "sinks/sink.h"

namespace presence {

/// Writes single rows to their database at once, and where that fails, into the spool. One object for each thread.
class DirectAdds {
 public:
  /// `attachment` must outlive the object.
  explicit DirectAdds(Attachment& attachment) : attachment_(attachment) {}

  /// Adds a row. `fingerprint` is the database's; `can_wait` says whether others can reach it, too, so that the row can
  /// wait on disk. After a failure the database is left alone for some seconds.
  ///
  /// A value that neither the database nor the disk takes is refused: counted, and the first time in a process warned
  /// of. The page goes on. Errors only if the row cannot wait: those of the sink, and rejected.
  Status add(const CounterRow& row, const Result<Sink*>& sink, const std::string& fingerprint, bool can_wait);

  /// Puts a row into the spool, for a database that must not be spoken to now. As with add(), it may be refused. A file
  /// for each row: some 50 microseconds, and it survives kills, as what is in shared memory does.
  void keep(const CounterRow& row, const std::string& fingerprint);

  /// The process turned out to be a fork.
  void forget_parent();

  /// Values refused by this thread while there was no shared memory to count them in.
  [[nodiscard]] std::uint64_t refused() const { return refused_; }

 private:
  class Notes;

  static BatchId next(BatchId& last);
  void spool(const SpoolEntry& entry, const CounterRow& row, const std::vector<StoredSums>& expected, const Error& why,
             Survives what);
  Status put(const SpoolEntry& entry, const CounterRow& row, const std::vector<StoredSums>& expected, Survives what);
  [[nodiscard]] Result<std::uint64_t> room(const Spool& spool);
  void refuse(const Error& why, const Error& why_not_kept);

  Attachment& attachment_;
  /// The last batch of single rows that were written at once, and the last one that was left in the spool. Each is a
  /// source of its own: what waits must not seem older than what was written after it.
  BatchId direct_;
  BatchId spooled_;
  UnixTime again_ = 0;  ///< Not to the database before this time.
  /// What is left of presence.spool_max, and when that was looked up.
  std::uint64_t room_ = 0;
  double room_time_ = 0;
  std::uint64_t refused_ = 0;
  bool warned_ = false;
};

}  // namespace presence
