// A process dies or stops at each step of claiming, adding, sealing, spooling and sending.
#include <fcntl.h>

#include <random>
#include <set>

#include "stop_points/stop_point_fixture.h"
#include "unit/sinks/sink_under_test.h"

namespace presence {
namespace {

constexpr std::array kCountingPoints = {
    "target.taken",    "target.written", "target.ready",     "lane.locked",     "lane.cleared",   "lane.owned",
    "lane.claimed",    "table.opened",   "lane.entered",     "entry.key_taken", "entry.taken",    "entry.written",
    "entry.published", "shared.total",   "shared.lost",      "shared.minimum",  "shared.maximum", "shared.count",
    "stripe.taken",    "stripe.written", "stripe.published", "stripe.total",    "stripe.lost",    "stripe.minimum",
    "stripe.maximum",  "stripe.count",   "lane.leaving",     "lane.left",
};
constexpr std::array kDrainPoints = {
    "drain.locked",   "drain.marked",  "seal.closing",  "seal.ordered", "seal.left_by_all",
    "seal.numbered",  "seal.sealed",   "spool.written", "spool.synced", "spool.named",
    "drain.spooled",  "drain.stored",  "reset.index",   "reset.counts", "reset.free",
    "send.connected", "send.answered", "spool.removed", "drain.sent",   "drain.planned",
};
constexpr std::array kSqlitePoints = {"sqlite.begun", "sqlite.noted", "sqlite.written", "sqlite.kept",
                                      "sqlite.committed"};

/// Where a stopped process holds the right to drain, so that others cannot.
bool holds_flush_lock(const std::string& point) {
  const std::string step = point.substr(0, point.find('.'));
  return step == "drain" || step == "seal" || step == "spool" || step == "reset" || step == "send" || step == "sqlite";
}

class CountingStopTest : public StopPointFixture, public testing::WithParamInterface<const char*> {};

TEST_P(CountingStopTest, KilledThereItHoldsNobodyUpAndLosesNothing) {
  Adder before(*site_, 0);
  ASSERT_TRUE(before.add_to_all(*books_));
  std::uint32_t kills = 0;
  for (std::uint32_t hit = 1; hit <= 3; ++hit) {
    const int status = run_until(GetParam(), hit, SIGKILL, [&] { live(static_cast<int>(hit)); });
    kills += WIFSIGNALED(status) ? 1 : 0;
    others_go_on(before);
  }
  EXPECT_GE(kills, 1U) << "nothing comes to this point";
  one_drain_brings_it_home();
  the_books_agree(kills);
  others_go_on(before);
  one_drain_brings_it_home();
  the_books_agree(kills);
}

TEST_P(CountingStopTest, StoppedThereItHoldsNobodyUpAndGoesOnLater) {
  Adder before(*site_, 0);
  ASSERT_TRUE(before.add_to_all(*books_));
  pid_t process = 0;
  const int status = run_until(
      GetParam(), 1, SIGSTOP, [&] { live(0); }, &process);
  ASSERT_TRUE(WIFSTOPPED(status)) << "nothing comes to this point";
  // The stopped process is at one add itself, so the others keep books of their own.
  SharedBooks others;
  for (int round = 0; round < 2; ++round) {
    EXPECT_TRUE(before.add_to_all(*others));
    Adder after(*site_, 0);
    EXPECT_TRUE(after.add_to_all(*others));
    EXPECT_EQ(drain_all(*site_).ran, !holds_flush_lock(GetParam()));
  }
  kill(process, SIGCONT);
  int end = 0;
  waitpid(process, &end, 0);
  EXPECT_TRUE(WIFEXITED(end) && WEXITSTATUS(end) == 0);
  for (std::size_t i = 0; i < kSeriesNames.size(); ++i) {
    merge((*others).intended[i], (*books_).intended[i]);
    merge((*others).returned[i], (*books_).returned[i]);
  }
  one_drain_brings_it_home();
  the_books_agree(0);
}

INSTANTIATE_TEST_SUITE_P(Counting, CountingStopTest, testing::ValuesIn(kCountingPoints));
INSTANTIATE_TEST_SUITE_P(Drain, CountingStopTest, testing::ValuesIn(kDrainPoints));
INSTANTIATE_TEST_SUITE_P(Sqlite, CountingStopTest, testing::ValuesIn(kSqlitePoints));

class CountingStopSequenceTest : public StopPointFixture {};

TEST_F(CountingStopSequenceTest, EachPointOnTheWayOfAValueIsInThisTest) {
  std::array<int, 2> pipe_ends{};
  ASSERT_EQ(pipe(pipe_ends.data()), 0);
  const pid_t child = start([&] {
    stop_points::start_noting();
    live(0);
    std::string names;
    for (const std::string& name : stop_points::noted()) {
      names += name + "\n";
    }
    (void)!write(pipe_ends[1], names.data(), names.size());
  });
  close(pipe_ends[1]);
  waitpid(child, nullptr, 0);
  std::string names(65536, '\0');
  const ssize_t got = read(pipe_ends[0], names.data(), names.size());
  close(pipe_ends[0]);
  ASSERT_GT(got, 0);
  std::set<std::string> reached;
  std::string name;
  for (const char c : names.substr(0, static_cast<std::size_t>(got))) {
    if (c == '\n') {
      reached.insert(std::exchange(name, {}));
    } else {
      name.push_back(c);
    }
  }
  std::set<std::string> tested(kCountingPoints.begin(), kCountingPoints.end());
  tested.insert(kDrainPoints.begin(), kDrainPoints.end());
  tested.insert(kSqlitePoints.begin(), kSqlitePoints.end());
  EXPECT_EQ(reached, tested);
}

TEST_F(CountingStopSequenceTest, KilledAgainAndAgainAnywhereNothingIsLostOrDoubled) {
  std::vector<std::string> points(kCountingPoints.begin(), kCountingPoints.end());
  // More often where the work of a dead one is taken over.
  for (int i = 0; i < 2; ++i) {
    points.insert(points.end(), kDrainPoints.begin(), kDrainPoints.end());
    points.insert(points.end(), kSqlitePoints.begin(), kSqlitePoints.end());
  }
  std::mt19937 random(5);
  Adder before(*site_, 0);
  int kills = 0;
  for (int round = 0; round < 150; ++round) {
    const std::string& point = points[random() % points.size()];
    const int status = run_until(point, 1 + static_cast<std::uint32_t>(random() % 4), SIGKILL, [&] { live(round); });
    kills += WIFSIGNALED(status) ? 1 : 0;
    if (round % 10 == 0) {
      EXPECT_TRUE(before.add_to_all(*books_));
    }
  }
  EXPECT_GT(kills, 75);
  one_drain_brings_it_home();
  the_books_agree(kills);
}

#ifdef PRESENCE_HAVE_MYSQL

constexpr std::array kMysqlPoints = {"mysql.asked", "mysql.written", "mysql.noted", "mysql.kept", "mysql.committed"};

class MysqlStopTest : public StopPointFixture, public testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override {
    const std::optional<std::string> server = test::mysql_dsn();
    if (!server) {
      ASSERT_FALSE(test::servers_required()) << "PRESENCE_TEST_MYSQL is not set";
      GTEST_SKIP() << "needs PRESENCE_TEST_MYSQL=mysql://user:password@host:port/database";
    }
    table_ = std::make_unique<test::MysqlTable>(*server);
    set_up(table_->dsn());
    ASSERT_TRUE(test::open(dsn_)->install().ok());
  }

  std::unique_ptr<test::MysqlTable> table_;
};

TEST_P(MysqlStopTest, KilledThereTheBatchIsAppliedOnce) {
  Adder before(*site_, 0);
  std::uint32_t kills = 0;
  for (std::uint32_t hit = 1; hit <= 2; ++hit) {
    const int status = run_until(GetParam(), hit, SIGKILL, [&] { live(static_cast<int>(hit)); });
    kills += WIFSIGNALED(status) ? 1 : 0;
    others_go_on(before);
  }
  EXPECT_EQ(kills, 2U);
  one_drain_brings_it_home();
  the_books_agree(0);
}

INSTANTIATE_TEST_SUITE_P(Mysql, MysqlStopTest, testing::ValuesIn(kMysqlPoints));

#endif

}  // namespace
}  // namespace presence
