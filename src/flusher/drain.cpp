#include "flusher/drain.h"

#include <algorithm>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/dsn.h"
#include "base/sha256.h"
#include "base/stop_points.h"
#include "flusher/table_rows.h"
#include "segment/file_lock.h"

namespace presence {
namespace {

/// Longest wait before something left over is tried again, in seconds.
constexpr UnixTime kPauseMax = 60;
/// Wait where no database was at fault: another process had the spool, or a table could not be sealed yet.
constexpr UnixTime kPauseOther = 2;

/// The sinks of one run, each opened when it is first needed.
class SinkSet {
 public:
  SinkSet(const TargetTable* targets, const DrainOptions& options) : targets_(targets), options_(options) {}

  /// Null (and no error) if nobody here knows how to reach that database: its rows wait for a process that does.
  Result<Sink*> sink_for(const std::string& fingerprint) {
    if (const auto own = options_.own_sinks.find(fingerprint); own != options_.own_sinks.end()) {
      return own->second;
    }
    if (const auto open = opened_.find(fingerprint); open != opened_.end()) {
      return open->second.get();
    }
    const DeliveryRecord* delivery = targets_ == nullptr ? nullptr : targets_->delivery(fingerprint);
    const std::string text =
        delivery == nullptr ? std::string()
                            : targets_->dsn_of(fingerprint, delivery->failures.load(std::memory_order_relaxed));
    if (text.empty()) {
      return nullptr;
    }
    Result<Dsn> dsn = parse_dsn(text);
    if (!dsn) {
      return std::move(dsn).error();
    }
    Result<std::unique_ptr<Sink>> sink = open_sink(*dsn, options_.sink);
    if (!sink) {
      return std::move(sink).error();
    }
    return (opened_[fingerprint] = std::move(*sink)).get();
  }

 private:
  const TargetTable* targets_;
  const DrainOptions& options_;
  std::map<std::string, std::unique_ptr<Sink>> opened_;
};

/// One run.
class Run {
 public:
  Run(const DrainSource* source, const DrainOptions& options, UnixTime now)
      : source_(source),
        options_(options),
        now_(now),
        sinks_(source == nullptr ? nullptr : &source->targets, options) {}

  void store_sealed_tables(const Result<Spool>& spool) {
    for (const MinuteTable& table : sealed_by_batch_number()) {
      RowsByTarget rows = rows_of(table, source_->tables, source_->targets);
      for (auto& [fingerprint, of_target] : rows) {
        make_batch(of_target);
      }
      if (!(spool ? put_in_spool(*spool, table, rows) : send_from_memory(table, rows))) {
        break;
      }
      stop_point("drain.spooled");
      const TableState state = table.state();
      (void)table.change(state, state.with(TablePhase::stored));
      stop_point("drain.stored");
    }
  }

  void reset_stored_tables() {
    for (std::uint32_t number = 0; number < MinuteTables::kTables; ++number) {
      source_->tables.table(number).reset();
    }
  }

  void send_spooled(const Spool& spool) {
    // The lock first: what another process has sent since a look at the folder would seem to be missing.
    const std::optional<UniqueFd> lock = spool.lock_for_sending();
    Result<std::vector<SpoolEntry>> entries = spool.list();
    if (!entries) {
      keep(std::move(entries).error());
      return;
    }
    std::map<std::string, std::uint32_t> stuck;
    for (const SpoolEntry& entry : *entries) {
      // Later batches of a database wait for the earlier ones, since its ledger only counts up.
      if (!lock || stuck.contains(entry.fingerprint) || !send_file(spool, entry)) {
        ++stuck[entry.fingerprint];
      }
    }
    for (const auto& [fingerprint, batches] : stuck) {
      (unreachable_.contains(fingerprint) ? unreachable_batches_ : waiting_) += batches;
    }
    try_again_soon_ = try_again_soon_ || (!lock && !stuck.empty());
    note_waiting(stuck);
  }

