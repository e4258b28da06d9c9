// Which databases the series of a segment go to, and how each one is doing.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/shared_text.h"
#include "counters/minute_tables.h"
#include "segment/segment.h"

namespace presence {

/// How the writing to one database goes. Written only by the holder of the flush lock; read by anybody.
struct DeliveryRecord {
  std::atomic<std::int64_t> last_flush;       ///< When the last batch was committed; 0: never.
  std::atomic<std::int64_t> last_error_time;  ///< 0: never.
  std::atomic<std::int64_t> next_attempt;     ///< Not before this time; 0: at any time.
  std::atomic<std::uint32_t> failures;        ///< In a row.
  std::atomic<std::uint32_t> waiting;         ///< Batches on disk for it, as of the last drain.
  std::atomic<std::uint64_t> rows_written;
  std::atomic<std::uint64_t> batches_written;
  std::atomic<std::uint64_t> rows_refused;      ///< Set aside in a file.
  std::atomic<std::uint64_t> batches_doubtful;  ///< Nobody can tell whether they were committed; set aside in a file.
  /// Numbers of this segment's own batches, 0 for none: the last one that is done with, and the one that is being
  /// committed from memory to a database without a ledger.
  std::atomic<std::uint64_t> last_done;
  std::atomic<std::uint64_t> unanswered;
  SharedText<256> last_error;

  /// Remembers an error and puts the next attempt off: by 1 s, then twice as long each time, at most a minute.
  void failed(std::string_view message, UnixTime now);
  void succeeded(std::uint64_t rows, UnixTime now);
  /// Remembers an error that does not stand in the way of the next batch.
  void note(std::string_view message, UnixTime now);
  /// Whether an attempt may be made. A next attempt further away than the longest pause means that the clock was moved.
  [[nodiscard]] bool may_try(UnixTime now) const;
  [[nodiscard]] std::string error_text() const { return last_error.load(); }
};

/// The targets of a segment. Append-only: a target keeps its number. A DSN whose password changed is a new target with
/// the fingerprint of the old one, and rows of both go out over the newer.
///
/// The segment holds DSNs with their passwords, since the process that writes may never have been configured with them.
/// The file is readable by its user only, as is the memory of the processes that know the DSN anyway.
class TargetTable {
 public:
  static constexpr std::uint32_t kTargets = 128;
  static constexpr std::size_t kDsnMax = 1024;
  static constexpr std::size_t kFingerprint = 32;

  static SectionSpec section();

  explicit TargetTable(const Segment& segment);

  [[nodiscard]] bool valid() const { return !records_.empty(); }

  /// The number of a target, new if need be. `dsn` is empty for a database that only a caller's own connection reaches.
  /// None if the table is full or the DSN longer than 1024 bytes.
  [[nodiscard]] std::optional<TargetIndex> find_or_add(std::string_view fingerprint, std::string_view dsn) const;

  /// 32 hex digits; empty for a number that is not in use.
  [[nodiscard]] std::string fingerprint(TargetIndex target) const;

  /// A DSN with that fingerprint: the one that a process last began to use, or after `failures` in a row the ones
  /// before it in turn, since the last may be the one with the wrong password. Empty if there is none.
  [[nodiscard]] std::string dsn_of(std::string_view fingerprint, std::uint32_t failures = 0) const;

  /// How writing to that fingerprint goes; null if it is unknown.
  [[nodiscard]] DeliveryRecord* delivery(std::string_view fingerprint) const;

  /// Targets in use.
  [[nodiscard]] std::uint32_t used() const;

 private:
  struct Record;
  struct Header;

  void come_first(Record& record) const;

  Header* header_ = nullptr;
  std::span<Record> records_;
};

}  // namespace presence
