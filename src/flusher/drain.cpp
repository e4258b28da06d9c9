#include "flusher/drain.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/stop_points.h"
#include "flusher/delivery.h"
#include "flusher/table_rows.h"
#include "segment/file_lock.h"

namespace presence {
namespace {

/// Longest wait before something left over is tried again, in seconds.
constexpr UnixTime kPauseMax = 60;
/// Wait where no database was at fault: another process had the spool, or a table could not be sealed yet.
constexpr UnixTime kPauseOther = 2;

/// One run.
class Run {
 public:
  /// `spool` is null where it cannot be used. `source` may be null.
  Run(const DrainSource* source, const Spool* spool, const DrainOptions& options, UnixTime now)
      : source_(source), spool_(spool), options_(options), now_(now), delivery_(source, options, now) {}

  /// True if tables could not be stored, and may be now that batches have left the disk.
  bool store_and_send() {
    // Held over both: nobody sends what is put on disk until it is there for all databases.
    const std::optional<UniqueFd> lock = spool_ == nullptr ? std::nullopt : spool_->lock_for_sending();
    may_send_ = lock.has_value();
    store_sealed_tables();
    for (std::uint32_t number = 0; number < MinuteTables::kTables; ++number) {
      source_->tables.table(number).reset();
    }
    const std::size_t sent = send_all();
    return sent > 0 && !stuck_in_memory_.empty();
  }

  /// Without a segment: only what is on disk.
  void send_spooled() {
    const std::optional<UniqueFd> lock = spool_ == nullptr ? std::nullopt : spool_->lock_for_sending();
    may_send_ = lock.has_value();
    send_all();
  }

  /// Says when the next run should come, for whatever could not be done now.
  void plan_next_run() {
    for (std::uint32_t number = 0; number < MinuteTables::kTables; ++number) {
      const TablePhase phase = source_->tables.table(number).state().phase();
      if (phase == TablePhase::closing || phase == TablePhase::sealed) {
        ++waiting_;
        // One that is kept there by a database that failed comes with that; all others soon.
        try_again_soon_ = try_again_soon_ || phase == TablePhase::closing || stuck_in_memory_.empty();
      }
    }
    DrainRecord& record = source_->tables.drains();
    record.waiting.store(waiting_, std::memory_order_relaxed);
    record.unreachable.store(unreachable_batches_, std::memory_order_relaxed);
    const UnixTime soon = now_ + kPauseOther;
    const UnixTime put_off_until = delivery_.put_off_until();
    record.next_run.store(try_again_soon_ || put_off_until == 0 ? soon : put_off_until, std::memory_order_relaxed);
    record.last_run.store(now_, std::memory_order_relaxed);
  }

  [[nodiscard]] DrainReport take_report() {
    // What went out from memory instead is no failure, nor is another database's part.
    const bool concerned =
        options_.errors_of.empty() ? !stuck_in_memory_.empty() : stuck_in_memory_.contains(options_.errors_of);
    if (storing_failed_with_ && concerned) {
      delivery_.keep(std::move(*storing_failed_with_));
    }
    delivery_.report.ran = true;
    delivery_.report.held_up = held_up_;
    return std::move(delivery_.report);
  }

 private:
  [[nodiscard]] std::vector<SpoolEntry> list() {
    if (spool_ == nullptr) {
      return {};
    }
    Result<std::vector<SpoolEntry>> entries = spool_->list();
    if (!entries) {
      delivery_.keep(std::move(entries).error());
      return {};
    }
    return std::move(*entries);
  }

  /// Returns how many batches left the disk.
  std::size_t send_all() {
    waiting_ = 0;
    unreachable_batches_ = 0;
    const std::vector<SpoolEntry> entries = list();
    if (may_send_ && !entries.empty()) {
      spool_->remove_orphans();
    }
    std::map<std::string, std::uint32_t> stuck;
    std::size_t left = 0;
    for (const SpoolEntry& entry : entries) {
      // Later batches of a database wait for the earlier ones, since its ledger only counts up.
      if (!may_send_ || stuck.contains(entry.fingerprint) || !delivery_.send_file(*spool_, entry)) {
        ++stuck[entry.fingerprint];
        ++left;
      }
    }
    for (const auto& [fingerprint, batches] : stuck) {
      (delivery_.is_unreachable(fingerprint) ? unreachable_batches_ : waiting_) += batches;
    }
    held_up_ = !may_send_ && !stuck.empty();
    try_again_soon_ = held_up_;
    note_waiting(stuck);
    return entries.size() - left;
  }

