#include "sinks/mysql_sink.h"

#ifdef PRESENCE_HAVE_MYSQL

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "base/clock.h"
#include "base/dsn_options.h"
#include "sinks/batch_writer.h"
#include "sinks/mysql_connection.h"
#include "sinks/mysql_errors.h"
#include "sinks/sql.h"

namespace presence {
namespace {

// How often a transaction that lost against another one is repeated at once, within the timeout.
constexpr int kMaxRepeats = 8;

class MysqlSink final : public Sink {
 public:
  MysqlSink(mysql::Address address, std::string table) : address_(std::move(address)), table_(std::move(table)) {}

  Status install() override {
    return again_if_session_had_gone([this] { return create_tables(); });
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
    const double deadline = clock::monotonic() + address_.timeout;
    for (int repeats = 0;; ++repeats) {
      Result<WriteReport> report = write_once(id, rows, notes);
      const bool repeat = !report && connection_ && mysql::is_lock_conflict(failed_with_) && repeats < kMaxRepeats &&
                          clock::monotonic() < deadline;
      if (!repeat) {
        return report;
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
    StoredCounters stored;
    const auto read_from = [&](std::span<const std::string> known) {
      return again_if_session_had_gone([&] { return read_once(query, known, stored); });
    };
    Status status = read_from(sources);
    if (!status && !sources.empty() && mysql::is_missing_table(failed_with_)) {
      status = read_from({});  // It may have been the ledger that is missing.
    }
    if (!status) {
      return std::move(status).error();
    }
    return stored;
  }

 private:
  // Whether there is a session that this process opened.
  bool is_connected() {
    if (connection_ && !connection_->is_ours()) {
      connection_.reset();
    }
    return connection_ != nullptr;
  }

  Status connect() {
    if (is_connected()) {
      return {};
    }
    auto connection = mysql::Connection::open(address_);
    if (!connection) {
      return std::move(connection).error();
    }
    connection_ = std::move(*connection);
    return {};
  }

  // Notes why a call failed, and leaves the session without an open transaction, or leaves no session. `status` gets a
  // message that says what to do.
  void settle(Status& status) {
    if (status.ok()) {
      return;
    }
    failed_with_ = connection_->last_error();
    if (mysql::is_connection_lost(failed_with_) || !connection_->run("ROLLBACK")) {
      connection_.reset();
    }
    if (status.error().code == ErrorCode::not_installed) {
      status = Error{ErrorCode::not_installed, status.error().message + ". Counters::install() creates the table `" +
                                                   table_ + "` where it is missing"};
    }
  }

  // Does what may be done twice: again on a new session, where the old one turns out to have ended since its last use.
  template <class Work>
  Status again_if_session_had_gone(Work&& work) {
    const bool reused = is_connected();
    for (bool first = true;; first = false) {
      if (Status status = connect(); !status) {
        return status;
      }
      Status status = work();
      settle(status);
      if (status.ok() || !first || !reused || connection_) {
        return status;
      }
    }
  }

  Status create_tables() {
    const sql::Dialect dialect = connection_->dialect();
    for (const std::string& statement : sql::create_counter_statements(dialect, table_)) {
      if (Status status = connection_->run(statement); !status) {
        return status;
      }
    }
    return connection_->run(sql::create_ledger_statement(dialect, table_));
  }

  // Begins a transaction. Connects anew where the session has gone since its last use: nothing was sent in it yet.
  Status begin() {
    const bool reused = is_connected();
    if (Status status = connect(); !status) {
      return status;
    }
    Status status = connection_->run("START TRANSACTION");
    if (!status && reused && mysql::is_connection_lost(connection_->last_error())) {
      connection_.reset();
      if (Status again = connect(); !again) {
        return again;
      }
      status = connection_->run("START TRANSACTION");
    }
    return status;
  }

  Result<WriteReport> write_once(const BatchId& id, std::span<const CounterRow> rows, BatchNotes& notes) {
    failed_with_ = 0;
    if (Status status = begin(); !status) {
      if (connection_) {
        settle(status);
      }
      return std::move(status).error();
    }
    Result<WriteReport> report = BatchWriter<mysql::Connection>(*connection_, table_).write(id, rows, notes);
    if (!report) {
      Status status = std::move(report).error();
      settle(status);
      return std::move(status).error();
    }
    return report;
  }

  Status read_once(const CounterQuery& query, std::span<const std::string> sources, StoredCounters& stored) {
    std::string name;
    connection_->append_literal(name, query.name);
    std::string argument;
    if (query.argument) {
      connection_->append_literal(argument, *query.argument);
    }
    const auto rows = connection_->query(
        sql::read_query(connection_->dialect(), table_, query, name,
                        query.argument ? std::optional<std::string_view>(argument) : std::nullopt, sources));
    if (!rows) {
      return rows.error();
    }
    stored = sql::take_read_rows(*rows);
    return {};
  }

  const mysql::Address address_;
  const std::string table_;
  std::unique_ptr<mysql::Connection> connection_;
  unsigned failed_with_ = 0;  ///< The server's or library's error number of the last failed attempt.
};

}  // namespace

Result<std::unique_ptr<Sink>> open_mysql_sink(const Dsn& dsn, const SinkOptions& options) {
  static constexpr std::array<std::string_view, 5> kOptions{"socket", "table", "timeout", "ssl", "ssl_ca"};
  if (Status status = check_option_names(dsn, kOptions); !status) {
    return std::move(status).error();
  }
  auto address = mysql::address_of(dsn);
  if (!address) {
    return std::move(address).error();
  }
  auto table = sql::table_of(dsn);
  if (!table) {
    return std::move(table).error();
  }
  const auto timeout = timeout_of(dsn, options.timeout);
  if (!timeout) {
    return timeout.error();
  }
  address->timeout = *timeout;
  return std::unique_ptr<Sink>(new MysqlSink(std::move(*address), std::move(*table)));
}

}  // namespace presence

#endif  // PRESENCE_HAVE_MYSQL
