#include "php/pdo_sink.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "sinks/batch_writer.h"
#include "sinks/mysql_errors.h"
#include "sinks/sql.h"

namespace presence::php {
namespace {

// How often a transaction that lost against another one is repeated at once, and for how long at most (seconds).
constexpr int kMaxRepeats = 8;
constexpr double kRepeatTime = 5.0;

// SQLite refuses statements of more than a million bytes unless it was compiled for more.
constexpr std::size_t kSqliteStatement = 500'000;

void append_hex(std::string& out, std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  out += "x'";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    out += kDigits[byte >> 4U];
    out += kDigits[byte & 15U];
  }
  out += '\'';
}

/// A transaction of the application is not ours to commit, and beginning another one would do that.
Status check_no_transaction(PdoConnection& connection) {
  const auto open = connection.in_transaction();
  if (!open) {
    return open.error();
  }
  if (*open) {
    return Error{ErrorCode::transient,
                 "the application has a transaction open on Counters::$db; counters are written outside of those"};
  }
  return {};
}

class PdoSink final : public Sink {
 public:
  PdoSink(zend_object* pdo, PdoDriver driver) : connection_(pdo, driver) {}

  Status install() override {
    if (Status status = prepare_to_write(); !status) {
      return status;
    }
    if (!is_mysql()) {
      return in_transaction([this] {
        Status created = create_tables();
        return created ? connection_.run("COMMIT") : std::move(created);
      });
    }
    return create_tables();
  }

  using Sink::write;
  Result<WriteReport> write(const BatchId& id, std::span<const CounterRow> rows, BatchNotes& notes) override {
    if (!id.source.empty()) {
      if (Status status = sql::check_batch(id); !status) {
        return std::move(status).error();
      }
    } else if (rows.empty()) {
      return WriteReport();
    }
    if (Status status = prepare_to_write(); !status) {
      return std::move(status).error();
    }
    const double deadline = clock::monotonic() + kRepeatTime;
    for (int repeats = 0;; ++repeats) {
      WriteReport report;
      Status status = in_transaction([&] { return write_once(id, rows, notes, report); });
      const bool repeat = !status && is_mysql() && mysql::is_lock_conflict(failed_with_) && repeats < kMaxRepeats &&
                          clock::monotonic() < deadline;
      if (!repeat) {
        return status ? Result<WriteReport>(std::move(report)) : std::move(status).error();
      }
    }
  }

  Result<std::vector<CounterBucket>> read(const CounterQuery& query) override {
    Result<StoredCounters> stored = read_with_ledger(query, {});
    return stored ? Result<std::vector<CounterBucket>>(std::move(stored->buckets)) : std::move(stored).error();
  }

  Result<StoredCounters> read_with_ledger(const CounterQuery& query, std::span<const std::string> sources) override {
    if (Status status = sql::check_query(query); !status) {
      return std::move(status).error();
    }
    if (Status status = prepare(); !status) {
      return std::move(status).error();
    }
    if (!is_mysql()) {
      const auto has_counter = has_table(kTable);
      if (!has_counter || !*has_counter) {
        return has_counter ? Result<StoredCounters>(StoredCounters()) : has_counter.error();
      }
      const auto has_ledger = has_table(sql::ledger_of(kTable));
      if (!has_ledger || !*has_ledger) {
        sources = {};
      }
    }
    auto rows = connection_.query(read_statement(query, sources));
    if (!rows && !sources.empty() && is_mysql() && mysql::is_missing_table(connection_.last_error())) {
      rows = connection_.query(read_statement(query, {}));  // It may have been the ledger that is missing.
    }
    if (!rows) {
      return with_advice(std::move(rows).error());
    }
    return sql::take_read_rows(*rows);
  }

 private:
  static constexpr std::string_view kTable = sql::kDefaultTable;

  [[nodiscard]] bool is_mysql() const { return connection_.driver() == PdoDriver::mysql; }

  /// Finds out, once, what the server understands.
  Status prepare() {
    if (prepared_) {
      return {};
    }
    if (is_mysql()) {
      const auto answer = connection_.query("SELECT VERSION(), @@max_allowed_packet");
      if (!answer) {
        return answer.error();
      }
      if (answer->empty() || answer->front().size() != 2) {
        return Error{ErrorCode::unavailable, "the database of Counters::$db does not tell its version"};
      }
      dialect_ = sql::server_dialect(answer->front()[0]);
      // Some room for what the protocol adds.
      const auto packet = sql::number_in<std::size_t>(answer->front()[1]);
      max_statement_ = packet > 1024 ? packet - 512 : packet;
    } else {
      dialect_ = sql::Dialect::sqlite;
      max_statement_ = kSqliteStatement;
    }
    prepared_ = true;
    return {};
  }

