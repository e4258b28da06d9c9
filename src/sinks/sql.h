// The SQL that all sinks share: tables, the upsert that adds up, the query that reads by step, the ledger of batches.
//
// It works on two shapes of counter table: the one that create_statements() makes, and an older one with an
// AUTO_INCREMENT id, a UNIQUE hash and FLOAT columns.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/counter_row.h"
#include "base/dsn.h"
#include "base/result.h"
#include "sinks/sink.h"

namespace presence::sql {

/// Which SQL a server understands.
enum class Dialect {
  sqlite,           ///< INSERT … ON CONFLICT DO UPDATE, from SQLite 3.24.
  values_function,  ///< MariaDB, and MySQL before 8.0.19: ON DUPLICATE KEY UPDATE with VALUES(column).
  row_alias,  ///< MySQL from 8.0.19: ON DUPLICATE KEY UPDATE with a row alias; VALUES() would warn for each column.
};

/// The dialect of a MySQL or MariaDB server, by what `SELECT VERSION()` answers.
[[nodiscard]] Dialect server_dialect(std::string_view version);

/// The table where a DSN gives none.
inline constexpr std::string_view kDefaultTable = "counter";

/// The longest name of a counter table: with the ledger's suffix it reaches the 64 characters that MySQL allows.
inline constexpr std::size_t kMaxTableName = 58;

/// The counter table of a DSN: the option `table`, or `counter`. Error: invalid_argument unless it consists of 1 to
/// kMaxTableName ASCII letters, digits, '_' and '$'.
Result<std::string> table_of(const Dsn& dsn);

/// Where the last batch of each source is kept: `<table>_batch`.
[[nodiscard]] std::string ledger_of(std::string_view table);

/// The statements that create the counter table with its index, and the ledger, where they are missing.
[[nodiscard]] std::vector<std::string> create_counter_statements(Dialect dialect, std::string_view table);
[[nodiscard]] std::string create_ledger_statement(Dialect dialect, std::string_view table);

// The upsert is `upsert_head` + rows separated by ',' + `upsert_tail`.
[[nodiscard]] std::string upsert_head(std::string_view table);
[[nodiscard]] std::string upsert_tail(Dialect dialect, std::string_view table);

/// Appends a finite double as a floating-point literal, in the fewest digits that read back as the same number. Always
/// with an exponent, since a literal without one would be an exact DECIMAL or an integer.
void append_double(std::string& out, double value);

void append_integer(std::string& out, std::int64_t value);

/// Appends one row's values, "(…)". `quote(out, text)` appends the text as a string literal, in quotes.
template <class Quote>
void append_row(std::string& out, const CounterRow& row, Quote&& quote) {
  out += '(';
  quote(out, view(row.hash));
  out += ',';
  quote(out, row.name);
  out += ',';
  if (row.argument) {
    quote(out, *row.argument);
  } else {
    out += "NULL";
  }
  out += ',';
  append_integer(out, row.slot);
  out += ',';
  append_double(out, row.sums.total);
  out += ',';
  append_double(out, row.sums.minimum);
  out += ',';
  append_double(out, row.sums.maximum);
  out += ',';
  append_integer(out, row.sums.count);
  out += ')';
}

/// Where a statement is cut: how long it may be, and how many rows it may hold.
struct StatementLimits {
  std::size_t bytes = std::size_t{1} << 20;  ///< Not above what the server takes.
  std::size_t rows = 1000;
};

/// Makes the upserts of all rows, in order, and gives each to `send(std::string_view) -> Status`. One that is
/// `rejected` is halved, until the rows are found that are to blame: the database takes back a statement that fails
/// over its data, and the transaction goes on. So does a row that is longer than a statement may be, without being
/// sent. Returns the refused rows. Stops at the first other error.
template <class Quote, class Send>
Result<std::vector<RefusedRow>> send_upserts(Dialect dialect, std::string_view table, std::span<const CounterRow> rows,
                                             const StatementLimits& limits, Quote&& quote, Send&& send) {
  struct Range {
    std::size_t begin;
    std::size_t end;
  };
  const std::string head = upsert_head(table);
  const std::string tail = upsert_tail(dialect, table);
  std::vector<RefusedRow> refused;
  std::vector<Range> left{{0, rows.size()}};  // The last one comes next.
  std::string statement;
  while (!left.empty()) {
    const Range range = left.back();
    left.pop_back();
    statement = head;
    std::size_t end = range.begin;
    for (; end < range.end && end - range.begin < limits.rows; ++end) {
      const std::size_t before = statement.size();
      if (end > range.begin) {
        statement += ',';
      }
      append_row(statement, rows[end], quote);
      if (statement.size() + tail.size() > limits.bytes) {
        statement.resize(before);
        break;
      }
    }
    const std::size_t count = end - range.begin;
    if (count == 0) {
      if (range.begin < range.end) {
        refused.push_back({range.begin, "the row is longer than the server's max_allowed_packet"});
        left.push_back({range.begin + 1, range.end});
      }
      continue;
    }
    if (end < range.end) {
      left.push_back({end, range.end});
    }
    statement += tail;
    Status status = send(std::string_view(statement));
    if (status.ok()) {
      continue;
    }
    if (status.error().code != ErrorCode::rejected) {
      return std::move(status).error();
    }
    if (count == 1) {
      refused.push_back({range.begin, std::move(status).error().message});
    } else {
      left.push_back({range.begin + count / 2, end});
      left.push_back({range.begin, range.begin + count / 2});
    }
  }
  return refused;
}

/// The query for what some rows hold. Columns: hash, total, minimum, maximum, count. `lock`: waits for transactions
/// that have changed them, and keeps others from doing so.
[[nodiscard]] std::string select_rows(Dialect dialect, std::string_view table, std::span<const RowHash> hashes,
                                      bool lock);

/// Whether the message of a failed NOT NULL constraint of SQLite is about a column that no row of ours has: then the
/// table does not fit, and the row is not to blame.
[[nodiscard]] bool is_foreign_column(std::string_view message);

/// Whether read_query can be made of it. Error: internal.
Status check_query(const CounterQuery& query);

/// The query behind Sink::read and Sink::read_with_ledger. Columns: source, slot, total, minimum, maximum, count. One
/// row with an empty source for each bucket; and for each of `sources` that the ledger knows one with its last batch
/// number as slot. One statement, so that all of it is of one moment whatever the isolation level. In no particular
/// order. `name` and `argument` are the query's texts as string literals, in quotes; they compare byte by byte,
/// whatever the collation of an existing table. Without `sources` it does not touch the ledger.
[[nodiscard]] std::string read_query(Dialect dialect, std::string_view table, const CounterQuery& query,
                                     std::string_view name, std::optional<std::string_view> argument,
                                     std::span<const std::string> sources);

/// The number that a column's text holds; 0 if none.
template <class Number>
Number number_in(const std::string& text) {
  Number number{};
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

/// Takes one row of that query.
void take_read_row(StoredCounters& stored, std::string_view source, std::int64_t slot, const Sums& sums);

/// The same for rows that came as text, and sorts the buckets.
[[nodiscard]] StoredCounters take_read_rows(const std::vector<std::vector<std::string>>& rows);

/// Sorts the buckets by slot.
void sort_buckets(StoredCounters& stored);

/// Whether a source may stand in the statements below: 32 lower-case hex digits, and a number a BIGINT can hold. Error:
/// internal.
Status check_batch(const BatchId& id);

/// Reads a source's last batch number; locks its row until the end of the transaction (SQLite locks the file anyway).
[[nodiscard]] std::string select_batch(Dialect dialect, std::string_view table, std::string_view source);

/// Adds a source that has sent no batch yet (number -1). Fails if another process was faster, which does no harm.
///
/// Not to be run in the transaction that looked for the row: the lock of a row that is not there is a gap lock, two
/// transactions may hold it at once, and both would then wait for each other to insert.
[[nodiscard]] std::string insert_source(std::string_view table, std::string_view source);

/// Moves a source's number.
[[nodiscard]] std::string update_batch(std::string_view table, const BatchId& id, UnixTime now);

}  // namespace presence::sql
