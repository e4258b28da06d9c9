// Where finished minutes go: one interface, one file per database.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/counter_row.h"
#include "base/dsn.h"
#include "base/result.h"

namespace presence {

/// Names a batch so that a sink applies it once, however often it is sent.
struct BatchId {
  std::string source;        ///< 32 hex digits: this machine's segment. Empty: apply without asking the ledger.
  std::uint64_t number = 0;  ///< Grows from batch to batch of one source, and batches are sent in that order.
};

/// A row that the database refuses whenever it is sent: its value does not fit a column, a constraint forbids it.
struct RefusedRow {
  std::size_t index = 0;  ///< In the rows that were given to Sink::write().
  std::string reason;     ///< What the database said.
};

/// What a stored row holds.
struct StoredSums {
  RowHash hash{};
  Sums sums;
};

/// What became of a batch.
struct WriteReport {
  enum class Outcome {
    committed,  ///< Written now, all but the refused rows.
    known,      ///< Had been committed by an earlier attempt; nothing was written now.
    doubtful,   ///< Nobody can tell whether an earlier attempt committed it; nothing was written now.
  };
  Outcome outcome = Outcome::committed;
  std::vector<RefusedRow> refused;  ///< By growing index. Only of this attempt.
};

/// What a caller writes down about an attempt to store a batch, so that a kill between any two steps neither loses nor
/// doubles a row. The sink says when. One object for one batch; this one keeps nothing.
class BatchNotes {
 public:
  virtual ~BatchNotes() = default;

  /// The transaction is complete and will be committed next, without the `refused` rows: from here on they are in the
  /// caller's hands. Where the database keeps no ledger, `expected` tells what some rows of the batch will hold; else
  /// it is empty. Replaces what an earlier attempt noted. An error rolls the transaction back; write() answers it.
  virtual Status before_commit(std::span<const RefusedRow> refused, std::span<const StoredSums> expected) {
    static_cast<void>(refused);
    static_cast<void>(expected);
    return {};
  }

  /// The commit was refused: what before_commit() was told of this attempt is void.
  virtual void not_committed() {}

  /// The `expected` rows of the last attempt, if nobody knows whether it was committed; else none. Error: damaged.
  virtual Result<std::vector<StoredSums>> unanswered() { return std::vector<StoredSums>(); }
};

/// Numbers of batches by source.
using LedgerNumbers = std::map<std::string, std::uint64_t>;

/// What a database holds at one moment.
struct StoredCounters {
  std::vector<CounterBucket> buckets;  ///< Sorted by slot; those without rows are left out.
  /// The number of the last batch that was applied, by source. A source that the ledger does not know is left out, and
  /// so are all where there is no ledger.
  LedgerNumbers last_batches;

  /// Whether the rows of a batch are among those counted.
  [[nodiscard]] bool includes(const BatchId& id) const {
    const auto last = last_batches.find(id.source);
    return last != last_batches.end() && last->second >= id.number;
  }
};

/// A database that adds up counter rows. One connection, opened at first use, used by one thread at a time.
/// Every call is bounded by the timeout it was opened with; after a failure the next call connects anew.
class Sink {
 public:
  virtual ~Sink() = default;

  /// Creates the counter table and the ledger of batches where they are missing; leaves what is there alone.
  virtual Status install() = 0;

  /// Adds the rows in one transaction: totals and counts are summed, minimum and maximum take the lesser and the
  /// greater. `rows` are sorted by hash, each hash once, so that two writers never deadlock over row order.
  ///
  /// Rows that the database refuses for good are left out and reported; the others are committed, if there are any, and
  /// the batch counts as applied. Costs some log2(n) further statements for each refused row.
  ///
  /// A batch whose number the ledger has already seen changes nothing and succeeds. Where there is no ledger, the
  /// `notes` of an unanswered attempt are compared with what the rows hold now.
  ///
  /// Errors: unavailable, transient, not_installed (see ErrorCode): nothing was written. unanswered: the answer to the
  /// commit got lost. Sending the same BatchId with the same notes again is right in all cases.
  virtual Result<WriteReport> write(const BatchId& id, std::span<const CounterRow> rows, BatchNotes& notes) = 0;

  /// The same without notes.
  Result<WriteReport> write(const BatchId& id, std::span<const CounterRow> rows) {
    BatchNotes nothing;
    return write(id, rows, nothing);
  }

  /// The stored rows of a query, put together by step, sorted by slot; buckets without rows are left out.
  virtual Result<std::vector<CounterBucket>> read(const CounterQuery& query) = 0;

  /// The same together with what the ledger says about these sources (each 32 hex digits), both of one moment: so
  /// nothing is counted twice that is on its way while it is read. One without a ledger knows no source.
  virtual Result<StoredCounters> read_with_ledger(const CounterQuery& query, std::span<const std::string> sources) {
    static_cast<void>(sources);
    Result<std::vector<CounterBucket>> buckets = read(query);
    return buckets ? Result<StoredCounters>(StoredCounters{std::move(*buckets), {}}) : std::move(buckets).error();
  }
};

/// What opening a sink needs besides the DSN.
struct SinkOptions {
  double timeout = 5.0;  ///< Seconds that one call may take to connect, and to get an answer.
};

/// The sink for `mysql:` or `sqlite:`. Does not connect yet. Errors: invalid_argument (what the DSN must be),
/// unsupported (this build lacks the client library, or no sink has that scheme).
Result<std::unique_ptr<Sink>> open_sink(const Dsn& dsn, const SinkOptions& options = {});

}  // namespace presence
