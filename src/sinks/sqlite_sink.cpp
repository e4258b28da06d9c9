#include "sinks/sqlite_sink.h"

#ifdef PRESENCE_HAVE_SQLITE

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "base/clock.h"
#include "base/dsn_options.h"
#include "base/stop_points.h"
#include "base/unique_fd.h"
#include "sinks/sql.h"

namespace presence {
namespace {

constexpr auto kDialect = sql::Dialect::sqlite;

struct CloseDatabase {
  void operator()(sqlite3* database) const { sqlite3_close(database); }
};
struct FinalizeStatement {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Statement = std::unique_ptr<sqlite3_stmt, FinalizeStatement>;

// Somebody else is at the file; trying again soon helps.
bool is_busy(int code) {
  const int primary = code & 0xFF;
  return primary == SQLITE_BUSY || primary == SQLITE_LOCKED || primary == SQLITE_PROTOCOL;
}

ErrorCode error_code_of(int code) {
  switch (code & 0xFF) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL:
    case SQLITE_FULL:
    case SQLITE_NOMEM:
    case SQLITE_SCHEMA:
    case SQLITE_INTERRUPT: return ErrorCode::transient;
    case SQLITE_CONSTRAINT:
    case SQLITE_MISMATCH:
    case SQLITE_TOOBIG: return ErrorCode::rejected;
    case SQLITE_ERROR:  // Raised for SQL that does not fit the table: a column or the unique hash is missing.
      return ErrorCode::not_installed;
    default: return ErrorCode::unavailable;
  }
}

// A file opened for one call.
class Connection {
 public:
  // `place` names the file in messages.
  explicit Connection(const std::string& place) : place_(place) {}

  Status open(const std::string& path) {
    sqlite3* database = nullptr;
    const int code = sqlite3_open_v2(path.c_str(), &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr);
    database_.reset(database);  // Also on failure: it holds the message.
    return code == SQLITE_OK ? Status() : failure(code);
  }

  void wait_at_most(double seconds) {
    sqlite3_busy_timeout(database_.get(), std::max(1, static_cast<int>(seconds * 1000)));
  }

  Status run(const std::string& text) {
    const int code = sqlite3_exec(database_.get(), text.c_str(), nullptr, nullptr, nullptr);
    return code == SQLITE_OK ? Status() : failure(code);
  }

  Result<Statement> prepare(const std::string& text) {
    sqlite3_stmt* statement = nullptr;
    const int code =
        sqlite3_prepare_v2(database_.get(), text.data(), static_cast<int>(text.size()), &statement, nullptr);
    if (code != SQLITE_OK) {
      return failure(code);
    }
    return Statement(statement);
  }

  // Whether there is a row.
  Result<bool> step(const Statement& statement) {
    const int code = sqlite3_step(statement.get());
    if (code == SQLITE_ROW || code == SQLITE_DONE) {
      return code == SQLITE_ROW;
    }
    return failure(code);
  }

  Result<bool> has_table(std::string_view table) {
    auto statement = prepare("SELECT 1 FROM sqlite_master WHERE type IN ('table', 'view') AND name = ? COLLATE NOCASE");
    if (!statement) {
      return std::move(statement).error();
    }
    sqlite3_bind_text(statement->get(), 1, table.data(), static_cast<int>(table.size()), SQLITE_STATIC);
    return step(*statement);
  }

  Error failure(int code) {
    busy_ = is_busy(code);
    const char* what = database_ ? sqlite3_errmsg(database_.get()) : sqlite3_errstr(code);
    return {sql::is_foreign_column(what) ? ErrorCode::not_installed : error_code_of(code), place_ + ": " + what};
  }

  [[nodiscard]] bool in_transaction() const { return sqlite3_get_autocommit(database_.get()) == 0; }

  // Whether the last failure was that somebody else is at the file.
  [[nodiscard]] bool busy() const { return busy_; }

 private:
  const std::string& place_;
  std::unique_ptr<sqlite3, CloseDatabase> database_;
  bool busy_ = false;
};

Status bind_row(const Statement& statement, const CounterRow& row) {
  sqlite3_stmt* s = statement.get();
  const auto bind_text = [s](int index, std::string_view text) {
    return sqlite3_bind_text(s, index, text.data(), static_cast<int>(text.size()), SQLITE_STATIC);
  };
  const bool bound =
      bind_text(1, view(row.hash)) == SQLITE_OK && bind_text(2, row.name) == SQLITE_OK &&
      (row.argument ? bind_text(3, *row.argument) : sqlite3_bind_null(s, 3)) == SQLITE_OK &&
      sqlite3_bind_int64(s, 4, row.slot) == SQLITE_OK && sqlite3_bind_double(s, 5, row.sums.total) == SQLITE_OK &&
      sqlite3_bind_double(s, 6, row.sums.minimum) == SQLITE_OK &&
      sqlite3_bind_double(s, 7, row.sums.maximum) == SQLITE_OK && sqlite3_bind_int64(s, 8, row.sums.count) == SQLITE_OK;
  return bound ? Status() : Status(Error{ErrorCode::internal, "cannot bind a counter row"});
}

void append_literal(std::string& out, std::string_view text) {
  out += '\'';
  for (const char c : text) {
    out.append(c == '\'' ? 2 : 1, c);
  }
  out += '\'';
}

std::string literal(std::string_view text) {
  std::string quoted;
  append_literal(quoted, text);
  return quoted;
}

class SqliteSink final : public Sink {
 public:
  SqliteSink(std::string place, std::string path, std::string table, double timeout)
      : place_(std::move(place)), path_(std::move(path)), table_(std::move(table)), timeout_(timeout) {}

