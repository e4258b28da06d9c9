// What is particular to MySQL and MariaDB. What all sinks promise is in sink_contract_test.cpp.
#ifdef PRESENCE_HAVE_MYSQL

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "sinks/mysql_errors.h"
#include "sinks/sql.h"
#include "unit/sinks/mysql_server.h"
#include "unit/sinks/sink_under_test.h"

namespace presence {
namespace {

using test::GlobalVariable;
using test::kSlot;
using test::OwnUser;
using test::row;
using test::sorted;
using test::source;

class MysqlSinkTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!test::mysql_dsn()) {
      if (test::servers_required()) {
        FAIL() << "PRESENCE_TEST_MYSQL must hold a DSN";
      }
      GTEST_SKIP() << "PRESENCE_TEST_MYSQL is not set";
    }
    table_ = std::make_unique<test::MysqlTable>(*test::mysql_dsn());
    ASSERT_TRUE(table_->ready());
  }

  static std::vector<CounterRow> one_row() { return {row("a", std::nullopt, kSlot, {1, 1, 1, 1})}; }

  static void expect_ok(const Status& status) {
    EXPECT_TRUE(status.ok()) << (status.ok() ? "" : status.error().message);
  }

  static void expect_error(const Status& status, ErrorCode code) {
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().code, code) << status.error().message;
  }

  std::string count() { return table_->value("SELECT COALESCE(SUM(count), 0) FROM `" + table_->name() + "`"); }

  [[nodiscard]] std::string sessions_waiting_to_insert() const {
    return "SELECT COUNT(*) FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT' AND trx_query LIKE "
           "'INSERT INTO "
           "`" +
           table_->name() + "`%'";
  }

  // Polls, at most 20 seconds, until the query gives this value.
  bool becomes(const std::string& query, std::string_view value) {
    for (int i = 0; i < 133; ++i) {
      if (table_->value(query) == value) {
        return true;
      }
      poll(nullptr, 0, 150);  // InnoDB refreshes innodb_trx only where nobody has read it for 100 ms.
    }
    return false;
  }

  std::unique_ptr<test::MysqlTable> table_;
};

TEST_F(MysqlSinkTest, AMissingTableIsNotInstalledUntilInstall) {
  const auto sink = test::open(table_->dsn());
  for (const BatchId& id : {BatchId{}, BatchId{source('a'), 1}}) {
    const Status status = test::write(*sink, id, one_row());
    expect_error(status, ErrorCode::not_installed);
    EXPECT_NE(status.error().message.find("Counters::install()"), std::string::npos) << status.error().message;
  }
  const auto buckets = sink->read({.name = "a", .argument = std::nullopt, .since = 0, .until = kSlot});
  ASSERT_FALSE(buckets.ok());
  EXPECT_EQ(buckets.error().code, ErrorCode::not_installed);

  expect_ok(sink->install());
  expect_ok(test::write(*sink, {source('a'), 1}, one_row()));
  EXPECT_EQ(count(), "1");
}

TEST_F(MysqlSinkTest, TheExistingTableNeedsNoInstall) {
  table_->create_existing_table();
  const auto sink = test::open(table_->dsn());
  expect_ok(test::write(*sink, {source('a'), 1}, one_row()));
  expect_ok(test::write(*sink, {source('a'), 2}, one_row()));
  EXPECT_EQ(count(), "2");
  // Without a ledger nobody can know that a batch came before.
  expect_ok(test::write(*sink, {source('a'), 2}, one_row()));
  EXPECT_EQ(count(), "3");
  EXPECT_EQ(table_->value("SELECT COUNT(*) FROM `" + table_->name() + "`"), "1");
}

TEST_F(MysqlSinkTest, InstallLeavesTheExistingTableAndAddsTheLedger) {
  table_->create_existing_table();
  const std::string before = table_->query("SHOW CREATE TABLE `" + table_->name() + "`")[0][1];
  const auto sink = test::open(table_->dsn());
  expect_ok(sink->install());
  EXPECT_EQ(table_->query("SHOW CREATE TABLE `" + table_->name() + "`")[0][1], before);
  expect_ok(test::write(*sink, {source('a'), 1}, one_row()));
  expect_ok(test::write(*sink, {source('a'), 1}, one_row()));
  EXPECT_EQ(count(), "1");
}

