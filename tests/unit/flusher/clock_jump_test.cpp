// The clock jumps, forwards and back, under processes that count and under the flusher.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <ctime>
#include <memory>

#include "base/clock.h"
#include "base/dsn.h"
#include "flusher/drain.h"
#include "flusher/flusher_process.h"
#include "runtime/attachment.h"
#include "runtime/counter_service.h"
#include "runtime/counter_status.h"
#include "runtime/shared_state.h"
#include "sinks/sink.h"
#include "unit/temp_folder.h"

namespace {

/// What the clock of all processes of this program is ahead, in seconds; negative: behind. Null before it is first
/// moved.
std::atomic<std::int64_t>* ahead;

}  // namespace

// The core asks for the time by this name, whoever defines it; see base/clock.cpp.
extern "C" __attribute__((visibility("default"))) std::time_t time(std::time_t* result) noexcept {
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  const std::time_t moved = now.tv_sec + (ahead == nullptr ? 0 : ahead->load());
  if (result != nullptr) {
    *result = moved;
  }
  return moved;
}

namespace presence {
namespace {

constexpr UnixTime kMinute = 60;
constexpr UnixTime kHour = 3600;
constexpr UnixTime kDay = 86400;
constexpr UnixTime kYear = 365 * kDay;

/// Looks again and again until something is so, for at most ten seconds.
template <class Condition>
bool eventually(Condition condition) {
  for (int i = 0; i < 1000; ++i) {
    if (condition()) {
      return true;
    }
    usleep(10'000);
  }
  return false;
}

class ClockJumpTest : public testing::Test {
 protected:
  void SetUp() override {
    void* shared = mmap(nullptr, sizeof *ahead, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(shared, MAP_FAILED);
    ahead = new (shared) std::atomic<std::int64_t>(0);
    const UnixTime before = clock::now();
    ahead->store(kYear);
    ASSERT_GE(clock::now(), before + kYear) << "the core does not go by the test's clock";
    ahead->store(0);
  }

  void TearDown() override {
    if (pid_t flusher = flusher_pid(); flusher > 0) {
      kill(flusher, SIGKILL);
    }
    munmap(ahead, sizeof *ahead);
    ahead = nullptr;
  }

  static void move(UnixTime seconds) { ahead->fetch_add(seconds); }
  static void move_to(UnixTime time) { ahead->fetch_add(time - clock::now()); }

  [[nodiscard]] Settings settings() const {
    Settings settings;
    settings.segment = folder_.file("segment");
    settings.data_dir = folder_.file("data");
    settings.max_series = 64;
    settings.max_visitors = 64;
    return settings;
  }

  struct Process {
    explicit Process(const Settings& settings) : attachment(settings), counters(attachment) {}
    void add() { EXPECT_TRUE(counters.add("a", std::nullopt, 0, 1).ok()); }

    Attachment attachment;
    CounterService counters;
  };

  /// Adds in the database.
  [[nodiscard]] std::int64_t stored() const {
    const Result<std::unique_ptr<Sink>> sink = open_sink(*parse_dsn("sqlite:" + folder_.file("data/counters.sqlite")));
    CounterQuery query;
    query.name = "a";
    query.since = -1000 * kYear;
    query.until = 20'000 * kYear;
    query.step = kDay;
    std::int64_t count = 0;
    const Result<std::vector<CounterBucket>> buckets = (*sink)->read(query);
    for (const CounterBucket& bucket : buckets ? *buckets : std::vector<CounterBucket>{}) {
      count += bucket.sums.count;
    }
    return count;
  }

  [[nodiscard]] CounterStatus status() {
    Attachment attachment(settings());
    return counter_status(attachment);
  }

  [[nodiscard]] pid_t flusher_pid() { return status().flusher_pid; }

  TempFolder folder_;
};

TEST_F(ClockJumpTest, NothingIsLostAndNoTableIsHeldUp) {
  Process process(settings());
  std::int64_t added = 0;
  for (const UnixTime jump : {kMinute, -kMinute, 10 * kMinute, -10 * kMinute, kHour, -kHour, kDay, -kDay, kYear, -kYear,
                              -50 * kYear, -10 * kYear, 100 * kYear}) {
    move(jump);
    for (int i = 0; i < 20; ++i) {
      process.add();
      ++added;
    }
    // Somebody who has just come.
    Process(settings()).add();
    ++added;
    ASSERT_TRUE(process.counters.flush().ok()) << jump;
    EXPECT_LE(status().minutes_used, 1U) << jump << ": the running minute is all that stays in memory";
  }
  move(2 * kMinute);
  ASSERT_TRUE(process.counters.flush().ok());
  EXPECT_EQ(stored(), added);
  EXPECT_EQ(status().direct_adds, 0U);
}

TEST_F(ClockJumpTest, TheSecondsAround1970AreAsGoodAsAny) {
  Process process(settings());
  std::int64_t added = 0;
  for (const UnixTime time : {-121, -61, -60, -59, -1, 0, 1, 59, 60, 61}) {
    move_to(time);
    process.add();
    ++added;
    ASSERT_TRUE(process.counters.flush().ok()) << time;
  }
  move_to(kHour);
  ASSERT_TRUE(process.counters.flush().ok());
  EXPECT_EQ(stored(), added);
  EXPECT_EQ(status().minutes_used, 0U);
}

TEST_F(ClockJumpTest, ATimeBeyondAllTablesGoesStraightToTheDatabase) {
  Process process(settings());
  move_to(8000 * kYear);
  process.add();
  EXPECT_EQ(status().minutes_used, 0U);
  EXPECT_EQ(status().direct_adds, 1U);
  move_to(50 * kYear);
  process.add();
  move(kMinute);
  ASSERT_TRUE(process.counters.flush().ok());
  EXPECT_EQ(stored(), 2);
}

TEST_F(ClockJumpTest, TheFlusherGoesOnAfterEachJump) {
  Process process(settings());
  process.add();
  process.counters.end_request(false);
  ASSERT_TRUE(eventually([this] { return flusher_pid() > 0; }));
  const pid_t flusher = flusher_pid();
  std::int64_t added = 1;
  for (const UnixTime jump : {kHour, -kHour, kYear, -kYear, -60 * kYear, 60 * kYear}) {
    move(jump);
    process.add();
    ++added;
    move(kMinute + 2);
    EXPECT_TRUE(eventually([&] { return stored() == added; })) << jump;
  }
  EXPECT_EQ(flusher_pid(), flusher);
}

TEST_F(ClockJumpTest, AFailedDatabaseIsTriedAgainWhereverTheClockHasGone) {
  Settings unreachable = settings();
  unreachable.sink = "sqlite:" + folder_.file("missing/counters.sqlite");
  for (const UnixTime jump : {-kYear, kYear, -60 * kYear}) {
    Process process(unreachable);
    process.add();
    move(kMinute);
    EXPECT_FALSE(process.counters.flush().ok());
    EXPECT_GT(status().batches_waiting, 0U);
    move(jump);
    move(2 * kMinute);
    EXPECT_TRUE(drain_is_due(process.attachment.shared()->minutes(), clock::now())) << jump;
  }
}

}  // namespace
}  // namespace presence