  Status install() override {
    return patiently([this](Connection& connection) { return install_once(connection); });
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
    WriteReport report;
    Status status = patiently([&](Connection& connection) {
      report = {};
      return write_once(connection, id, rows, notes, report);
    });
    return status ? Result<WriteReport>(std::move(report)) : std::move(status).error();
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
    const Status status = patiently([&](Connection& connection) {
      stored = {};
      return read_once(connection, query, sources, stored);
    });
    if (!status) {
      return status.error();
    }
    sql::sort_buckets(stored);
    return stored;
  }

 private:
  // Runs `work` on a new connection, and again while somebody else is at the file, until the time is up. SQLite waits
  // by itself in most cases, but answers "busy" at once in some, such as while a log is recovered.
  template <class Work>
  Status patiently(Work&& work) {
    const double deadline = clock::monotonic() + timeout_;
    while (true) {
      Connection connection(place_);
      Status status = work(connection);
      if (status.ok() || !connection.busy() || clock::monotonic() >= deadline) {
        return status;
      }
      constexpr timespec kPause{0, 5'000'000};
      nanosleep(&kPause, nullptr);
    }
  }

  // Creates the file where it is missing. Only a file that this call created is closed here: closing any other would
  // drop the locks that the process holds on it through another connection, as POSIX locks go with the first close.
  Status create_file() {
    const UniqueFd fd(::open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!fd && errno != EEXIST) {
      return Error{ErrorCode::unavailable, place_ + ": cannot create the file: " + std::strerror(errno) +
                                               "; its folder must exist and be writable for the user that PHP runs as"};
    }
    return {};
  }

  // Opens the file for writing and begins a transaction with all tables in place.
  Status begin(Connection& connection) {
    if (Status status = create_file(); !status) {
      return status;
    }
    if (Status status = connection.open(path_); !status) {
      return status;
    }
    // Changing the mode needs the file to itself. Where that fails, the file works as it is, and the next write tries.
    constexpr double kPatienceForWal = 0.05;
    connection.wait_at_most(kPatienceForWal);
    static_cast<void>(connection.run("PRAGMA journal_mode = WAL").ok());
    connection.wait_at_most(timeout_);
    // A batch that was reported as written must outlive a power cut: whoever sent it deletes its copy.
    if (Status status = connection.run("PRAGMA synchronous = FULL"); !status) {
      return status;
    }
    if (Status status = connection.run("BEGIN IMMEDIATE"); !status) {
      return status;
    }
    return create_tables(connection);
  }

  Status create_tables(Connection& connection) {
    const auto has_counter = connection.has_table(table_);
    if (!has_counter) {
      return has_counter.error();
    }
    if (!*has_counter) {
      for (const std::string& statement : sql::create_counter_statements(kDialect, table_)) {
        if (Status status = connection.run(statement); !status) {
          return status;
        }
      }
    }
    return connection.run(sql::create_ledger_statement(kDialect, table_));
  }

  Status install_once(Connection& connection) {
    if (Status status = begin(connection); !status) {
      return status;
    }
    return connection.run("COMMIT");
  }

  // On an error the connection is closed with its transaction open, which rolls it back.
  Status write_once(Connection& connection, const BatchId& id, std::span<const CounterRow> rows, BatchNotes& notes,
                    WriteReport& report) {
    if (Status status = begin(connection); !status) {
      return status;
    }
    stop_point("sqlite.begun");
    if (!id.source.empty()) {
      const auto is_new = claim_batch(connection, id);
      if (!is_new) {
        return is_new.error();
      }
      if (!*is_new && !is_broken(Promise::ledger)) {
        report.outcome = WriteReport::Outcome::known;
        return {};
      }
    }
    stop_point("sqlite.noted");
    if (Status status = upsert(connection, rows, report.refused); !status) {
      return status;
    }
    stop_point("sqlite.written");
    // There always is a ledger, so nobody need compare rows.
    if (Status noted = notes.before_commit(report.refused, {}); !noted) {
      return noted;
    }
    stop_point("sqlite.kept");
    Status committed = connection.run("COMMIT");
    stop_point("sqlite.committed");
    if (!committed) {
      notes.not_committed();
    }
    return committed;
  }

