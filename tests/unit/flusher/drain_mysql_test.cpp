// Drains into a real MySQL or MariaDB that is not in the mood.
#ifdef PRESENCE_HAVE_MYSQL

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

#include "counters/accumulator.h"
#include "flusher/drain.h"
#include "segment/lane.h"
#include "unit/sinks/cutting_proxy.h"
#include "unit/sinks/mysql_server.h"
#include "unit/sinks/sink_under_test.h"
#include "unit/sinks/small_disk.h"
#include "unit/temp_folder.h"

namespace presence {
namespace {

using test::Cut;
using test::GlobalVariable;
using test::OwnUser;

/// One server: a segment and a data folder of its own. Time is the test's.
class Site {
 public:
  explicit Site(const std::string& dsn)
      : segment_(open_segment()), lanes_(segment_), targets_(segment_), tables_(segment_) {
    use(dsn);
    lane_ = std::make_unique<Lane>(std::move(*Lane::claim(lanes_)));
    accumulator_ = std::make_unique<Accumulator>(tables_, *lane_);
  }

  /// From here on rows go there.
  void use(const std::string& dsn) {
    fingerprint_ = parse_dsn(dsn)->fingerprint();
    target_ = *targets_.find_or_add(fingerprint_, dsn);
  }

  [[nodiscard]] bool add(const std::string& name, std::optional<std::string> argument, double value) {
    const SeriesKey key{target_, name, argument};
    return accumulator_->add(key, key.hash(1), value);
  }

  /// Stores all there is, at a time that is later each time by far more than any pause.
  DrainReport drain_all(double timeout = 5) {
    now_ += 1000;
    return drain_at(now_, timeout);
  }

  DrainReport drain_at(UnixTime now, double timeout = 5) {
    DrainOptions options;
    options.scope = SealScope::all;
    options.sink.timeout = timeout;
    const DrainSource source{segment_, lanes_, tables_, targets_};
    return drain(&source, data(), options, now);
  }

  [[nodiscard]] std::string data() const { return folder_.file("data"); }
  [[nodiscard]] std::size_t batches_on_disk() const { return Spool::open(data())->list()->size(); }
  [[nodiscard]] const DeliveryRecord& delivery() const { return *targets_.delivery(fingerprint_); }
  [[nodiscard]] std::uint32_t waiting() const { return tables_.drains().waiting.load(); }

  /// All that lies in `set-aside`.
  [[nodiscard]] std::string text_set_aside() const {
    std::string text;
    for (const auto& file : std::filesystem::directory_iterator(data() + "/spool/set-aside")) {
      std::ifstream stream(file.path());
      text.append(std::istreambuf_iterator<char>(stream), {});
    }
    return text;
  }

 private:
  [[nodiscard]] Segment open_segment() const {
    const std::array<SectionSpec, 3> sections = {Lanes::section(), TargetTable::section(), MinuteTables::section(4096)};
    Result<Segment::Opened> opened = Segment::open({folder_.file("segment")}, sections);
    EXPECT_TRUE(opened.ok());
    return std::move(opened->segment);
  }

  TempFolder folder_;
  Segment segment_;
  Lanes lanes_;
  TargetTable targets_;
  MinuteTables tables_;
  std::unique_ptr<Lane> lane_;
  std::unique_ptr<Accumulator> accumulator_;
  std::string fingerprint_;
  TargetIndex target_ = 0;
  UnixTime now_ = 0;
};

class DrainMysqlTest : public testing::Test {
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

  void install() { ASSERT_TRUE(test::open(table_->dsn())->install().ok()); }

  std::string count() { return table_->value("SELECT COALESCE(SUM(count), 0) FROM `" + table_->name() + "`"); }

  static void expect_waiting(const DrainReport& report, std::optional<ErrorCode> code, const Site& site) {
    ASSERT_TRUE(report.error);
    EXPECT_EQ(report.error->code, code.value_or(report.error->code)) << report.error->message;
    EXPECT_EQ(site.batches_on_disk(), 1U);
    EXPECT_GT(site.delivery().failures.load(), 0U);
    EXPECT_EQ(site.delivery().rows_refused.load(), 0U);
  }

  static void expect_done(const DrainReport& report, const Site& site) {
    EXPECT_FALSE(report.error) << report.error->message;
    EXPECT_EQ(site.batches_on_disk(), 0U);
    EXPECT_EQ(site.delivery().failures.load(), 0U);
  }

  void many_unanswered_commits(bool has_ledger);
  void two_servers(bool has_ledger);

