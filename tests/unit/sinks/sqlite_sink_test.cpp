// What is particular to the SQLite sink. What all sinks promise is in sink_contract_test.cpp.
#ifdef PRESENCE_HAVE_SQLITE

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "unit/sinks/sink_under_test.h"
#include "unit/temp_folder.h"

namespace presence {
namespace {

using test::kSlot;
using test::row;
using test::source;

constexpr const char* kFile = "counters.sqlite";

class SqliteSinkTest : public testing::Test {
 protected:
  [[nodiscard]] std::string path() const { return folder_.file(kFile); }
  [[nodiscard]] std::string dsn() const { return "sqlite:" + path(); }

  static std::vector<CounterRow> one_row() { return {row("a", std::nullopt, kSlot, {1, 1, 1, 1})}; }
  static CounterQuery everything() {
    return {.name = "a", .argument = std::nullopt, .since = 0, .until = 4'000'000'000};
  }

  static std::int64_t count(Sink& sink) {
    const auto buckets = sink.read(everything());
    EXPECT_TRUE(buckets.ok()) << (buckets.ok() ? "" : buckets.error().message);
    return buckets.ok() && buckets->size() == 1 ? (*buckets)[0].sums.count : 0;
  }

  // From outside of the sink.
  void run(const std::string& statement) {
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open(path().c_str(), &database), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(database, statement.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
        << sqlite3_errmsg(database);
    sqlite3_close(database);
  }

  TempFolder folder_;
};

TEST_F(SqliteSinkTest, TheFirstWriteCreatesAFileThatOthersCannotRead) {
  const auto sink = test::open(dsn());
  const mode_t before = umask(0);
  const Status status = test::write(*sink, {source('a'), 1}, one_row());
  umask(before);
  ASSERT_TRUE(status.ok()) << status.error().message;
  struct stat info;
  ASSERT_EQ(stat(path().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0600U);
  EXPECT_EQ(count(*sink), 1);
}

TEST_F(SqliteSinkTest, ReadingCreatesNothing) {
  const auto sink = test::open(dsn());
  const auto buckets = sink->read(everything());
  ASSERT_TRUE(buckets.ok());
  EXPECT_TRUE(buckets->empty());
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

TEST_F(SqliteSinkTest, AFileWithoutTablesHasNoRows) {
  std::ofstream(path()).flush();
  const auto sink = test::open(dsn());
  const auto buckets = sink->read(everything());
  ASSERT_TRUE(buckets.ok()) << buckets.error().message;
  EXPECT_TRUE(buckets->empty());
  EXPECT_TRUE(test::write(*sink, {}, one_row()).ok());
  EXPECT_EQ(count(*sink), 1);
}

TEST_F(SqliteSinkTest, ATableThatIsThereIsLeftAsItIs) {
  run("CREATE TABLE counter (id INTEGER PRIMARY KEY AUTOINCREMENT, hash CHAR(32) UNIQUE, name VARCHAR(64), argument "
      "VARCHAR(250), timeslot BIGINT, total FLOAT, minimum FLOAT, maximum FLOAT, count INT)");
  const auto sink = test::open(dsn());
  ASSERT_TRUE(sink->install().ok());
  ASSERT_TRUE(test::write(*sink, {source('a'), 1}, one_row()).ok());
  ASSERT_TRUE(test::write(*sink, {source('a'), 2}, one_row()).ok());
  EXPECT_EQ(count(*sink), 2);
  run("SELECT id FROM counter");
  // Creating this index fails if the sink had added its own.
  run("CREATE INDEX counter_name_timeslot ON counter (name)");
}

TEST_F(SqliteSinkTest, ATableOfAnotherShapeIsNotInstalled) {
  run("CREATE TABLE counter (something TEXT)");
  const Status status = test::write(*test::open(dsn()), {}, one_row());
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::not_installed);
}

TEST_F(SqliteSinkTest, AMissingFolderIsUnavailableAndTheMessageSaysSo) {
  const auto sink = test::open("sqlite:" + folder_.file("missing/counters.sqlite"));
  const Status status = test::write(*sink, {}, one_row());
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::unavailable);
  EXPECT_NE(status.error().message.find("folder"), std::string::npos);
  std::filesystem::create_directory(folder_.file("missing"));
  EXPECT_TRUE(test::write(*sink, {}, one_row()).ok());
}

TEST_F(SqliteSinkTest, AFileThatIsNoDatabaseIsAnErrorAndStaysAsItIs) {
  const std::string text = "these are somebody's notes, not a database, and longer than a header is\n";
  std::ofstream(path()) << text << text;
  const auto sink = test::open(dsn());
  const Status status = test::write(*sink, {}, one_row());
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::unavailable);
  EXPECT_FALSE(sink->read(everything()).ok());
  std::ifstream file(path());
  std::string line;
  std::getline(file, line);
  EXPECT_EQ(line + '\n', text);
}

TEST_F(SqliteSinkTest, ALockThatDoesNotGoAwayIsTransient) {
  const auto sink = test::open(dsn(), 0.1);
  ASSERT_TRUE(test::write(*sink, {source('a'), 1}, one_row()).ok());
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open(path().c_str(), &other), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(other, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
  const Status status = test::write(*sink, {source('a'), 2}, one_row());
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::transient);
  EXPECT_EQ(count(*sink), 1) << "readers do not wait for a writer";
  sqlite3_close(other);
  EXPECT_TRUE(test::write(*sink, {source('a'), 2}, one_row()).ok());
  EXPECT_EQ(count(*sink), 2);
}

TEST_F(SqliteSinkTest, ACheckRefusesOneRowAndTheReasonNamesIt) {
  run("CREATE TABLE counter (hash TEXT PRIMARY KEY, name TEXT CONSTRAINT no_bad_names CHECK (name <> 'bad'), argument TEXT, "
      "timeslot INTEGER, total REAL, minimum REAL, maximum REAL, count INTEGER)");
  const auto sink = test::open(dsn());
  const auto report = sink->write({source('a'), 1}, test::sorted({row("a", std::nullopt, kSlot, {1, 1, 1, 1}),
                                                                  row("bad", std::nullopt, kSlot, {1, 1, 1, 1})}));
  ASSERT_TRUE(report.ok()) << report.error().message;
  ASSERT_EQ(report->refused.size(), 1U);
  EXPECT_NE(report->refused[0].reason.find("no_bad_names"), std::string::npos) << report->refused[0].reason;
  EXPECT_EQ(count(*sink), 1);
}

TEST_F(SqliteSinkTest, AColumnThatNoRowOfOursFillsRefusesNoRow) {
  run("CREATE TABLE counter (hash TEXT PRIMARY KEY, name TEXT, argument TEXT, timeslot INTEGER, total REAL, minimum REAL, "
      "maximum REAL, count INTEGER, needed TEXT NOT NULL)");
  const Status status = test::write(*test::open(dsn()), {source('a'), 1}, one_row());
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::not_installed) << status.error().message;
}

// Such a constraint ends the transaction: writing on would commit row by row, without the ledger.
TEST_F(SqliteSinkTest, AConstraintThatRollsBackTheTransactionHoldsTheBatchUp) {
  run("CREATE TABLE counter (hash TEXT PRIMARY KEY, name TEXT, argument TEXT NOT NULL ON CONFLICT ROLLBACK, timeslot INTEGER, "
      "total REAL, minimum REAL, maximum REAL, count INTEGER)");
  const auto sink = test::open(dsn());
  const Status status =
      test::write(*sink, {source('a'), 1},
                  test::sorted({row("a", "x", kSlot, {1, 1, 1, 1}), row("b", std::nullopt, kSlot, {1, 1, 1, 1}),
                                row("a", "y", kSlot, {1, 1, 1, 1})}));
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::transient);
  EXPECT_NE(status.error().message.find("ROLLBACK"), std::string::npos) << status.error().message;
  EXPECT_EQ(count(*sink), 0);
}

// Both create the file, its tables and its journal.
TEST_F(SqliteSinkTest, ProcessesThatWriteTheFirstBatchTogetherBothSucceed) {
  constexpr int kWriters = 4;
  constexpr int kBatches = 10;
  std::vector<pid_t> children;
  for (int w = 0; w < kWriters; ++w) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      const auto sink = test::open(dsn(), 30);
      for (int b = 1; b <= kBatches; ++b) {
        if (!test::write(*sink, {source(static_cast<char>('a' + w)), static_cast<std::uint64_t>(b)}, one_row())) {
          _exit(1);
        }
      }
      _exit(0);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int code = -1;
    ASSERT_EQ(waitpid(child, &code, 0), child);
    EXPECT_EQ(code, 0);
  }
  EXPECT_EQ(count(*test::open(dsn())), kWriters * kBatches);
}