  Status upsert(Connection& connection, std::span<const CounterRow> rows, std::vector<RefusedRow>& refused) {
    auto statement =
        connection.prepare(sql::upsert_head(table_) + "(?, ?, ?, ?, ?, ?, ?, ?)" + sql::upsert_tail(kDialect, table_));
    if (!statement) {
      return statement.error();
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (Status status = bind_row(*statement, rows[i]); !status) {
        return status;
      }
      const auto done = connection.step(*statement);
      sqlite3_reset(statement->get());
      if (done) {
        continue;
      }
      if (done.error().code != ErrorCode::rejected) {
        return done.error();
      }
      if (!connection.in_transaction()) {
        // Going on would commit row by row.
        return Error{ErrorCode::transient,
                     done.error().message +
                         ". The constraint rolls back the whole transaction; define it without ON "
                         "CONFLICT ROLLBACK, so that the other rows can be stored"};
      }
      refused.push_back({i, done.error().message});
    }
    return {};
  }

  // Moves the source's number to this batch; false if it has been applied before.
  Result<bool> claim_batch(Connection& connection, const BatchId& id) {
    {
      auto select = connection.prepare(sql::select_batch(kDialect, table_, id.source));
      if (!select) {
        return select.error();
      }
      const auto found = connection.step(*select);
      if (!found) {
        return found.error();
      }
      if (*found && sqlite3_column_int64(select->get(), 0) >= static_cast<std::int64_t>(id.number)) {
        return false;
      }
      if (!*found) {
        if (Status status = connection.run(sql::insert_source(table_, id.source)); !status) {
          return status.error();
        }
      }
    }
    if (Status status = connection.run(sql::update_batch(table_, id, clock::now())); !status) {
      return status.error();
    }
    return true;
  }

  Status read_once(Connection& connection, const CounterQuery& query, std::span<const std::string> sources,
                   StoredCounters& stored) {
    struct stat ignored;
    if (::stat(path_.c_str(), &ignored) != 0 && errno == ENOENT) {
      return {};
    }
    if (Status status = connection.open(path_); !status) {
      return status;
    }
    connection.wait_at_most(timeout_);
    const auto has_counter = connection.has_table(table_);
    if (!has_counter) {
      return has_counter.error();
    }
    if (!*has_counter) {
      return {};
    }
    // One of before has no ledger until the next write.
    const auto has_ledger = connection.has_table(sql::ledger_of(table_));
    if (!has_ledger) {
      return has_ledger.error();
    }
    const std::string name = literal(query.name);
    const std::string argument = query.argument ? literal(*query.argument) : std::string();
    auto select = connection.prepare(sql::read_query(
        kDialect, table_, query, name, query.argument ? std::optional<std::string_view>(argument) : std::nullopt,
        *has_ledger ? sources : std::span<const std::string>()));
    if (!select) {
      return select.error();
    }
    while (true) {
      const auto found = connection.step(*select);
      if (!found) {
        return found.error();
      }
      if (!*found) {
        return {};
      }
      sqlite3_stmt* row = select->get();
      const auto* const source = reinterpret_cast<const char*>(sqlite3_column_text(row, 0));
      sql::take_read_row(stored, source == nullptr ? "" : source, sqlite3_column_int64(row, 1),
                         {.total = sqlite3_column_double(row, 2),
                          .minimum = sqlite3_column_double(row, 3),
                          .maximum = sqlite3_column_double(row, 4),
                          .count = sqlite3_column_int64(row, 5)});
    }
  }

  const std::string place_;
  const std::string path_;
  const std::string table_;
  const double timeout_;
};

}  // namespace

Result<std::unique_ptr<Sink>> open_sqlite_sink(const Dsn& dsn, const SinkOptions& options) {
  static constexpr std::array<std::string_view, 2> kOptions{"table", "timeout"};
  if (Status status = check_option_names(dsn, kOptions); !status) {
    return status.error();
  }
  if (!dsn.hosts.empty() || !dsn.path.starts_with('/') || dsn.path.ends_with('/')) {
    return Error{ErrorCode::invalid_argument, "an SQLite DSN must be \"sqlite:\" and the absolute path of a file"};
  }
  auto table = sql::table_of(dsn);
  if (!table) {
    return table.error();
  }
  const auto timeout = timeout_of(dsn, options.timeout);
  if (!timeout) {
    return timeout.error();
  }
  return std::unique_ptr<Sink>(new SqliteSink(dsn.redacted(), dsn.path, std::move(*table), *timeout));
}

}  // namespace presence

#endif  // PRESENCE_HAVE_SQLITE