  Status prepare_to_write() {
    Status free = check_no_transaction(connection_);
    return free ? prepare() : free;
  }

  /// Runs `work`, which ends with the commit, in a transaction of ours; rolled back if it fails.
  template <class Work>
  Status in_transaction(Work&& work) {
    failed_with_ = 0;
    Status status = connection_.run(BatchWriter<Session>::begin_statement(dialect_));
    if (!status) {
      failed_with_ = connection_.last_error();
      return status;
    }
    status = work();
    if (!status.ok()) {
      failed_with_ = connection_.last_error();
      // Fails only where the transaction is gone already.
      static_cast<void>(connection_.run("ROLLBACK").ok());
      return with_advice(std::move(status).error());
    }
    return status;
  }

  /// The connection as BatchWriter wants it.
  struct Session {
    PdoSink& sink;

    Status run(std::string_view statement) { return sink.connection_.run(statement); }
    Result<PdoConnection::Rows> query(std::string_view statement) { return sink.connection_.query(statement); }
    void append_literal(std::string& out, std::string_view text) const { sink.append_literal(out, text); }
    [[nodiscard]] unsigned last_error() const { return sink.connection_.last_error(); }
    [[nodiscard]] sql::Dialect dialect() const { return sink.dialect_; }
    [[nodiscard]] std::size_t max_statement() const { return sink.max_statement_; }
  };

  Status write_once(const BatchId& id, std::span<const CounterRow> rows, BatchNotes& notes, WriteReport& report) {
    if (!is_mysql()) {
      if (Status status = create_tables(); !status) {
        return status;
      }
    }
    Session session{*this};
    Result<WriteReport> written = BatchWriter<Session>(session, kTable).write(id, rows, notes);
    if (!written) {
      return std::move(written).error();
    }
    report = std::move(*written);
    return {};
  }

  Status create_tables() {
    bool has_counter = false;
    if (!is_mysql()) {
      const auto found = has_table(kTable);
      if (!found) {
        return found.error();
      }
      has_counter = *found;  // An older table gets no index of ours.
    }
    if (!has_counter) {
      for (const std::string& statement : sql::create_counter_statements(dialect_, kTable)) {
        if (Status status = connection_.run(statement); !status) {
          return status;
        }
      }
    }
    return connection_.run(sql::create_ledger_statement(dialect_, kTable));
  }

  [[nodiscard]] std::string read_statement(const CounterQuery& query, std::span<const std::string> sources) const {
    std::string name;
    append_literal(name, query.name);
    std::string argument;
    if (query.argument) {
      append_literal(argument, *query.argument);
    }
    return sql::read_query(dialect_, kTable, query, name,
                           query.argument ? std::optional<std::string_view>(argument) : std::nullopt, sources);
  }

  /// Whether an SQLite database has a table.
  Result<bool> has_table(std::string_view name) {
    const auto rows = connection_.query("SELECT 1 FROM sqlite_master WHERE type IN ('table', 'view') AND name = '" +
                                        std::string(name) + "' COLLATE NOCASE");
    return rows ? Result<bool>(!rows->empty()) : rows.error();
  }

  /// As a literal that means the same whatever the connection's character set and SQL mode are.
  void append_literal(std::string& out, std::string_view text) const {
    if (is_mysql()) {
      out += "_utf8mb4 ";
      append_hex(out, text);
    } else if (text.find('\0') != std::string_view::npos) {
      out += "CAST(";
      append_hex(out, text);
      out += " AS TEXT)";
    } else {
      out += '\'';
      for (const char c : text) {
        out.append(c == '\'' ? 2 : 1, c);
      }
      out += '\'';
    }
  }

  static Error with_advice(Error error) {
    if (error.code == ErrorCode::not_installed) {
      error.message += ". Counters::install() creates the table `" + std::string(kTable) + "` where it is missing";
    }
    return error;
  }

  PdoConnection connection_;
  bool prepared_ = false;
  sql::Dialect dialect_ = sql::Dialect::values_function;
  std::size_t max_statement_ = 0;  ///< Bytes.
  unsigned failed_with_ = 0;       ///< The driver's number of the error that ended the last transaction.
};

}  // namespace

Result<std::unique_ptr<Sink>> open_pdo_sink(zend_object* pdo) {
  const auto identity = identify_pdo(pdo);
  if (!identity) {
    return identity.error();
  }
  return std::unique_ptr<Sink>(new PdoSink(pdo, identity->driver));
}

Status check_no_transaction(zend_object* pdo) {
  const auto identity = identify_pdo(pdo);
  if (!identity) {
    return identity.error();
  }
  PdoConnection connection(pdo, identity->driver);
  return check_no_transaction(connection);
}

}  // namespace presence::php
