// How a batch is written over a connection that takes SQL text.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/stop_points.h"
#include "sinks/mysql_errors.h"
#include "sinks/sink.h"
#include "sinks/sql.h"
#include "sinks/unanswered.h"

namespace presence {

/// Writes one batch. `Session` has: `Status run(std::string_view)`, `Result<std::vector<std::vector<std::string>>>
/// query(std::string_view)`, `void append_literal(std::string&, std::string_view)`, `unsigned last_error()` (MySQL's
/// number), `sql::Dialect dialect()` and `std::size_t max_statement()`.
template <class Session>
class BatchWriter {
 public:
  BatchWriter(Session& session, std::string_view table) : session_(session), table_(table) {}

  [[nodiscard]] static std::string_view begin_statement(sql::Dialect dialect) {
    // IMMEDIATE: a transaction that begins by reading could not wait for another writer later.
    return dialect == sql::Dialect::sqlite ? "BEGIN IMMEDIATE" : "START TRANSACTION";
  }

  /// In a transaction that the caller has begun, and which is over if this succeeds; after an error the caller rolls it
  /// back. Everything else as Sink::write().
  Result<WriteReport> write(const BatchId& id, std::span<const CounterRow> rows, BatchNotes& notes) {
    Ledger ledger = Ledger::missing;
    if (!id.source.empty()) {
      const Result<Ledger> found = look_up(id);
      if (!found) {
        return found.error();
      }
      ledger = *found;
      if (ledger == Ledger::knows_it && !is_broken(Promise::ledger)) {
        return leave(WriteReport::Outcome::known);
      }
      // Also with a ledger: it may have been installed since.
      const Result<CommitAnswer> earlier = answer_of_earlier_attempt(notes);
      if (!earlier) {
        return earlier.error();
      }
      if (*earlier != CommitAnswer::not_committed) {
        return leave(*earlier == CommitAnswer::committed ? WriteReport::Outcome::known
                                                         : WriteReport::Outcome::doubtful);
      }
    }
    stop_point("mysql.asked");
    Result<std::vector<RefusedRow>> refused = send(rows);
    if (!refused) {
      return std::move(refused).error();
    }
    stop_point("mysql.written");
    if (ledger == Ledger::is_new) {
      if (Status status = session_.run(sql::update_batch(table_, id, clock::now())); !status) {
        return std::move(status).error();
      }
    }
    stop_point("mysql.noted");
    std::vector<StoredSums> expected;
    if (!id.source.empty() && ledger == Ledger::missing) {
      Result<std::vector<StoredSums>> rows_now = stored(telling_rows(rows, *refused), false);
      if (!rows_now) {
        return std::move(rows_now).error();
      }
      expected = std::move(*rows_now);
    }
    if (Status noted = notes.before_commit(*refused, expected); !noted) {
      return std::move(noted).error();
    }
    stop_point("mysql.kept");
    if (Status committed = commit(notes); !committed) {
      return std::move(committed).error();
    }
    return WriteReport{WriteReport::Outcome::committed, std::move(*refused)};
  }

 private:
  enum class Ledger { missing, is_new, knows_it };

  Result<WriteReport> leave(WriteReport::Outcome outcome) {
    if (Status status = session_.run("ROLLBACK"); !status) {
      return std::move(status).error();
    }
    return WriteReport{outcome, {}};
  }

  /// Asks the ledger about a batch, and locks its source's row until the end of the transaction.
  Result<Ledger> look_up(const BatchId& id) {
    // A second round only for a source that is seen for the first time.
    for (int round = 0; round < 2; ++round) {
      const auto rows = session_.query(sql::select_batch(session_.dialect(), table_, id.source));
      if (!rows) {
        const bool missing = is_mysql() && mysql::is_missing_table(session_.last_error());
        return missing ? Result<Ledger>(Ledger::missing) : rows.error();
      }
      if (!rows->empty() && !rows->front().empty()) {
        const auto last = sql::number_in<std::int64_t>(rows->front().front());
        return last >= static_cast<std::int64_t>(id.number) ? Ledger::knows_it : Ledger::is_new;
      }
      if (Status status = add_source(id.source); !status) {
        return std::move(status).error();
      }
    }
    return Error{ErrorCode::transient, "the ledger of batches lost a row that was just added"};
  }

