// Where finished minutes go: one interface, one file per database.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
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

/// A database that adds up counter rows. One connection, opened at first use, used by one thread at a time.
/// Every call is bounded by the timeout it was opened with; after a failure the next call connects anew.
class Sink {
 public:
  virtual ~Sink() = default;

  /// Creates the counter table and the ledger of batches where they are missing; leaves what is there alone.
  virtual Status install() = 0;

  /// Adds the rows in one transaction: totals and counts are summed, minimum and maximum take the lesser and the
  /// greater. `rows` are sorted by hash, each hash once, so that two writers never deadlock over row order.
  /// A batch whose number the ledger has already seen changes nothing and succeeds.
  /// Errors: unavailable, transient, not_installed, rejected (see ErrorCode). On an error nothing was written, unless
  /// the answer to the commit got lost; sending the same BatchId again is right in both cases.
  virtual Status write(const BatchId& id, std::span<const CounterRow> rows) = 0;

  /// The stored rows of a query, put together by step, sorted by slot; buckets without rows are left out.
  virtual Result<std::vector<CounterBucket>> read(const CounterQuery& query) = 0;
};

/// What opening a sink needs besides the DSN.
struct SinkOptions {
  double timeout = 5.0;  ///< Seconds that one call may take to connect, and to get an answer.
};

/// The sink for `mysql:` or `sqlite:`. Does not connect yet. Errors: invalid_argument (what the DSN must be),
/// unsupported (this build lacks the client library, or no sink has that scheme).
Result<std::unique_ptr<Sink>> open_sink(const Dsn& dsn, const SinkOptions& options = {});

}  // namespace presence