  /// For each database, how many of its batches are left on disk.
  void note_waiting(const std::map<std::string, std::uint32_t>& stuck) {
    for (TargetIndex target = 0; source_ != nullptr && target < source_->targets.used(); ++target) {
      const std::string fingerprint = source_->targets.fingerprint(target);
      if (DeliveryRecord* delivery = source_->targets.delivery(fingerprint)) {
        const auto batches = stuck.find(fingerprint);
        delivery->waiting.store(batches == stuck.end() ? 0 : batches->second, std::memory_order_relaxed);
      }
    }
  }

  [[nodiscard]] std::vector<MinuteTable> sealed_by_batch_number() const {
    std::vector<MinuteTable> sealed;
    for (std::uint32_t number = 0; number < MinuteTables::kTables; ++number) {
      const MinuteTable table = source_->tables.table(number);
      if (table.state().phase() == TablePhase::sealed) {
        sealed.push_back(table);
      }
    }
    std::sort(sealed.begin(), sealed.end(),
              [](const MinuteTable& a, const MinuteTable& b) { return a.batch_number() < b.batch_number(); });
    return sealed;
  }

  void store_sealed_tables() {
    stuck_in_memory_.clear();
    storing_failed_with_.reset();
    on_disk_ = list();
    const std::uint64_t used = usage_of(on_disk_).bytes;
    room_ = options_.spool_max - std::min(used, options_.spool_max);
    for (const MinuteTable& table : sealed_by_batch_number()) {
      RowsByTarget rows = rows_of(table, source_->tables, source_->targets);
      // Of a table that left memory in part, what is done with must not be sent again.
      std::erase_if(rows,
                    [&](const auto& of_target) { return delivery_.is_done(table.batch_number(), of_target.first); });
      for (auto& [fingerprint, of_target] : rows) {
        make_batch(of_target);
      }
      if (!put_on_disk(table, rows) && !send_from_memory(table, rows)) {
        continue;
      }
      stop_point("drain.spooled");
      const TableState state = table.state();
      (void)table.change(state, state.with(TablePhase::stored));
      stop_point("drain.stored");
    }
  }

  /// Each batch or none: what is on disk is sent, and what is still in memory must not be.
  bool put_on_disk(const MinuteTable& table, const RowsByTarget& rows) {
    if (spool_ == nullptr) {
      return rows.empty();
    }
    std::uint64_t taken = 0;
    for (const auto& [fingerprint, of_target] : rows) {
      // Earlier batches that are stuck in memory must not be overtaken; and a commit that may have taken place must not
      // be repeated from disk.
      Result<std::uint64_t> put = Error{ErrorCode::no_space, ""};
      if (!stuck_in_memory_.contains(fingerprint) && !delivery_.is_unanswered(table.batch_number(), fingerprint)) {
        put = spool_->put({batch_of(table), fingerprint}, of_target, room_ - taken);
        if (!put && !storing_failed_with_) {
          storing_failed_with_ = put.error();
        }
      }
      if (!put) {
        take_back(table, rows);
        return false;
      }
      taken += std::min(*put, room_ - taken);
    }
    room_ -= taken;
    for (const auto& [fingerprint, ignored] : rows) {
      on_disk_.push_back({batch_of(table), fingerprint});
    }
    return true;
  }

  /// Another process that sends may have had some of them: then all stay where they are, and what was sent is known by
  /// its number when it is put there again.
  void take_back(const MinuteTable& table, const RowsByTarget& rows) {
    for (const auto& [fingerprint, ignored] : rows) {
      if (may_send_) {
        delivery_.keep(spool_->remove({batch_of(table), fingerprint}));
      } else {
        stuck_in_memory_.insert(fingerprint);
      }
    }
  }