TEST_F(MysqlSinkTest, RightsOnTheCounterTableAloneAreEnough) {
  table_->create_existing_table();
  OwnUser user(*table_);
  user.grant("SELECT, INSERT, UPDATE ON `" + table_->name() + "`");
  const auto sink = test::open(user.dsn());
  expect_ok(test::write(*sink, {source('a'), 1}, one_row()));
  EXPECT_EQ(count(), "1");
}

TEST_F(MysqlSinkTest, WithoutALedgerRowsAreReadAllTheSame) {
  table_->create_existing_table();
  const auto sink = test::open(table_->dsn());
  expect_ok(test::write(*sink, {source('a'), 1}, one_row()));
  const std::vector<std::string> sources{source('a')};
  const CounterQuery query{.name = "a", .argument = std::nullopt, .since = 0, .until = 4'000'000'000};
  const Result<StoredCounters> stored = sink->read_with_ledger(query, sources);
  ASSERT_TRUE(stored.ok()) << stored.error().message;
  EXPECT_EQ(stored->buckets.size(), 1U);
  EXPECT_TRUE(stored->last_batches.empty());
  OwnUser user(*table_);
  user.grant("SELECT ON `" + table_->name() + "`");
  EXPECT_EQ(test::open(user.dsn())->read_with_ledger(query, sources)->buckets.size(), 1U)
      << "without a right to look for it";
}

TEST_F(MysqlSinkTest, ATableOfAnotherShapeIsNotInstalled) {
  table_->run("CREATE TABLE `" + table_->name() + "` (something INT)");
  expect_error(test::write(*test::open(table_->dsn()), {}, one_row()), ErrorCode::not_installed);
}

TEST_F(MysqlSinkTest, UpsertsLeaveNoWarnings) {
  table_->run(sql::create_counter_statements(table_->admin().dialect(), table_->name())[0]);
  const std::vector<CounterRow> rows = sorted({row("\xF0\x9F\x98\x80", std::nullopt, kSlot, {0.1, 0.1, 0.1, 1}),
                                               row("a", "b\\'", kSlot, {1e300, -1e300, 1e300, 7})});
  for (int i = 0; i < 2; ++i) {
    const Result<std::vector<RefusedRow>> refused = sql::send_upserts(
        table_->admin().dialect(), table_->name(), rows, {},
        [this](std::string& out, std::string_view text) { table_->admin().append_literal(out, text); },
        [this](std::string_view statement) {
          const Status sent = table_->admin().run(statement);
          for (const auto& warning : table_->query("SHOW WARNINGS")) {
            ADD_FAILURE() << warning[1] << ": " << warning[2];
          }
          return sent;
        });
    ASSERT_TRUE(refused.ok()) << refused.error().message;
    EXPECT_TRUE(refused->empty());
  }
}

TEST_F(MysqlSinkTest, ASumThatIsTooLargeForADoubleIsRejected) {
  const auto sink = test::open(table_->dsn());
  expect_ok(sink->install());
  const std::vector<CounterRow> rows{row("a", std::nullopt, kSlot, {1e308, 1e308, 1e308, 1})};
  expect_ok(test::write(*sink, {source('a'), 1}, rows));
  expect_error(test::write(*sink, {source('a'), 2}, rows), ErrorCode::rejected);
  EXPECT_EQ(count(), "1");
}

TEST_F(MysqlSinkTest, WhatDoesNotFitAColumnIsRefusedAndTheReasonNamesIt) {
  struct Case {
    const char* change;  // To the existing table.
    CounterRow bad;
    const char* reason;
  };
  const Case cases[] = {
      {"MODIFY total FLOAT NOT NULL", row("a", "bad", kSlot, {1e300, 1, 1, 1}), "total"},
      {"MODIFY count SMALLINT NOT NULL", row("a", "bad", kSlot, {1, 1, 1, 40'000}), "count"},
      {"CONVERT TO CHARACTER SET utf8mb3", row("a", "bad \xF0\x9F\x98\x80", kSlot, {1, 1, 1, 1}), "argument"},
      {"CONVERT TO CHARACTER SET latin1", row("a", "bad \xE2\x82\xAE", kSlot, {1, 1, 1, 1}), "argument"},
      {"MODIFY name VARCHAR(8) NOT NULL", row("longer than 8", "bad", kSlot, {1, 1, 1, 1}), "name"},
      {"MODIFY argument VARCHAR(250) NOT NULL", row("bad", std::nullopt, kSlot, {1, 1, 1, 1}), "argument"},
      {"ADD CONSTRAINT positive CHECK (minimum >= 0)", row("a", "bad", kSlot, {1, -1, 1, 1}), "positive"},
  };
  for (const Case& example : cases) {
    SCOPED_TRACE(example.change);
    table_->run("DROP TABLE IF EXISTS `" + table_->name() + "`");
    table_->create_existing_table();
    table_->run("ALTER TABLE `" + table_->name() + "` " + example.change);
    std::vector<CounterRow> rows{example.bad};
    for (int i = 0; i < 20; ++i) {
      rows.push_back(row("a", std::to_string(i), kSlot, {1, 1, 1, 1}));
    }
    rows = sorted(rows);
    const Result<WriteReport> report = test::open(table_->dsn())->write({source('a'), 1}, rows);
    ASSERT_TRUE(report.ok()) << report.error().message;
    ASSERT_EQ(report->refused.size(), 1U);
    EXPECT_EQ(rows[report->refused[0].index].hash, example.bad.hash);
    EXPECT_NE(report->refused[0].reason.find(example.reason), std::string::npos) << report->refused[0].reason;
    EXPECT_EQ(count(), "20");
  }
}

TEST_F(MysqlSinkTest, ATriggersObjectionRefusesARow) {
  table_->create_existing_table();
  table_->run(
      "CREATE TRIGGER `" + table_->name() + "_t` BEFORE INSERT ON `" + table_->name() +
      "` FOR EACH ROW IF NEW.argument = 'bad' THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'not this one'; END "
      "IF");
  const std::vector<CounterRow> rows =
      sorted({row("a", "good", kSlot, {1, 1, 1, 1}), row("a", "bad", kSlot, {1, 1, 1, 1})});
  const Result<WriteReport> report = test::open(table_->dsn())->write({source('a'), 1}, rows);
  ASSERT_TRUE(report.ok()) << report.error().message;
  ASSERT_EQ(report->refused.size(), 1U);
  EXPECT_NE(report->refused[0].reason.find("not this one"), std::string::npos);
  EXPECT_EQ(count(), "1");
}

// What is wrong with the whole table is for somebody to mend: no row is to blame.
TEST_F(MysqlSinkTest, AProblemOfTheTableRefusesNoRow) {
  table_->create_existing_table();
  const auto sink = test::open(table_->dsn(), 2);
  table_->run("ALTER TABLE `" + table_->name() + "` ADD needed INT NOT NULL");
  expect_error(test::write(*sink, {source('a'), 1}, one_row()), ErrorCode::not_installed);
  table_->run("ALTER TABLE `" + table_->name() + "` DROP needed, DROP count");
  expect_error(test::write(*sink, {source('a'), 1}, one_row()), ErrorCode::not_installed);
  table_->run("DROP TABLE `" + table_->name() + "`");
  expect_error(test::write(*sink, {source('a'), 1}, one_row()), ErrorCode::not_installed);
  table_->create_existing_table();
  table_->run(
      "ALTER TABLE `" + table_->name() +
      "` DROP PRIMARY KEY, DROP KEY hash, MODIFY id BIGINT, ADD UNIQUE (hash, timeslot) PARTITION BY RANGE (timeslot) "
      "(PARTITION p0 VALUES LESS THAN (1000))");
  expect_error(test::write(*sink, {source('a'), 1}, one_row()), ErrorCode::transient);
  OwnUser user(*table_);
  user.grant("SELECT ON `" + table_->name() + "`");
  expect_error(test::write(*test::open(user.dsn()), {source('a'), 1}, one_row()), ErrorCode::unavailable);
}

TEST_F(MysqlSinkTest, StatementsFitTheServersPacket) {
  expect_ok(test::open(table_->dsn())->install());
  const GlobalVariable small(*table_, "max_allowed_packet", "4096");
  const auto sink = test::open(table_->dsn());
  std::vector<CounterRow> rows;
  for (int i = 0; i < 300; ++i) {
    rows.push_back(row("p", std::string(200, '\'') + std::to_string(i), kSlot, {1, 1, 1, 1}));
  }
  expect_ok(test::write(*sink, {source('a'), 1}, sorted(rows)));
  EXPECT_EQ(count(), "300");
}

TEST_F(MysqlSinkTest, BackslashesAreTextUnderNoBackslashEscapes) {
  expect_ok(test::open(table_->dsn())->install());
  const GlobalVariable mode(*table_, "sql_mode", "CONCAT(@@GLOBAL.sql_mode, ',NO_BACKSLASH_ESCAPES')");
  const auto sink = test::open(table_->dsn());
  expect_ok(test::write(*sink, {}, sorted({row("a\\", "it's \\' so", kSlot, {1, 1, 1, 1})})));
  EXPECT_EQ(table_->value("SELECT HEX(CONCAT(name, '|', argument)) FROM `" + table_->name() + "`"),
            "615C7C69742773205C2720736F");
}

TEST_F(MysqlSinkTest, AKilledSessionIsReplacedByTheNextCall) {
  expect_ok(test::open(table_->dsn())->install());
  OwnUser user(*table_);
  user.grant("ALL ON `" + table_->name() + "`");
  user.grant("ALL ON `" + table_->name() + "_batch`");
  const auto sink = test::open(user.dsn());
  const CounterQuery query{.name = "a", .argument = std::nullopt, .since = 0, .until = 4'000'000'000};
  expect_ok(test::write(*sink, {source('a'), 1}, one_row()));
  user.kill_sessions();
  expect_ok(test::write(*sink, {source('a'), 2}, one_row()));
  user.kill_sessions();
  const auto buckets = sink->read(query);
  ASSERT_TRUE(buckets.ok()) << buckets.error().message;
  EXPECT_EQ((*buckets)[0].sums.count, 2);
  user.kill_sessions();
  expect_ok(sink->install());
}

// Killed while it waits for a lock: an error, nothing written, and the same batch goes through afterwards.
TEST_F(MysqlSinkTest, ASessionKilledInATransactionHasWrittenNothing) {
  expect_ok(test::open(table_->dsn())->install());
  OwnUser user(*table_);
  user.grant("ALL ON `" + table_->name() + "`");
  user.grant("ALL ON `" + table_->name() + "_batch`");
  const auto sink = test::open(user.dsn(), 30);
  expect_ok(test::write(*sink, {source('a'), 1}, one_row()));

  table_->run("START TRANSACTION");
  table_->run("UPDATE `" + table_->name() + "` SET total = 1");
  Status status;
  std::thread writer([&] { status = test::write(*sink, {source('a'), 2}, one_row()); });
  const bool waits = becomes(sessions_waiting_to_insert(), "1");
  user.kill_sessions();
  writer.join();
  table_->run("ROLLBACK");
  ASSERT_TRUE(waits);
  expect_error(status, ErrorCode::unavailable);
  EXPECT_EQ(count(), "1");
  expect_ok(test::write(*sink, {source('a'), 2}, one_row()));
  EXPECT_EQ(count(), "2");
}

TEST_F(MysqlSinkTest, ALockThatDoesNotGoAwayIsTransient) {
  const auto sink = test::open(table_->dsn(), 2);
  expect_ok(sink->install());
  expect_ok(test::write(*sink, {source('a'), 1}, one_row()));
  table_->run("START TRANSACTION");
  table_->run("UPDATE `" + table_->name() + "` SET total = 1");
  expect_error(test::write(*sink, {source('a'), 2}, one_row()), ErrorCode::transient);
  table_->run("ROLLBACK");
  expect_ok(test::write(*sink, {source('a'), 2}, one_row()));
  EXPECT_EQ(count(), "2");
}

TEST_F(MysqlSinkTest, ADeadlockIsRepeatedByItself) {
  const auto sink = test::open(table_->dsn(), 20);
  expect_ok(sink->install());
  const std::vector<CounterRow> rows = sorted({row("a", "1", kSlot, {1, 1, 1, 1}), row("a", "2", kSlot, {1, 1, 1, 1})});
  expect_ok(test::write(*sink, {}, rows));
  const std::string update = "UPDATE `" + table_->name() + "` SET count = count WHERE hash = '";

  // The sink locks the first row and waits for the second one, which we have; then we ask for the first one. We have
  // changed more rows, so the server gives up the sink's transaction.
  std::string padding = "INSERT INTO `" + table_->name() + "` VALUES ";
  for (int i = 10; i < 60; ++i) {
    padding += (i == 10 ? "('" : ",('") + std::to_string(i) + "','pad',NULL,0,0,0,0,0)";
  }
  table_->run("START TRANSACTION");
  table_->run(padding);
  table_->run(update + std::string(view(rows[1].hash)) + "'");
  Status status;
  std::thread writer([&] { status = test::write(*sink, {source('a'), 1}, rows); });
  const bool waits = becomes(sessions_waiting_to_insert(), "1");
  table_->run(update + std::string(view(rows[0].hash)) + "'");
  table_->run("COMMIT");
  writer.join();
  ASSERT_TRUE(waits);
  expect_ok(status);
  EXPECT_EQ(table_->value("SELECT SUM(count) FROM `" + table_->name() + "` WHERE name = 'a'"), "4");
}

TEST_F(MysqlSinkTest, AForkedChildLeavesItsParentsSessionAlone) {
  auto connection = table_->connect();
  ASSERT_NE(connection, nullptr);
  const auto id = [&connection] {
    const auto rows = connection->query("SELECT CONNECTION_ID()");
    return rows.ok() ? (*rows)[0][0] : rows.error().message;
  };
  const std::string before = id();
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const bool noticed = !connection->is_ours();
    connection.reset();
    _exit(noticed ? 0 : 1);
  }
  int code = -1;
  ASSERT_EQ(waitpid(child, &code, 0), child);
  EXPECT_EQ(code, 0);
  EXPECT_EQ(id(), before);
}

TEST_F(MysqlSinkTest, ASinkGoesOnInParentAndChildAfterAFork) {
  const auto sink = test::open(table_->dsn());
  expect_ok(sink->install());
  expect_ok(test::write(*sink, {source('a'), 1}, one_row()));
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    _exit(test::write(*sink, {source('b'), 1}, one_row()).ok() ? 0 : 1);
  }
  int code = -1;
  ASSERT_EQ(waitpid(child, &code, 0), child);
  EXPECT_EQ(code, 0);
  expect_ok(test::write(*sink, {source('a'), 2}, one_row()));
  EXPECT_EQ(count(), "3");
}

TEST_F(MysqlSinkTest, ByUnixSocket) {
  const char* socket = std::getenv("PRESENCE_TEST_MYSQL_SOCKET");
  if (socket == nullptr) {
    if (test::servers_required()) {
      FAIL() << "PRESENCE_TEST_MYSQL_SOCKET must hold the path of the server's socket";
    }
    GTEST_SKIP() << "PRESENCE_TEST_MYSQL_SOCKET is not set";
  }
  const Dsn dsn = *parse_dsn(table_->dsn());
  const auto sink = test::open("mysql://" + *dsn.user + ":" + *dsn.password + "@/" + dsn.path + "?socket=" + socket +
                               "&table=" + table_->name());
  expect_ok(sink->install());
  expect_ok(test::write(*sink, {}, one_row()));
  EXPECT_EQ(count(), "1");
}

// Needs no server.
TEST(MysqlSinkWithoutServerTest, NobodyListeningIsUnavailableAndTheMessageHasNoPassword) {
  const auto sink = test::open("mysql://u:Zq7x@127.0.0.1:1/d", 1);
  const CounterRow one = row("a", std::nullopt, kSlot, {1, 1, 1, 1});
  const Status status = test::write(*sink, {}, {one});
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::unavailable);
  EXPECT_EQ(status.error().message.find("Zq7x"), std::string::npos) << status.error().message;
  EXPECT_NE(status.error().message.find("127.0.0.1"), std::string::npos) << status.error().message;
}

TEST_F(MysqlSinkTest, AWrongPasswordIsUnavailableAndNotShown) {
  OwnUser user(*table_);
  std::string dsn = user.dsn();
  dsn.replace(dsn.find("secret-Zq7x"), 11, "wrong-Zq7x");
  const Status status = test::open(dsn)->install();
  expect_error(status, ErrorCode::unavailable);
  EXPECT_EQ(status.error().message.find("Zq7x"), std::string::npos) << status.error().message;
}

}  // namespace
}  // namespace presence

#endif  // PRESENCE_HAVE_MYSQL