  /// Says when the next run should come, for whatever could not be done now.
  void plan_next_run() {
    for (std::uint32_t number = 0; number < MinuteTables::kTables; ++number) {
      const TablePhase phase = source_->tables.table(number).state().phase();
      if (phase == TablePhase::closing || phase == TablePhase::sealed) {
        ++waiting_;
        try_again_soon_ = true;
      }
    }
    DrainRecord& record = source_->tables.drains();
    record.waiting.store(waiting_, std::memory_order_relaxed);
    record.unreachable.store(unreachable_batches_, std::memory_order_relaxed);
    const UnixTime soon = now_ + kPauseOther;
    record.next_run.store(try_again_soon_ || put_off_until_ == 0 ? soon : put_off_until_, std::memory_order_relaxed);
    record.last_run.store(now_, std::memory_order_relaxed);
  }

  DrainReport report;

 private:
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

  /// Each batch or none: what is on disk is sent, and what is still in memory must not be.
  bool put_in_spool(const Spool& spool, const MinuteTable& table, const RowsByTarget& rows) {
    for (const auto& [fingerprint, of_target] : rows) {
      if (!keep(spool.put({batch_of(table), fingerprint}, of_target))) {
        for (const auto& [put, ignored] : rows) {
          keep(spool.remove({batch_of(table), put}));
        }
        return false;
      }
    }
    return true;
  }

  /// Where nothing can be spooled.
  bool send_from_memory(const MinuteTable& table, const RowsByTarget& rows) {
    table.note_sent_from_memory();
    bool sent = true;
    for (const auto& [fingerprint, of_target] : rows) {
      sent = send({batch_of(table), fingerprint}, of_target) == Sent::yes && sent;
    }
    return sent;
  }

