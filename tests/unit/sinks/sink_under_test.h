// The databases that the sinks are tested on.
//
// SQLite is always there. MySQL or MariaDB is the one that the environment variable PRESENCE_TEST_MYSQL names by its
// DSN (script/with-mariadb sets it); without it those tests are skipped, or fail if PRESENCE_TEST_REQUIRE is 1.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/counter_row.h"
#include "base/dsn.h"
#include "base/sha256.h"
#include "sinks/sink.h"
#ifdef PRESENCE_HAVE_MYSQL
#include "sinks/mysql_connection.h"
#endif

namespace presence::test {

inline constexpr UnixTime kSlot = 1'700'000'040;  // A full minute.

/// The DSN of the test server; nullopt where there is none.
inline std::optional<std::string> mysql_dsn() {
  const char* dsn = std::getenv("PRESENCE_TEST_MYSQL");
  return dsn != nullptr && *dsn != '\0' ? std::optional<std::string>(dsn) : std::nullopt;
}

/// Whether a missing server is a failure.
inline bool servers_required() {
  const char* required = std::getenv("PRESENCE_TEST_REQUIRE");
  return required != nullptr && std::string_view(required) == "1";
}

inline std::string with_option(const std::string& dsn, std::string_view option) {
  return dsn + (dsn.find('?') == std::string::npos ? '?' : '&') + std::string(option);
}

/// The DSN without the TLS that the test run asks for, if it does.
inline std::string without_tls(std::string dsn) {
  const auto at = dsn.find("ssl_ca=");
  if (at == std::string::npos) {
    return dsn;
  }
  const auto end = dsn.find('&', at);
  return end == std::string::npos ? dsn.erase(at - 1) : dsn.erase(at, end + 1 - at);
}

inline std::unique_ptr<Sink> open(const std::string& text, double timeout = 5.0) {
  const auto dsn = parse_dsn(text);
  EXPECT_TRUE(dsn.ok());
  auto sink = open_sink(*dsn, {.timeout = timeout});
  EXPECT_TRUE(sink.ok()) << (sink.ok() ? "" : sink.error().message);
  return std::move(sink).value();
}

/// Writes a batch all of whose rows are to be taken: a refused one shows as the error `rejected`.
inline Status write(Sink& sink, const BatchId& id, const std::vector<CounterRow>& rows) {
  Result<WriteReport> report = sink.write(id, rows);
  if (!report) {
    return std::move(report).error();
  }
  return report->refused.empty() ? Status() : Status(Error{ErrorCode::rejected, report->refused.front().reason});
}

/// Any identity will do, as long as each series and minute has its own.
inline CounterRow row(std::string_view name, std::optional<std::string> argument, UnixTime slot, const Sums& sums) {
  CounterRow result;
  const std::string key = std::string(name) + '\n' + std::to_string(slot) + '\n' + (argument ? "=" + *argument : "-");
  sha256_hex(key, result.hash.size()).copy(result.hash.data(), result.hash.size());
  result.name = name;
  result.argument = std::move(argument);
  result.slot = slot;
  result.sums = sums;
  return result;
}

/// Sorted by hash, as a sink wants them.
inline std::vector<CounterRow> sorted(std::vector<CounterRow> rows) {
  std::sort(rows.begin(), rows.end(), [](const CounterRow& a, const CounterRow& b) { return a.hash < b.hash; });
  return rows;
}

inline std::string source(char digit) { return std::string(32, digit); }

#ifdef PRESENCE_HAVE_MYSQL

/// A table of its own on the test server, dropped at the end, and a session to look at it from outside of the sink.
class MysqlTable {
 public:
  explicit MysqlTable(const std::string& server) : server_(server) {
    static int count = 0;
    name_ = "t" + std::to_string(getpid()) + "_" + std::to_string(++count);
    const auto dsn = parse_dsn(server);
    EXPECT_TRUE(dsn.ok());
    const auto address = mysql::address_of(*dsn);
    EXPECT_TRUE(address.ok());
    address_ = *address;
    address_.timeout = 30;
    admin_ = connect();
  }
  ~MysqlTable() {
    if (admin_) {
      run("DROP TABLE IF EXISTS `" + name_ + "`, `" + name_ + "_batch`");
    }
  }
  MysqlTable(const MysqlTable&) = delete;
  MysqlTable& operator=(const MysqlTable&) = delete;

  [[nodiscard]] std::string dsn() const { return with_option(server_, "table=" + name_); }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const mysql::Address& address() const { return address_; }
  /// Only after ready().
  [[nodiscard]] mysql::Connection& admin() { return *admin_; }
  [[nodiscard]] bool ready() const { return admin_ != nullptr; }

  std::unique_ptr<mysql::Connection> connect() const {
    auto connection = mysql::Connection::open(address_);
    EXPECT_TRUE(connection.ok()) << (connection.ok() ? "" : connection.error().message);
    return connection.ok() ? std::move(*connection) : nullptr;
  }

  void run(const std::string& statement) {
    ASSERT_NE(admin_, nullptr);
    const Status status = admin_->run(statement);
    EXPECT_TRUE(status.ok()) << (status.ok() ? "" : status.error().message);
  }

  mysql::Connection::Rows query(const std::string& statement) {
    if (!admin_) {
      ADD_FAILURE() << "no session";
      return {};
    }
    auto rows = admin_->query(statement);
    EXPECT_TRUE(rows.ok()) << (rows.ok() ? "" : rows.error().message);
    return rows.ok() ? *rows : mysql::Connection::Rows{};
  }

  /// The single value of a query.
  std::string value(const std::string& statement) {
    const auto rows = query(statement);
    return rows.empty() ? "(no row)" : rows[0][0];
  }

  /// The table that sites had before the extension created any.
  void create_existing_table() {
    run("CREATE TABLE `" + name_ +
        "` (id BIGINT NOT NULL AUTO_INCREMENT, hash CHAR(32) NOT NULL, name VARCHAR(64) NOT NULL, argument "
        "VARCHAR(250) "
        "NULL, timeslot BIGINT NOT NULL, total FLOAT NOT NULL, minimum FLOAT NOT NULL, maximum FLOAT NOT NULL, count "
        "INT "
        "NOT NULL, PRIMARY KEY (id), UNIQUE (hash), INDEX (timeslot), INDEX (name)) DEFAULT CHARSET utf8mb4");
  }

 private:
  std::string server_;
  std::string name_;
  mysql::Address address_;
  std::unique_ptr<mysql::Connection> admin_;
};

#endif  // PRESENCE_HAVE_MYSQL

}  // namespace presence::test
