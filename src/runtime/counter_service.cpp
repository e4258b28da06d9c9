#include "runtime/counter_service.h"

#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <tuple>
#include <utility>

#include "base/dsn.h"
#include "counters/row_hash.h"
#include "counters/series_input.h"
#include "flusher/spool.h"
#include "flusher/table_rows.h"
#include "segment/file_lock.h"

namespace presence {
namespace {

/// Open connections kept by one thread; a site has one or two databases.
constexpr std::size_t kSinksMax = 8;
constexpr int kReadTries = 3;
/// Seconds between two looks into a data folder that is not the segment's.
constexpr UnixTime kStraysPause = 60;
/// How far apart an explicit flush looks whether another process is done.
constexpr timespec kFlushPause{0, 20'000'000};

constexpr std::uint32_t kNameArgument = 1;
constexpr std::uint32_t kValueArgument = 3;

CounterRow row_of(std::string_view name, std::optional<std::string_view> argument, double value) {
  CounterRow row;
  row.name = name;
  if (argument) {
    row.argument = std::string(*argument);
  }
  row.slot = minute_of(clock::now()) * 60;
  row.hash = row_hash(name, argument, row.slot);
  row.sums = {value, value, value, 1};
  return row;
}

bool matches(const CounterRow& row, const CounterQuery& query) {
  return row.name == query.name && row.slot >= query.since && row.slot < query.until &&
         (!query.argument || row.argument == query.argument);
}

UnixTime start_of_bucket(UnixTime slot, std::int64_t step) {
  const UnixTime rest = slot % step;
  return slot - (rest < 0 ? rest + step : rest);
}

}  // namespace

CounterService::CounterService(Attachment& attachment)
    : attachment_(attachment),
      settings_(attachment.settings()),
      epoch_(attachment.epoch()),
      direct_(attachment),
      flusher_(attachment) {}

CounterService::~CounterService() = default;

void CounterService::begin_request() {
  if (!request_dsn_.empty() || own_) {
    request_dsn_.clear();
    own_.reset();
    change_target();
  }
}

void CounterService::change_target() {
  target_.reset();
  known_ = nullptr;
}

Status CounterService::connect(std::string_view dsn) {
  Result<Dsn> parsed = parse_dsn(dsn);
  if (!parsed) {
    return std::move(parsed).error();
  }
  // Opened to see whether this build has such a sink; it connects at first use.
  if (Result<std::unique_ptr<Sink>> sink = open_sink(*parsed, {settings_.timeout}); !sink) {
    return std::move(sink).error();
  }
  request_dsn_ = dsn;
  own_.reset();
  change_target();
  return {};
}

void CounterService::use(const OwnSink* sink) {
  own_ = sink == nullptr ? std::nullopt : std::optional<OwnSink>(*sink);
  change_target();
}

bool CounterService::available() { return shared() != nullptr; }

void CounterService::forget_parent() {
  epoch_ = attachment_.epoch();
  known_ = nullptr;
  accumulator_.reset();
  sinks_.clear();
  direct_.forget_parent();
  if (target_) {
    target_->index.reset();
  }
}

SharedState* CounterService::shared() {
  if (epoch_ != attachment_.epoch()) {
    forget_parent();
  }
  shared_ = attachment_.shared();
  return shared_;
}

Accumulator* CounterService::accumulator() {
  if (shared() != nullptr && !accumulator_) {
    if (const Lane* lane = attachment_.lane()) {
      accumulator_ = std::make_unique<Accumulator>(shared_->minutes(), *lane);
    }
  }
  return accumulator_.get();
}

Result<CounterService::Target*> CounterService::target() {
  if (!target_) {
    Target target;
    if (own_) {
      target.fingerprint = own_->fingerprint;
    } else {
      Result<Dsn> dsn = request_dsn_.empty() ? sink_dsn(settings_) : parse_dsn(request_dsn_);
      if (!dsn) {
        return std::move(dsn).error();
      }
      target.dsn =
          request_dsn_.empty() ? settings_.sink.empty() ? "sqlite:" + dsn->path : settings_.sink : request_dsn_;
      target.fingerprint = dsn->fingerprint();
    }
    target_ = std::move(target);
  }
  if (!target_->index && shared() != nullptr) {
    target_->index = shared_->targets().find_or_add(target_->fingerprint, target_->dsn);
  }
  return &*target_;
}

Result<Sink*> CounterService::sink() {
  if (own_) {
    return own_->sink;
  }
  Result<Target*> where = target();
  if (!where) {
    return std::move(where).error();
  }
  const std::string& dsn = (*where)->dsn;
  if (const auto open = sinks_.find(dsn); open != sinks_.end()) {
    return open->second.get();
  }
  Result<Dsn> parsed = parse_dsn(dsn);
  if (!parsed) {
    return std::move(parsed).error();
  }
  Result<std::unique_ptr<Sink>> opened = open_sink(*parsed, {settings_.timeout});
  if (!opened) {
    return std::move(opened).error();
  }
  if (request_dsn_.empty() && settings_.sink.empty()) {
    // The folder of the default sink is ours to make. Where it cannot be made, the sink says what is missing.
    static_cast<void>(make_private_folder(data_dir(settings_)).ok());
  }
  if (sinks_.size() >= kSinksMax) {
    sinks_.clear();
  }
  return (sinks_[dsn] = std::move(*opened)).get();
}

Status CounterService::add(std::string_view name, std::optional<std::string_view> argument, std::uint64_t quick_hash,
                           double value) {
  if (Status finite = check_series_value(value); !finite) [[unlikely]] {
    bad_argument_ = kValueArgument;
    return finite;
  }
  if (add_known(name, argument, quick_hash, value)) {
    return {};
  }
  return add_slowly(name, argument, quick_hash, value);
}

Status CounterService::add_slowly(std::string_view name, std::optional<std::string_view> argument,
                                  std::uint64_t quick_hash, double value) {
  if (Status named = check_series_name(name); !named) {
    bad_argument_ = kNameArgument;
    return named;
  }
  std::string fixed;
  if (argument) {
    const ArgumentFix fix = fix_argument(*argument, fixed);
    if (fix != ArgumentFix::none) {
      argument = fixed;
    }
    if (SharedState* state = fix == ArgumentFix::none ? nullptr : shared()) {
      CounterStatistics& statistics = state->minutes().statistics();
      statistics.scrubbed_arguments.fetch_add(fix != ArgumentFix::shortened, std::memory_order_relaxed);
      statistics.shortened_arguments.fetch_add(fix != ArgumentFix::scrubbed, std::memory_order_relaxed);
    }
  }
  Result<Target*> where = target();
  if (!where) {
    return std::move(where).error();
  }
  added_ = true;
  // A process whose requests never end looks after the flusher here, once a minute, when its series are new again.
  const std::int64_t minute = minute_of(clock::now());
  if (first_minute_ == 0) {
    first_minute_ = minute;
  } else if (first_minute_ != minute && flusher_.wanted()) {
    first_minute_ = minute;
    flusher_.start(clock::now());
  }
  const bool can_wait = !own_ || !own_->private_to_caller;
  if (can_wait && (*where)->index && accumulator() != nullptr &&
      accumulator_->add({*(*where)->index, name, argument}, quick_hash, value)) {
    known_ = accumulator_.get();
    known_target_ = *(*where)->index;
    return {};
  }
  return add_directly(name, argument, value);
}

Status CounterService::add_directly(std::string_view name, std::optional<std::string_view> argument, double value) {
  if (shared_) {
    shared_->minutes().statistics().direct_adds.fetch_add(1, std::memory_order_relaxed);
  }
  Result<Target*> where = target();
  if (!where) {
    return std::move(where).error();
  }
  if (own_ && !own_->private_to_caller) {
    // The application is at work on it: its transaction, its locked tables and its last insert id are its own.
    direct_.keep(row_of(name, argument, value), (*where)->fingerprint);
    kept_for_own_ = true;
    return {};
  }
  return direct_.add(row_of(name, argument, value), sink(), (*where)->fingerprint, !own_ || !own_->private_to_caller);
}

DrainReport CounterService::run_drain(SealScope scope, bool even_if_put_off, const std::string& errors_of) {
  DrainOptions options;
  options.errors_of = errors_of;
  options.scope = scope;
  options.even_if_put_off = even_if_put_off;
  options.sink.timeout = settings_.timeout;
  options.spool_max = settings_.spool_max;
  SharedState* state = shared();
  if (Result<Target*> where = target(); where && (own_ || state == nullptr)) {
    if (Result<Sink*> own = sink(); own && !(own_ && own_->private_to_caller)) {
      options.own_sinks[(*where)->fingerprint] = *own;
    }
  }
  const UnixTime now = clock::now();
  if (state == nullptr) {
    return drain(nullptr, data_dir(settings_), options, now);
  }
  const DrainSource source{state->segment(), state->lanes(), state->minutes(), state->targets()};
  DrainReport report = drain(&source, state->data_folder(), options, now);
  if (attachment_.has_other_folder()) {
    send_strays(options, now, report);
  }
  return report;
}

void CounterService::send_strays(DrainOptions options, UnixTime now, DrainReport& report) {
  strays_again_ = now + kStraysPause;
  if (access(spool_folder(data_dir(settings_)).c_str(), F_OK) != 0) {
    return;
  }
  if (Result<Target*> where = target()) {
    if (Result<Sink*> own = sink(); own && !(own_ && own_->private_to_caller)) {
      options.own_sinks[(*where)->fingerprint] = *own;
    }
  }
  DrainReport strays = drain(nullptr, data_dir(settings_), options, now);
  report.rows_written += strays.rows_written;
  if (!report.error) {
    report.error = std::move(strays.error);
  }
}

bool CounterService::strays_due(UnixTime now) {
  // A pause that is longer than it can be means that the clock was moved.
  return attachment_.has_other_folder() && (now >= strays_again_ || strays_again_ - now > kStraysPause);
}

Result<std::int64_t> CounterService::flush(SealScope scope, double patience) {
  const std::uint64_t before = rows_written_by_all();
  const double deadline = clock::monotonic() + patience;
  for (bool waited = false;; waited = true) {
    // Of all databases, but the caller asks about his own.
    DrainReport report = run_drain(scope, true, sink_fingerprint());
    if (report.error) {
      return std::move(*report.error);
    }
    if (report.ran && !report.held_up) {
      // What another process did meanwhile is what the caller waited for.
      const auto by_all = static_cast<std::int64_t>(rows_written_by_all() - before);
      return waited ? std::max(report.rows_written, by_all) : report.rows_written;
    }
    if (clock::monotonic() >= deadline) {
      return Error{ErrorCode::transient,
                   "another process has been writing counters for " + std::to_string(static_cast<int>(patience)) +
                       " seconds and is not done; nothing is lost, and status() tells how it goes"};
    }
    nanosleep(&kFlushPause, nullptr);
  }
}

std::uint64_t CounterService::rows_written_by_all() {
  std::uint64_t rows = 0;
  std::set<const DeliveryRecord*> counted;
  for (TargetIndex target = 0; shared() != nullptr && target < shared_->targets().used(); ++target) {
    const DeliveryRecord* const delivery = shared_->targets().delivery(shared_->targets().fingerprint(target));
    if (delivery != nullptr && counted.insert(delivery).second) {
      rows += delivery->rows_written.load(std::memory_order_relaxed);
    }
  }
  return rows;
}

bool CounterService::own_rows_wait(UnixTime now) {
  const DeliveryRecord* delivery =
      own_ && shared() != nullptr ? shared_->targets().delivery(own_->fingerprint) : nullptr;
  const bool wait = kept_for_own_ || (delivery != nullptr && delivery->waiting.load(std::memory_order_relaxed) > 0);
  return own_ && wait && (delivery == nullptr || delivery->may_try(now));
}

bool CounterService::due(bool last_chance) {
  if (settings_.flusher == FlusherMode::off || (!added_ && !accumulator_)) {
    return false;
  }
  const UnixTime now = clock::now();
  if (flusher_.wanted()) {
    // A script that ends has nobody else to bring its rows over its own connection.
    const bool last_of_own = last_chance && own_ && added_;
    return last_of_own || flusher_.alone(now) || own_rows_wait(now) || strays_due(now);
  }
  if (last_chance || shared_ == nullptr) {
    return added_;
  }
  return drain_is_due(shared_->minutes(), now) || own_rows_wait(now) || strays_due(now);
}

void CounterService::end_request(bool last_chance) {
  if (flusher_.wanted()) {
    const bool lives = flusher_.lives();
    if (!last_chance) {
      flusher_.start(clock::now());
    }
    // Only this process can reach a database over the caller's own connection, and knows of its other folder. Where no
    // flusher can be started, its work is done here and now.
    if (flusher_.wanted() && !own_ && !strays_due(clock::now()) && (!last_chance || lives)) {
      return;
    }
  }
  added_ = false;
  kept_for_own_ = kept_for_own_ && !own_;
  (void)run_drain(last_chance ? SealScope::all : SealScope::finished, false);
}

bool CounterService::drain_unfinished() const {
  return shared_ && shared_->minutes().drains().sequence.load(std::memory_order_seq_cst) % 2 == 1;
}

bool CounterService::drain_running() const {
  return drain_unfinished() && file_lock::held_by_other(shared_->segment().fd(), LockByte::flush);
}

void CounterService::finish_killed_drain() {
  // It may have left rows in two places: in memory and in the spool, or in the spool and in the database. Over a
  // caller's own connection they have to wait for a moment that suits it.
  if (shared() != nullptr && !own_ && drain_unfinished() && !drain_running()) {
    (void)run_drain(SealScope::finished, true);
  }
}

std::vector<UnstoredBatch> CounterService::unstored_batches() {
  const Result<Target*> where = target();
  return where ? presence::unstored_batches(attachment_, (*where)->fingerprint) : std::vector<UnstoredBatch>();
}

Result<std::vector<CounterRow>> CounterService::pending() {
  if (Result<Target*> where = target(); !where) {
    return std::move(where).error();
  }
  finish_killed_drain();
  std::vector<CounterRow> rows;
  for (UnstoredBatch& batch : unstored_batches()) {
    std::move(batch.rows.begin(), batch.rows.end(), std::back_inserter(rows));
  }
  make_batch(rows);
  std::sort(rows.begin(), rows.end(), [](const CounterRow& a, const CounterRow& b) {
    return std::tie(a.slot, a.name, a.argument) < std::tie(b.slot, b.name, b.argument);
  });
  return rows;
}

Result<std::vector<CounterBucket>> CounterService::read(const CounterQuery& query) {
  Result<Sink*> from = sink();
  if (!from) {
    return std::move(from).error();
  }
  std::map<UnixTime, Sums> buckets;
  for (int i = 0; i < kReadTries; ++i) {
    constexpr timespec kMoment{0, 5'000'000};
    for (int waits = 0; waits < 20 && drain_running(); ++waits) {
      nanosleep(&kMoment, nullptr);
    }
    finish_killed_drain();
    const auto sequence = [this] { return shared_ ? shared_->minutes().drains().sequence.load() : 0; };
    const std::uint64_t before = sequence();
    buckets.clear();
    const std::vector<UnstoredBatch> unstored = unstored_batches();
    std::set<std::string> sources;
    for (const UnstoredBatch& batch : unstored) {
      if (batch.id) {
        sources.insert(batch.id->source);
      }
    }
    const Result<StoredCounters> stored = (*from)->read_with_ledger(query, std::vector(sources.begin(), sources.end()));
    if (!stored) {
      return stored.error();
    }
    const auto add = [&buckets](UnixTime slot, const Sums& more) {
      Sums& sums = buckets[slot];
      sums = combine(sums, more);
    };
    for (const CounterBucket& bucket : stored->buckets) {
      add(bucket.slot, bucket.sums);
    }
    for (const UnstoredBatch& batch : unstored) {
      // Stored since, or long ago by somebody who was not told.
      if (batch.id && stored->includes(*batch.id)) {
        continue;
      }
      for (const CounterRow& row : batch.rows) {
        if (matches(row, query)) {
          add(start_of_bucket(row.slot, query.step), row.sums);
        }
      }
    }
    if (sequence() == before) {
      break;
    }
  }
  std::vector<CounterBucket> rows;
  for (const auto& [slot, sums] : buckets) {
    rows.push_back({slot, sums});
  }
  return rows;
}

Status CounterService::install() {
  Result<Sink*> where = sink();
  return where ? (*where)->install() : Status(std::move(where).error());
}

std::string CounterService::sink_name() const {
  if (own_) {
    return {};
  }
  const Result<Dsn> dsn = request_dsn_.empty() ? sink_dsn(settings_) : parse_dsn(request_dsn_);
  return dsn ? dsn->redacted() : std::string();
}

std::string CounterService::sink_fingerprint() {
  const Result<Target*> where = target();
  return where ? (*where)->fingerprint : std::string();
}

}  // namespace presence