TEST_F(SqliteSinkTest, ASinkGoesOnInParentAndChildAfterAFork) {
  const auto sink = test::open(dsn());
  ASSERT_TRUE(test::write(*sink, {}, one_row()).ok());
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    _exit(test::write(*sink, {}, one_row()).ok() ? 0 : 1);
  }
  int code = -1;
  ASSERT_EQ(waitpid(child, &code, 0), child);
  EXPECT_EQ(code, 0);
  EXPECT_TRUE(test::write(*sink, {}, one_row()).ok());
  EXPECT_EQ(count(*sink), 3);
}

// Whether this process holds a lock on a file, as another process sees it.
bool holds_lock(const std::string& file) {
  const pid_t child = fork();
  if (child == 0) {
    struct flock lock {};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    const int fd = open(file.c_str(), O_RDWR);
    _exit(fd >= 0 && fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK ? 0 : 1);
  }
  int code = -1;
  waitpid(child, &code, 0);
  return code == 0;
}

// A program that has the file open and locked by itself, as through PDO, must keep its locks.
TEST_F(SqliteSinkTest, OtherLocksOfTheProcessSurviveACall) {
  const auto sink = test::open(dsn(), 0.05);
  ASSERT_TRUE(test::write(*sink, {}, one_row()).ok());
  EXPECT_FALSE(holds_lock(path()));
  sqlite3* own = nullptr;
  ASSERT_EQ(sqlite3_open(path().c_str(), &own), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(own, "BEGIN IMMEDIATE; CREATE TABLE mine (x)", nullptr, nullptr, nullptr), SQLITE_OK);
  ASSERT_TRUE(holds_lock(path()));
  EXPECT_FALSE(test::write(*sink, {}, one_row()).ok());
  EXPECT_EQ(count(*sink), 1);
  EXPECT_TRUE(holds_lock(path()));
  EXPECT_TRUE(holds_lock(path() + "-shm"));
  sqlite3_close(own);
}

}  // namespace
}  // namespace presence

#endif  // PRESENCE_HAVE_SQLITE
