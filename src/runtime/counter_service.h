// Everything that class Counters does, free of PHP: one object for each thread.
#pragma once

#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/counter_row.h"
#include "base/result.h"
#include "counters/accumulator.h"
#include "flusher/drain.h"
#include "runtime/attachment.h"
#include "runtime/direct_adds.h"
#include "runtime/flusher_care.h"
#include "runtime/settings.h"
#include "runtime/shared_state.h"
#include "runtime/unstored_batches.h"
#include "sinks/sink.h"

namespace presence {

/// A connection that the caller has and owns.
struct OwnSink {
  Sink* sink = nullptr;
  std::string fingerprint;
  /// Nobody but this caller can ever reach the database (it is in memory): rows cannot wait.
  bool private_to_caller = false;
};

/// Counting, storing and reading, against the sink of the running request.
class CounterService {
 public:
  /// `attachment` must outlive the service.
  explicit CounterService(Attachment& attachment);
  ~CounterService();

  /// From here on rows go to the sink of the settings again.
  void begin_request();

  /// Rows go there for the rest of the request. Errors: invalid_argument; unsupported if there is no such sink.
  Status connect(std::string_view dsn);

  /// Rows go over this connection for the rest of the request, until `connect` or the next call; null: no longer.
  void use(const OwnSink* sink);

  /// Whether shared memory is in use.
  [[nodiscard]] bool available();

  /// The fast path of add(): adds if this thread has added to the very same series in this minute before, in shared
  /// memory. False, and nothing is done, if not: then add() does it, or says what is wrong. Never throws.
  ///
  /// `quick_hash`: see Accumulator::add_known().
  [[nodiscard, gnu::always_inline]] bool add_known(std::string_view name, std::optional<std::string_view> argument,
                                                   std::uint64_t quick_hash, double value) noexcept {
    return known_ != nullptr && epoch_ == Attachment::epoch() && std::isfinite(value) &&
           known_->add_known({known_target_, name, argument}, quick_hash, value);
  }

  /// Adds `value` to a series in the running minute. Nanoseconds where shared memory has room; otherwise it is written
  /// to the sink at once, and if that fails, to the spool (see DirectAdds); for a connection of the caller's to the
  /// spool. Errors: invalid_argument (with which argument: see `bad_argument`); for a database that is private to the
  /// caller, those of its sink.
  Status add(std::string_view name, std::optional<std::string_view> argument, std::uint64_t quick_hash, double value);

  /// After `add` failed with invalid_argument: the number of the argument that is wrong, from 1.
  [[nodiscard]] std::uint32_t bad_argument() const { return bad_argument_; }

  /// Writes finished minutes, and batches that wait, now. Returns rows written, also those that another process wrote
  /// while this one waited for it, `patience` seconds at most. Errors: transient if that was not enough; the first
  /// failure. Nothing is lost by them.
  Result<std::int64_t> flush(SealScope scope = SealScope::finished, double patience = 10);

  /// Whether the end of a request (or, on the command line, of the process) has something to do: to start a flusher
  /// where none lives, or to do its work. Costs nanoseconds. `last_chance`: the process ends; none may follow.
  [[nodiscard]] bool due(bool last_chance);

  /// Does what `due` asked for. Failures are kept for status().
  void end_request(bool last_chance);

  /// Rows of the current sink that are not in its database yet, sorted by slot, name and argument.
  Result<std::vector<CounterRow>> pending();

  /// Stored and pending rows put together by step, sorted by slot. Errors: invalid_argument; those of the sink.
  Result<std::vector<CounterBucket>> read(const CounterQuery& query);

  /// Values that are lost, counted while there was no shared memory to count them in.
  [[nodiscard]] std::uint64_t refused_adds() const { return direct_.refused(); }

  /// Creates the tables of the current sink.
  Status install();

  /// Where rows go, without secrets; empty for a connection of the caller's.
  [[nodiscard]] std::string sink_name() const;
  [[nodiscard]] std::string sink_fingerprint();

 private:
  struct Target {
    std::string dsn;  ///< Empty for a connection of the caller's own.
    std::string fingerprint;
    std::optional<TargetIndex> index;  ///< In the segment's target table.
  };

  SharedState* shared();
  [[nodiscard]] Accumulator* accumulator();
  Result<Target*> target();
  void change_target();
  Result<Sink*> sink();
  Status add_slowly(std::string_view name, std::optional<std::string_view> argument, std::uint64_t quick_hash,
                    double value);
  Status add_directly(std::string_view name, std::optional<std::string_view> argument, double value);
  void forget_parent();
  /// Of the current sink.
  [[nodiscard]] std::vector<UnstoredBatch> unstored_batches();
  [[nodiscard]] DrainReport run_drain(SealScope scope, bool even_if_put_off, const std::string& errors_of = {});
  /// Sends what waits in this process's own data folder, where that is not the segment's: it was put there while shared
  /// memory was not to be had.
  void send_strays(DrainOptions options, UnixTime now, DrainReport& report);
  [[nodiscard]] bool strays_due(UnixTime now);
  /// Whether there are batches on disk that only the caller's connection can send, and may now.
  [[nodiscard]] bool own_rows_wait(UnixTime now);
  /// Of all databases, by all processes of the segment.
  [[nodiscard]] std::uint64_t rows_written_by_all();
  [[nodiscard]] bool drain_unfinished() const;
  [[nodiscard]] bool drain_running() const;
  void finish_killed_drain();

  Attachment& attachment_;
  const Settings& settings_;
  std::uint32_t epoch_;
  SharedState* shared_ = nullptr;  ///< As of the last call of shared().
  std::unique_ptr<Accumulator> accumulator_;
  /// For add_known(): the accumulator, if rows go to a target of the segment that is known; else null.
  Accumulator* known_ = nullptr;
  TargetIndex known_target_ = 0;

  std::optional<Target> target_;
  std::string request_dsn_;  ///< From connect().
  std::optional<OwnSink> own_;
  std::map<std::string, std::unique_ptr<Sink>> sinks_;  ///< By DSN; kept over requests.
  DirectAdds direct_;
  FlusherCare flusher_;
  bool kept_for_own_ = false;      ///< Something waits on disk for a connection of the caller's.
  bool added_ = false;             ///< Something was added since the last drain.
  UnixTime strays_again_ = 0;      ///< Not looked for before this time.
  std::int64_t first_minute_ = 0;  ///< When this process began to count; 0: not yet.
  std::uint32_t bad_argument_ = 0;
};

}  // namespace presence