  std::unique_ptr<test::MysqlTable> table_;
};

TEST_F(DrainMysqlTest, PausesGrowFromASecondToAMinute) {
  install();
  Site site(table_->dsn());
  table_->run("RENAME TABLE `" + table_->name() + "` TO `" + table_->name() + "_away`");
  ASSERT_TRUE(site.add("a", std::nullopt, 1));
  UnixTime now = 1'000'000;
  for (const UnixTime pause : {1, 2, 4, 8, 16, 32, 60, 60, 60}) {
    EXPECT_TRUE(site.drain_at(now).error);
    EXPECT_EQ(site.delivery().next_attempt.load(), now + pause);
    EXPECT_FALSE(site.drain_at(now + pause - 1).error) << "not tried";
    now += pause;
  }
  // Hours later.
  table_->run("RENAME TABLE `" + table_->name() + "_away` TO `" + table_->name() + "`");
  expect_done(site.drain_at(now + 20'000), site);
  EXPECT_EQ(count(), "1");
}

TEST_F(DrainMysqlTest, ALockThatLastsTooLongIsWaitedForAgain) {
  install();
  Site site(table_->dsn());
  ASSERT_TRUE(site.add("a", std::nullopt, 1));
  expect_done(site.drain_all(), site);
  table_->run("START TRANSACTION");
  table_->run("UPDATE `" + table_->name() + "_batch` SET changed_at = 0");
  ASSERT_TRUE(site.add("a", std::nullopt, 1));
  expect_waiting(site.drain_all(2), ErrorCode::transient, site);
  table_->run("ROLLBACK");
  expect_done(site.drain_all(), site);
  EXPECT_EQ(count(), "2");
}

TEST_F(DrainMysqlTest, AServerThatIsReadOnlyGetsTheRowsLater) {
  install();
  OwnUser user(*table_);
  user.grant("SELECT, INSERT, UPDATE ON `" + table_->name() + "`");
  user.grant("SELECT, INSERT, UPDATE ON `" + table_->name() + "_batch`");
  Site site(user.dsn());
  ASSERT_TRUE(site.add("a", std::nullopt, 1));
  {
    const GlobalVariable read_only(*table_, "read_only", "1");
    expect_waiting(site.drain_all(), ErrorCode::transient, site);
    EXPECT_NE(site.delivery().error_text().find("read-only"), std::string::npos) << site.delivery().error_text();
  }
  expect_done(site.drain_all(), site);
  EXPECT_EQ(count(), "1");
}

TEST_F(DrainMysqlTest, APacketSizeThatWasLoweredCutsSmallerStatements) {
  install();
  Site site(table_->dsn());
  for (int i = 0; i < 300; ++i) {
    ASSERT_TRUE(site.add("p", std::string(200, '\'') + std::to_string(i), 1));
  }
  const GlobalVariable small(*table_, "max_allowed_packet", "4096");
  expect_done(site.drain_all(), site);
  EXPECT_EQ(count(), "300");
  EXPECT_EQ(site.delivery().rows_refused.load(), 0U);
}

TEST_F(DrainMysqlTest, AWrongPasswordThatIsCorrectedLater) {
  install();
  OwnUser user(*table_);
  user.grant("ALL ON `" + table_->name() + "`");
  user.grant("ALL ON `" + table_->name() + "_batch`");
  Site site(user.dsn("wrong"));
  ASSERT_TRUE(site.add("a", std::nullopt, 1));
  expect_waiting(site.drain_all(), ErrorCode::unavailable, site);
  site.use(user.dsn());
  ASSERT_TRUE(site.add("a", std::nullopt, 1));
  // After a failure the DSNs of a place are tried in turn, the newest first or second.
  static_cast<void>(site.drain_all());
  expect_done(site.drain_all(), site);
  EXPECT_EQ(count(), "2");
}

// On a file system so small that the table does not fit.
TEST_F(DrainMysqlTest, ADiskThatIsFullOnTheServersSide) {
  test::SmallDisk disk("256k");
  if (!disk.mounted()) {
    GTEST_SKIP() << "mounting a file system for the server needs root";
  }
  table_->run(
      "CREATE TABLE `" + table_->name() +
      "` (hash CHAR(32) CHARACTER SET ascii PRIMARY KEY, name VARCHAR(64), argument VARCHAR(250), timeslot BIGINT, "
      "total DOUBLE, minimum DOUBLE, maximum DOUBLE, count BIGINT) ENGINE=InnoDB DATA DIRECTORY='" +
      disk.path() + "'");
  Site site(table_->dsn());
  for (int i = 0; i < 900; ++i) {
    ASSERT_TRUE(site.add("a", std::string(240, 'x') + std::to_string(i), 1));
  }
  // Either it says so, or it tries on for longer than anybody waits.
  expect_waiting(site.drain_all(2), std::nullopt, site);
  EXPECT_EQ(count(), "0");
  EXPECT_TRUE(disk.resize("64m"));
  static_cast<void>(site.drain_all());  // The one that is still trying may hold its locks for a moment.
  expect_done(site.drain_all(), site);
  EXPECT_EQ(count(), "900");
  table_->run("DROP TABLE `" + table_->name() + "`");
}

void DrainMysqlTest::many_unanswered_commits(bool has_ledger) {
  if (has_ledger) {
    install();
  } else {
    table_->create_existing_table();
  }
  const Dsn dsn = *parse_dsn(table_->dsn());
  test::CuttingProxy proxy(dsn);
  Site site(proxy.through(table_->dsn(), dsn));
  constexpr int kMinutes = 12;
  for (int minute = 0; minute < kMinutes; ++minute) {
    for (int i = 0; i < 20; ++i) {
      ASSERT_TRUE(site.add("a", std::to_string(i), 0.5 + i));
    }
    proxy.cut(minute % 2 == 0 ? Cut::after : Cut::before, minute % 3);
    site.drain_all();
    site.drain_all();
  }
  proxy.cut(Cut::never);
  expect_done(site.drain_all(), site);
  EXPECT_EQ(proxy.cuts(), 10) << "a second one only where the first one did not take place";
  EXPECT_EQ(count(), std::to_string(kMinutes * 20));
  EXPECT_EQ(table_->value("SELECT SUM(total) FROM `" + table_->name() + "`"), std::to_string(kMinutes * 200));
  EXPECT_EQ(site.delivery().batches_doubtful.load(), 0U);
  EXPECT_EQ(site.delivery().rows_written.load(), static_cast<std::uint64_t>(kMinutes * 20));
  for (const auto& file : std::filesystem::directory_iterator(site.data() + "/spool")) {
    EXPECT_EQ(file.path().filename(), "lock") << "was left behind";
  }
}

TEST_F(DrainMysqlTest, CommitsThatGoUnansweredAgainAndAgainLoseAndDoubleNothing) { many_unanswered_commits(true); }

TEST_F(DrainMysqlTest, CommitsThatGoUnansweredWithoutALedgerLoseAndDoubleNothing) { many_unanswered_commits(false); }

TEST_F(DrainMysqlTest, ACommitThatNobodyCanTellAboutIsCountedAndItsRowsAreKept) {
  table_->create_existing_table();
  const Dsn dsn = *parse_dsn(table_->dsn());
  test::CuttingProxy proxy(dsn);
  Site site(proxy.through(table_->dsn(), dsn));
  ASSERT_TRUE(site.add("a", "x", 5));
  proxy.cut(Cut::after);
  EXPECT_EQ(site.drain_all().error->code, ErrorCode::unanswered);
  // Another server adds to the same row before this one has asked.
  Site other(table_->dsn());
  ASSERT_TRUE(other.add("a", "x", 7));
  expect_done(other.drain_all(), other);
  ASSERT_TRUE(site.add("a", "y", 1));
  expect_done(site.drain_all(), site);
  EXPECT_EQ(site.delivery().batches_doubtful.load(), 1U);
  EXPECT_EQ(table_->value("SELECT total FROM `" + table_->name() + "` WHERE argument = 'x'"), "12")
      << "not added again";
  EXPECT_EQ(table_->value("SELECT total FROM `" + table_->name() + "` WHERE argument = 'y'"), "1");
  const std::string lines = site.text_set_aside();
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 1);
  EXPECT_NE(lines.find(R"("argument":"x")"), std::string::npos) << lines;
  EXPECT_NE(site.delivery().error_text().find("set-aside"), std::string::npos) << site.delivery().error_text();
}

/// Two servers with the same rows of the same minute, at the same time, over and over.
void DrainMysqlTest::two_servers(bool has_ledger) {
  if (has_ledger) {
    install();
  } else {
    table_->create_existing_table();
  }
  constexpr int kServers = 2;
  constexpr int kRounds = 25;
  constexpr int kSeries = 150;
  std::array<pid_t, kServers> servers{};
  for (pid_t& server : servers) {
    server = fork();
    ASSERT_GE(server, 0);
    if (server == 0) {
      Site site(table_->dsn());
      for (int round = 0; round < kRounds; ++round) {
        for (int i = 0; i < kSeries; ++i) {
          if (!site.add("shared", std::to_string(i), 2)) {
            _exit(2);
          }
        }
        static_cast<void>(site.drain_all());
      }
      for (int i = 0; i < 20 && site.waiting() > 0; ++i) {
        static_cast<void>(site.drain_all());
      }
      _exit(site.waiting() == 0 && site.delivery().batches_doubtful == 0 && site.delivery().rows_refused == 0 ? 0 : 1);
    }
  }
  for (const pid_t server : servers) {
    int status = 0;
    ASSERT_EQ(waitpid(server, &status, 0), server);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  }
  constexpr int kAdds = kServers * kRounds * kSeries;
  EXPECT_EQ(count(), std::to_string(kAdds));
  EXPECT_EQ(table_->value("SELECT SUM(total) FROM `" + table_->name() + "`"), std::to_string(2 * kAdds));
  EXPECT_EQ(table_->value("SELECT COUNT(DISTINCT argument) FROM `" + table_->name() + "`"), std::to_string(kSeries));
}

TEST_F(DrainMysqlTest, TwoServersWithTheSameMinuteAddUp) { two_servers(true); }

TEST_F(DrainMysqlTest, TwoServersWithTheSameMinuteAddUpInTheExistingTable) { two_servers(false); }

}  // namespace
}  // namespace presence

#endif  // PRESENCE_HAVE_MYSQL
