// A flusher dies or stops at each step of its life.
#include <sys/prctl.h>

#include "counters/sums_cell.h"
#include "stop_points/stop_point_fixture.h"

namespace presence {
namespace {

constexpr std::array kFlusherPoints = {"flusher.forked",  "flusher.detached", "flusher.locked",  "flusher.announced",
                                       "flusher.drained", "flusher.leaving",  "flusher.unlocked"};

bool is_at_the_end(const std::string& point) { return point == "flusher.leaving" || point == "flusher.unlocked"; }

/// Looks again and again until something is so, for at most ten seconds.
template <class Condition>
bool eventually(Condition condition) {
  for (int i = 0; i < 2000; ++i) {
    if (condition()) {
      return true;
    }
    usleep(5'000);
  }
  return false;
}

class FlusherStopTest : public StopPointFixture, public testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override {
    StopPointFixture::SetUp();
    // Flushers have no parent; this process takes their place, to learn how they end.
    ASSERT_EQ(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
  }

  void TearDown() override {
    prctl(PR_SET_CHILD_SUBREAPER, 0);
    if (site_ != nullptr && flusher_lives(site_->flusher()) && record().pid.load() > 0) {
      kill(record().pid.load(), SIGKILL);
    }
    while (waitpid(-1, nullptr, WNOHANG) > 0) {
    }
  }

  [[nodiscard]] FlusherRecord& record() const { return site_->flusher().record; }

  /// An add in a minute that is long over, so that a flusher has something to do at once.
  void add_in_finished_minute() const {
    const Result<Lane> lane = Lane::claim(site_->lanes);
    const std::optional<std::uint32_t> number = site_->tables.open_for(minute_of(clock::now()) - 5);
    ASSERT_TRUE(lane.ok() && number.has_value());
    constexpr double kValue = 7;
    const SeriesKey key{0, kSeriesNames[0], std::nullopt};
    (*books_).intended[0].note(kValue);
    lane->enter(*number);
    add_shared(site_->tables.table(*number).find_or_claim(key, key.hash(site_->tables.seed()))->shared, kValue);
    lane->leave();
    (*books_).returned[0].note(kValue);
  }

  /// Starts a flusher that gets the signal at the point. Its process id follows from waiting for it.
  void start_doomed(int signal) const {
    const pid_t child = start([&] {
      stop_points::signal_at(GetParam(), 1, signal);
      (void)start_flusher(site_->flusher(), data_);
    });
    waitpid(child, nullptr, 0);
    if (is_at_the_end(GetParam())) {
      ASSERT_TRUE(eventually([this] { return record().heartbeat.load() != 0; }));
      kill(record().pid.load(), SIGTERM);
    }
  }

  /// Starts another, asks it to end, and waits until it has.
  void let_another_finish() const {
    record().heartbeat.store(0);
    ASSERT_EQ(start_flusher(site_->flusher(), data_), FlusherStart::started);
    ASSERT_TRUE(eventually([this] { return flusher_lives(site_->flusher()) && record().heartbeat.load() != 0; }));
    ask_to_end(record().pid.load());
  }

  static void ask_to_end(pid_t flusher) {
    kill(flusher, SIGTERM);
    int status = 0;
    ASSERT_EQ(waitpid(flusher, &status, 0), flusher);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }

  void all_is_stored() const {
    EXPECT_EQ(tables_in_use(), 0);
    EXPECT_EQ(site_->tables.drains().waiting.load(), 0U);
    the_books_agree(0);
  }
};

TEST_P(FlusherStopTest, KilledThereAnotherTakesItsPlace) {
  Adder adder(*site_, 0);
  add_in_finished_minute();
  start_doomed(SIGKILL);
  int status = 0;
  ASSERT_GT(waitpid(-1, &status, 0), 0);
  ASSERT_TRUE(WIFSIGNALED(status)) << "nothing comes to this point";
  EXPECT_FALSE(flusher_lives(site_->flusher()));
  others_go_on(adder);
  add_in_finished_minute();
  let_another_finish();
  all_is_stored();
}

TEST_P(FlusherStopTest, StoppedThereAddsGoOnAndAnybodyMayFlush) {
  Adder adder(*site_, 0);
  add_in_finished_minute();
  start_doomed(SIGSTOP);
  int status = 0;
  const pid_t flusher = waitpid(-1, &status, WUNTRACED);
  ASSERT_GT(flusher, 0);
  ASSERT_TRUE(WIFSTOPPED(status)) << "nothing comes to this point";
  others_go_on(adder);
  one_drain_brings_it_home();
  the_books_agree(0);
  others_go_on(adder);
  kill(flusher, SIGCONT);
  // Until it has begun to work, a flusher dies of SIGTERM as any process does.
  ASSERT_TRUE(is_at_the_end(GetParam()) || eventually([this] { return record().heartbeat.load() != 0; }));
  ask_to_end(flusher);
  all_is_stored();
}

INSTANTIATE_TEST_SUITE_P(Flusher, FlusherStopTest, testing::ValuesIn(kFlusherPoints));

}  // namespace
}  // namespace presence