  /// What the disk does not take. A database whose rows are stuck does not hold up the others.
  bool send_from_memory(const MinuteTable& table, const RowsByTarget& rows) {
    bool sent = true;
    for (const auto& [fingerprint, of_target] : rows) {
      if (!stuck_in_memory_.contains(fingerprint) && !waits_on_disk(fingerprint)) {
        table.note_sent_from_memory();
        if (delivery_.send_from_memory(spool_, {batch_of(table), fingerprint}, of_target)) {
          continue;
        }
      }
      stuck_in_memory_.insert(fingerprint);
      sent = false;
    }
    return sent;
  }

  [[nodiscard]] BatchId batch_of(const MinuteTable& table) const {
    return presence::batch_of(table, source_->segment.identity());
  }

  /// Whether earlier batches of the own segment for the same database are on disk. They go first.
  [[nodiscard]] bool waits_on_disk(const std::string& fingerprint) const {
    return std::any_of(on_disk_.begin(), on_disk_.end(), [&](const SpoolEntry& other) {
      return other.fingerprint == fingerprint && other.id.source == source_->segment.identity();
    });
  }

  const DrainSource* source_;
  const Spool* spool_;
  const DrainOptions& options_;
  UnixTime now_;
  Delivery delivery_;
  bool may_send_ = false;  ///< This run has the right to send what is on disk.
  std::vector<SpoolEntry> on_disk_;
  std::uint64_t room_ = 0;
  std::set<std::string> stuck_in_memory_;  ///< Fingerprints.
  std::optional<Error> storing_failed_with_;
  std::uint32_t waiting_ = 0;
  std::uint32_t unreachable_batches_ = 0;
  bool held_up_ = false;
  bool try_again_soon_ = false;  ///< Something waits for other reasons than a database that failed.
};

/// Marks the time in which rows move from one place to another.
class DrainMark {
 public:
  explicit DrainMark(DrainRecord& record) : record_(record) {
    // Seq_cst, like the reader's loads: what moves does so between the two marks. Odd again if the last run was killed.
    const std::uint64_t before = record_.sequence.load(std::memory_order_seq_cst);
    record_.sequence.store((before | 1) + (before % 2 == 1 ? 2 : 0), std::memory_order_seq_cst);
  }
  DrainMark(const DrainMark&) = delete;
  DrainMark& operator=(const DrainMark&) = delete;
  ~DrainMark() { record_.sequence.fetch_add(1, std::memory_order_seq_cst); }

 private:
  DrainRecord& record_;
};

DrainReport drain_segment(const DrainSource& source, const std::string& data_dir, const DrainOptions& options,
                          UnixTime now) {
  // A description of its own: the segment's is shared with forked children, and so would be the lock.
  Result<UniqueFd> lock = source.segment.reopen();
  if (!lock) {
    DrainReport report;
    report.error = std::move(lock).error();
    return report;
  }
  if (!file_lock::try_acquire(lock->get(), LockByte::flush)) {
    return {};
  }
  stop_point("drain.locked");
  const DrainMark mark(source.tables.drains());
  stop_point("drain.marked");
  seal(source.tables, source.lanes, options.scope, minute_of(now));
  Result<Spool> spool = Spool::open(data_dir);
  Run run(&source, spool ? &*spool : nullptr, options, now);
  while (run.store_and_send()) {
  }
  stop_point("drain.sent");
  run.plan_next_run();
  stop_point("drain.planned");
  return run.take_report();
}

DrainReport drain_spool(const std::string& data_dir, const DrainOptions& options, UnixTime now) {
  Result<Spool> spool = Spool::open(data_dir);
  Run run(nullptr, spool ? &*spool : nullptr, options, now);
  run.send_spooled();
  return run.take_report();
}

}  // namespace

bool drain_is_due(const MinuteTables& tables, UnixTime now) {
  if (tables.any_finished(minute_of(now))) {
    return true;
  }
  const DrainRecord& record = tables.drains();
  if (record.waiting.load(std::memory_order_relaxed) == 0) {
    return false;
  }
  const UnixTime next = record.next_run.load(std::memory_order_relaxed);
  // A time further off than the longest pause means that the clock was moved.
  return now >= next || next - now > kPauseMax;
}

DrainReport drain(const DrainSource* source, const std::string& data_dir, const DrainOptions& options, UnixTime now) {
  return source == nullptr ? drain_spool(data_dir, options, now) : drain_segment(*source, data_dir, options, now);
}

}  // namespace presence