  /// Adds a source. On MySQL outside of the transaction (see sql::insert_source), and begins another one.
  Status add_source(const std::string& source) {
    const std::string insert = sql::insert_source(table_, source);
    if (!is_mysql()) {
      return session_.run(insert);
    }
    if (Status status = session_.run("ROLLBACK"); !status) {
      return status;
    }
    if (Status status = session_.run(insert); !status && session_.last_error() != mysql::kDuplicateKey) {
      return status;
    }
    return session_.run(begin_statement(session_.dialect()));
  }

  /// not_committed also if there was no earlier attempt.
  Result<CommitAnswer> answer_of_earlier_attempt(BatchNotes& notes) {
    const Result<std::vector<StoredSums>> expected = notes.unanswered();
    if (!expected) {
      return expected.error().code == ErrorCode::damaged ? Result<CommitAnswer>(CommitAnswer::unknown)
                                                         : expected.error();
    }
    if (expected->empty()) {
      return CommitAnswer::not_committed;
    }
    std::vector<RowHash> hashes;
    for (const StoredSums& row : *expected) {
      hashes.push_back(row.hash);
    }
    // Locked: the transaction of the lost commit may still be on its way in the server, and must be over first.
    const Result<std::vector<StoredSums>> found = stored(hashes, true);
    return found ? Result<CommitAnswer>(commit_answer(*expected, *found)) : found.error();
  }

  Result<std::vector<StoredSums>> stored(std::span<const RowHash> hashes, bool lock) {
    std::vector<StoredSums> found;
    if (hashes.empty()) {
      return found;
    }
    const auto rows = session_.query(sql::select_rows(session_.dialect(), table_, hashes, lock));
    if (!rows) {
      return rows.error();
    }
    for (const std::vector<std::string>& row : *rows) {
      if (row.size() != 5 || row[0].size() != RowHash().size()) {
        continue;
      }
      StoredSums& stored = found.emplace_back();
      std::copy(row[0].begin(), row[0].end(), stored.hash.begin());
      stored.sums = {.total = sql::number_in<double>(row[1]),
                     .minimum = sql::number_in<double>(row[2]),
                     .maximum = sql::number_in<double>(row[3]),
                     .count = sql::number_in<std::int64_t>(row[4])};
    }
    return found;
  }

  Result<std::vector<RefusedRow>> send(std::span<const CounterRow> rows) {
    sql::StatementLimits limits;
    limits.bytes = std::min(limits.bytes, session_.max_statement());
    const auto quote = [this](std::string& out, std::string_view text) { session_.append_literal(out, text); };
    const auto run = [this](std::string_view statement) {
      Status status = session_.run(statement);
      return status || status.error().code != ErrorCode::rejected ? std::move(status)
                                                                  : after_rejection(std::move(status));
    };
    return sql::send_upserts(session_.dialect(), table_, rows, limits, quote, run);
  }

  /// SQLite lets a table say that a violated constraint ends the whole transaction. What came after would be committed
  /// statement by statement.
  Status after_rejection(Status rejected) {
    if (is_mysql() || !session_.run("BEGIN").ok()) {
      return rejected;
    }
    return Error{ErrorCode::transient, rejected.error().message +
                                           ". The constraint rolls back the whole transaction; define it without ON "
                                           "CONFLICT ROLLBACK, so that the other rows can be stored"};
  }

  Status commit(BatchNotes& notes) {
    Status committed = session_.run("COMMIT");
    stop_point("mysql.committed");
    if (committed.ok()) {
      return committed;
    }
    if (is_mysql() && mysql::is_unanswered(session_.last_error())) {
      return Error{ErrorCode::unanswered, committed.error().message};
    }
    notes.not_committed();
    return committed;
  }

  [[nodiscard]] bool is_mysql() const { return session_.dialect() != sql::Dialect::sqlite; }

  Session& session_;
  std::string_view table_;
};

}  // namespace presence
