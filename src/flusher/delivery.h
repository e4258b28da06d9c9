// Sending batches to their databases, and the record of how that goes.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>

#include "base/clock.h"
#include "base/counter_row.h"
#include "base/result.h"
#include "counters/target_table.h"
#include "flusher/drain.h"
#include "flusher/spool.h"
#include "sinks/sink.h"

namespace presence {

/// The sending of one drain. Only by the holder of the flush lock.
class Delivery {
 public:
  /// `source` may be null. All must outlive the delivery.
  Delivery(const DrainSource* source, const DrainOptions& options, UnixTime now)
      : source_(source), options_(options), now_(now) {}

  /// Sends a batch of the spool and removes it. True if it is done with, one way or another; if not, it waits, and so
  /// must all later ones of its database, since ledgers only count up.
  bool send_file(const Spool& spool, const SpoolEntry& entry);

  /// Sends a batch that is not on disk. `spool`: where refused rows can be set aside; null if nowhere. True as above.
  bool send_from_memory(const Spool* spool, const SpoolEntry& entry, std::span<const CounterRow> rows);

  /// Whether this batch of the own segment is done with, and whether it was being committed from memory when the
  /// process was killed or the answer got lost.
  [[nodiscard]] bool is_done(std::uint64_t number, const std::string& fingerprint) const;
  [[nodiscard]] bool is_unanswered(std::uint64_t number, const std::string& fingerprint) const;

  /// Notes a failure for the report. True if there was none.
  bool keep(Status status);

  /// Whether nobody here knows how to reach a database to which something was to be sent.
  [[nodiscard]] bool is_unreachable(const std::string& fingerprint) const { return unreachable_.contains(fingerprint); }

  /// When the first database that failed may be tried again; 0 if none failed.
  [[nodiscard]] UnixTime put_off_until() const { return put_off_until_; }

  [[nodiscard]] DeliveryRecord* record(const std::string& fingerprint) const;

  DrainReport report;

 private:
  class MemoryNotes;

  /// The database; null (and no error) if nobody here knows how to reach it: its rows wait for a process that does.
  Result<Sink*> sink_for(const std::string& fingerprint);
  std::optional<WriteReport> send(const SpoolEntry& entry, std::span<const CounterRow> rows, BatchNotes& notes);
  bool doubtful(const Spool* spool, const SpoolEntry& entry, std::span<const CounterRow> rows);
  void succeeded(const SpoolEntry& entry, std::size_t rows, std::uint64_t refused, const std::string& reason);
  void done_with(const SpoolEntry& entry);
  static void done_from_memory(DeliveryRecord& delivery, const SpoolEntry& entry);
  void keep_of(const SpoolEntry& entry, Status status);
  void put_off(const DeliveryRecord& delivery);

  const DrainSource* source_;
  const DrainOptions& options_;
  UnixTime now_;
  UnixTime put_off_until_ = 0;
  std::map<std::string, std::unique_ptr<Sink>> opened_;
  std::set<std::string> unreachable_;
};

}  // namespace presence