  /// A batch that was sent from memory overtook those that wait on a disk which cannot be reached. So it is a source of its
  /// own, for the ledger would take them for old. It keeps that name although it may be spooled later.
  [[nodiscard]] BatchId batch_of(const MinuteTable& table) const {
    const std::string segment = source_->segment.identity();
    const std::uint64_t number = table.batch_number();
    if (!table.sent_from_memory()) {
      return {segment, number};
    }
    return {sha256_hex(segment + "-memory-" + std::to_string(number), segment.size()), number};
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

  /// Notes a failure for the report. True if there was none.
  bool keep(Status status) {
    if (!status && !report.error) {
      report.error = std::move(status).error();
    }
    return status.ok();
  }

  bool send_file(const Spool& spool, const SpoolEntry& entry) {
    Result<std::vector<CounterRow>> rows = spool.load(entry);
    if (!rows) {
      const bool damaged = rows.error().code == ErrorCode::damaged;
      keep(rows.error());
      return damaged && keep(spool.set_aside(entry, rows.error().message));
    }
    switch (send(entry, *rows)) {
      case Sent::yes:
        return keep(spool.remove(entry));
      case Sent::later:
        return false;
      case Sent::never:
        break;
    }
    return rows->size() > 1 ? send_in_halves(spool, entry, *rows) : keep(spool.set_aside(entry, refusal_));
  }

  /// A database that refuses one row refuses the whole batch, and would hold up all that come after it. So the batch
  /// becomes two, down to the row that is to blame; that one is set aside, and all others are stored. The names of the
  /// halves follow from that of the batch: cut off by a kill, the same is done again, and the ledger knows what it has.
  bool send_in_halves(const Spool& spool, const SpoolEntry& entry, std::span<const CounterRow> rows) {
    const SpoolEntry first = half_of(entry, '1');
    const SpoolEntry second = half_of(entry, '2');
    const std::size_t middle = rows.size() / 2;
    if (!keep(spool.put(first, rows.first(middle))) || !keep(spool.put(second, rows.subspan(middle))) ||
        !keep(spool.remove(entry))) {
      return false;
    }
    const bool sent = send_file(spool, first);
    return send_file(spool, second) && sent;
  }

  static SpoolEntry half_of(const SpoolEntry& entry, char which) {
    const std::string name = entry.id.source + "-" + std::to_string(entry.id.number) + "-" + which;
    return {{sha256_hex(name, entry.id.source.size()), 1}, entry.fingerprint};
  }

  enum class Sent {
    yes,
    later,  ///< Not now: the database cannot be reached, or is put off.
    never,  ///< It refuses a row; see refusal_.
  };

  Sent send(const SpoolEntry& entry, std::span<const CounterRow> rows) {
    DeliveryRecord* delivery = source_ == nullptr ? nullptr : source_->targets.delivery(entry.fingerprint);
    if (delivery != nullptr && !options_.even_if_put_off && !delivery->may_try(now_)) {
      put_off(*delivery);
      return Sent::later;
    }
    Result<Sink*> sink = sinks_.sink_for(entry.fingerprint);
    if (sink && *sink == nullptr) {
      unreachable_.insert(entry.fingerprint);
      return Sent::later;
    }
    stop_point("send.connected");
    Status written = sink ? (*sink)->write(ledger_id(entry), rows) : Status(std::move(sink).error());
    stop_point("send.answered");
    if (written) {
      report.rows_written += static_cast<std::int64_t>(rows.size());
      if (delivery != nullptr) {
        delivery->succeeded(rows.size(), now_);
      }
      return Sent::yes;
    }
    if (written.error().code == ErrorCode::rejected) {
      refusal_ = written.error().message;
      if (delivery != nullptr) {
        delivery->refused(refusal_, now_);
      }
      // One row is the end of it, and news to whoever asked for this run; more than one are tried in halves.
      if (rows.size() == 1) {
        keep_of(entry, std::move(written));
      }
      return Sent::never;
    }
    if (delivery != nullptr) {
      delivery->failed(written.error().message, now_);
      put_off(*delivery);
    }
    keep_of(entry, std::move(written));
    return Sent::later;
  }

  /// The same for a database's failure, which may be none of this run's business.
  void keep_of(const SpoolEntry& entry, Status status) {
    if (options_.errors_of.empty() || options_.errors_of == entry.fingerprint) {
      (void)keep(std::move(status));
    }
  }

  /// If nothing else waits, the next run comes when the first database that failed may be tried again.
  void put_off(const DeliveryRecord& delivery) {
    const UnixTime until = delivery.next_attempt.load(std::memory_order_relaxed);
    put_off_until_ = put_off_until_ == 0 ? until : std::min(put_off_until_, until);
  }

  const DrainSource* source_;
  const DrainOptions& options_;
  UnixTime now_;
  SinkSet sinks_;
  std::uint32_t waiting_ = 0;
  std::uint32_t unreachable_batches_ = 0;
  std::set<std::string> unreachable_;  ///< Databases that nobody here knows how to reach.
  bool try_again_soon_ = false;        ///< Something waits for other reasons than a database that failed.
  UnixTime put_off_until_ = 0;
  std::string refusal_;  ///< Of the last batch that a database refused.
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
    return {false, 0, std::move(lock).error()};
  }
  if (!file_lock::try_acquire(lock->get(), LockByte::flush)) {
    return {};
  }
  Run run(&source, options, now);
  run.report.ran = true;
  stop_point("drain.locked");
  const DrainMark mark(source.tables.drains());
  stop_point("drain.marked");
  seal(source.tables, source.lanes, options.scope, minute_of(now));
  const Result<Spool> spool = Spool::open(data_dir);
  run.store_sealed_tables(spool);
  run.reset_stored_tables();
  if (spool) {
    run.send_spooled(*spool);
  }
  stop_point("drain.sent");
  run.plan_next_run();
  stop_point("drain.planned");
  return std::move(run.report);
}

DrainReport drain_spool(const std::string& data_dir, const DrainOptions& options, UnixTime now) {
  Run run(nullptr, options, now);
  run.report.ran = true;
  if (const Result<Spool> spool = Spool::open(data_dir)) {
    run.send_spooled(*spool);
  }
  return std::move(run.report);
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
