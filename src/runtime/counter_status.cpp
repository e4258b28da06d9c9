#include "runtime/counter_status.h"

#include <algorithm>
#include <set>

#include "base/dsn.h"

namespace presence {
namespace {

constexpr auto relaxed = std::memory_order_relaxed;

void add_tables(const MinuteTables& minutes, CounterStatus& status) {
  status.series_max = minutes.max_series();
  status.minutes_max = MinuteTables::kTables;
  for (std::uint32_t number = 0; number < MinuteTables::kTables; ++number) {
    const MinuteTable table = minutes.table(number);
    if (table.state().phase() != TablePhase::free) {
      ++status.minutes_used;
      status.series_used = std::max(status.series_used, table.series());
    }
  }
  const CounterStatistics& statistics = minutes.statistics();
  status.direct_adds = statistics.direct_adds.load(relaxed);
  status.refused_adds = statistics.refused_adds.load(relaxed);
  status.shortened_arguments = statistics.shortened_arguments.load(relaxed);
  status.scrubbed_arguments = statistics.scrubbed_arguments.load(relaxed);
  status.damaged_series = statistics.damaged_series.load(relaxed);
  const DrainRecord& drains = minutes.drains();
  status.last_run = drains.last_run.load(relaxed);
  const std::uint32_t waiting = drains.waiting.load(relaxed);
  status.batches_waiting = waiting + drains.unreachable.load(relaxed);
  status.next_run = waiting > 0 ? drains.next_run.load(relaxed) : 0;
}

void add_sinks(const TargetTable& targets, CounterStatus& status) {
  status.targets_used = targets.used();
  status.targets_max = TargetTable::kTargets;
  std::set<std::string> seen;
  for (TargetIndex target = 0; target < targets.used(); ++target) {
    const std::string fingerprint = targets.fingerprint(target);
    const DeliveryRecord* delivery = targets.delivery(fingerprint);
    if (fingerprint.empty() || delivery == nullptr || !seen.insert(fingerprint).second) {
      continue;
    }
    CounterStatus::SinkPart& sink = status.sinks.emplace_back();
    if (const Result<Dsn> dsn = parse_dsn(targets.dsn_of(fingerprint))) {
      sink.sink = dsn->redacted();
    }
    sink.last_flush = delivery->last_flush.load(relaxed);
    sink.rows_written = delivery->rows_written.load(relaxed);
    sink.batches_written = delivery->batches_written.load(relaxed);
    sink.rows_refused = delivery->rows_refused.load(relaxed);
    sink.batches_doubtful = delivery->batches_doubtful.load(relaxed);
    sink.failures = delivery->failures.load(relaxed);
    sink.next_attempt = delivery->next_attempt.load(relaxed);
    sink.last_error = delivery->error_text();
    sink.last_error_time = delivery->last_error_time.load(relaxed);
  }
}

void add_spool(Attachment& attachment, CounterStatus& status) {
  status.data_dir = attachment.data_folder();
  if (attachment.has_other_folder()) {
    status.data_dir_ignored = data_dir(attachment.settings());
  }
  const Result<Spool> spool = Spool::open(status.data_dir);
  status.data_dir_usable = spool.ok();
  if (!spool) {
    return;
  }
  if (const Result<std::vector<SpoolEntry>> entries = spool->list()) {
    status.spool = usage_of(*entries);
  }
  status.set_aside = spool->bytes_set_aside();
}

}  // namespace

CounterStatus counter_status(Attachment& attachment) {
  CounterStatus status;
  add_spool(attachment, status);
  const SharedState* shared = attachment.shared();
  if (shared == nullptr) {
    return status;
  }
  status.segment = {shared->segment().path(), shared->segment().size(), Segment::layout_version(),
                    shared->lanes().used(), Lanes::kCount};
  add_tables(shared->minutes(), status);
  add_sinks(shared->targets(), status);
  const FlusherSource flusher = shared->flusher();
  status.fork_failures = flusher.record.fork_failures.load(relaxed);
  if (flusher_lives(flusher)) {
    status.flusher_pid = flusher.record.pid.load(relaxed);
    status.flusher_heartbeat = flusher.record.heartbeat.load(relaxed);
  }
  return status;
}

}  // namespace presence
