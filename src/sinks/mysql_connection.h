// One connection to MySQL or MariaDB, by libmariadb.
#pragma once

#include <mysql.h>
#include <sys/types.h>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sinks/mysql_address.h"
#include "sinks/sql.h"

namespace presence::mysql {

/// A connected session in utf8mb4 with autocommit on. Used by one thread at a time.
class Connection {
 public:
  using Rows = std::vector<std::vector<std::string>>;

  /// Connects and prepares the session. Error: unavailable or transient.
  static Result<std::unique_ptr<Connection>> open(const Address& address);

  /// In the process that connected: says goodbye to the server. In a forked child: closes the child's copies and sends
  /// nothing, so that the parent's session goes on.
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// Whether this process is the one that connected.
  [[nodiscard]] bool is_ours() const;

  /// Runs one statement that answers no rows.
  Status run(std::string_view statement);

  /// Runs one query; NULLs come as empty texts.
  Result<Rows> query(std::string_view statement);

  /// Appends the text as a string literal, in quotes, escaped as the session's SQL mode asks for.
  void append_literal(std::string& out, std::string_view text);

  /// The number of the last error of run() or query().
  [[nodiscard]] unsigned last_error() const { return last_error_; }

  [[nodiscard]] sql::Dialect dialect() const { return dialect_; }

  /// The longest statement that the server takes, in bytes.
  [[nodiscard]] std::size_t max_statement() const { return max_statement_; }

 private:
  struct Close {
    void operator()(MYSQL* handle) const { mysql_close(handle); }
  };

  Connection(std::unique_ptr<MYSQL, Close> handle, std::string place);

  Status prepare_session(double timeout);
  Error failure();
  void abandon();

  std::unique_ptr<MYSQL, Close> handle_;
  std::string place_;
  pid_t owner_;
  unsigned last_error_ = 0;
  sql::Dialect dialect_ = sql::Dialect::values_function;
  std::size_t max_statement_ = 0;
};

}  // namespace presence::mysql
