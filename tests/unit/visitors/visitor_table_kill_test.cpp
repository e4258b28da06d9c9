// What a kill at any instruction leaves behind, and what the other processes make of it.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "unit/visitors/table_memory.h"
#include "visitors/visitor_table.h"

namespace presence {
namespace {

constexpr UnixTime kNow = 1'800'000'000;
constexpr LaneIndex kVictim = 1;
constexpr LaneIndex kSurvivor = 2;

/// A child that runs `work` one instruction at a time.
class SteppedChild {
 public:
  explicit SteppedChild(const std::function<void()>& work) : pid_(fork()) {
    if (pid_ == 0) {
      if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) {
        _exit(77);
      }
      raise(SIGSTOP);
      work();
      _exit(0);
    }
    waitpid(pid_, &status_, 0);
    traced_ = !WIFEXITED(status_);
  }
  SteppedChild(const SteppedChild&) = delete;
  SteppedChild& operator=(const SteppedChild&) = delete;
  ~SteppedChild() {
    if (running()) {
      kill(pid_, SIGKILL);
      waitpid(pid_, &status_, 0);
    }
  }

  /// False where tracing is not allowed.
  [[nodiscard]] bool traced() const { return traced_; }
  [[nodiscard]] bool running() const { return !WIFEXITED(status_) && !WIFSIGNALED(status_); }
  [[nodiscard]] bool succeeded() const { return WIFEXITED(status_) && WEXITSTATUS(status_) == 0; }

  void step() { resume(PTRACE_SINGLESTEP); }
  void finish() {
    while (running()) {
      resume(PTRACE_CONT);
    }
  }

 private:
  void resume(decltype(PTRACE_CONT) how) {
    if (ptrace(how, pid_, nullptr, nullptr) == 0) {
      waitpid(pid_, &status_, 0);
    }
  }

  pid_t pid_;
  int status_ = 0;
  bool traced_ = false;
};

void copy(const TableMemory& from, const TableMemory& to) {
  std::memcpy(to.bytes().data(), from.bytes().data(), from.bytes().size());
}

LaneAlive only_survivor() {
  return [](LaneIndex lane) { return lane == kSurvivor; };
}

/// The table is as good as new for others: consistent, and with room for all it is made for.
void expect_usable(const VisitorTable& table, Space space, int visitors) {
  const std::vector<std::string> ids = table.ids(space, 0);
  EXPECT_EQ(table.count(space, 0), static_cast<std::int64_t>(ids.size()));
  for (const std::string& id : ids) {
    EXPECT_TRUE(table.last_seen(space, id));
    EXPECT_EQ(table.record(space, id, kNow + 100), Recorded::yes);
  }
  const std::set<std::string> different(ids.begin(), ids.end());
  EXPECT_EQ(table.count(space, 0), static_cast<std::int64_t>(different.size())) << "no duplicate survives a visit";
  for (const std::string& id : different) {
    table.forget(space, id);
  }
  EXPECT_EQ(table.count(space, 0), 0);
  for (int i = 0; i < visitors; ++i) {
    EXPECT_EQ(table.record(space, "again" + std::to_string(i), kNow + 101), Recorded::yes);
  }
  EXPECT_EQ(table.count(space, kNow + 101), visitors);
}

struct Scene {
  static constexpr std::uint32_t kVisitors = 64;
  TableMemory memory{kVisitors};
  VisitorTable victim = memory.table(kVictim);
  Space space = open_space(victim, "a", kNow);

  /// Calls `check` for each different state of the memory in which a kill during `work` could leave the table.
  void run(int least_states, const std::function<void()>& work, const std::function<void(const VisitorTable&)>& check) {
    SteppedChild child(work);
    if (!child.traced()) {
      GTEST_SKIP() << "tracing a child is not allowed here";
    }
    const TableMemory last(kVisitors);
    const TableMemory left(kVisitors);
    int states = 0;
    for (; child.running() && !testing::Test::HasFailure(); child.step()) {
      if (std::memcmp(last.bytes().data(), memory.bytes().data(), memory.bytes().size()) == 0) {
        continue;
      }
      ++states;
      copy(memory, last);
      copy(memory, left);
      const VisitorTable table = left.table(kSurvivor, only_survivor());
      check(table);
      expect_usable(table, space, 40);
      copy(last, left);
      expect_next_holder_cleans_up(left);
    }
    EXPECT_GE(states, least_states) << "the work was not seen at work";
  }

  /// Whoever has the killed process's lane next frees what it was filling, as for others that lane is alive again.
  void expect_next_holder_cleans_up(const TableMemory& left) const {
    const VisitorTable next = left.table(kVictim);
    EXPECT_EQ(next.record(space, "next", kNow), Recorded::yes);
    const TableView view = TableView::over(left.bytes()).value();
    for (std::uint32_t slot = 0; slot < view.geometry.slots; ++slot) {
      EXPECT_NE(SlotWord(view.words[slot]).state(), SlotState::writing) << slot;
    }
  }
};

TEST(VisitorTableKillTest, AnyInstructionOfRecordingANewVisitor) {
  Scene scene;
  ASSERT_EQ(scene.victim.record(scene.space, "other", kNow), Recorded::yes);
  scene.run(
      5, [&] { (void)scene.victim.record(scene.space, "new", kNow + 1); },
      [&](const VisitorTable& table) { EXPECT_EQ(table.last_seen(scene.space, "other"), kNow); });
}

TEST(VisitorTableKillTest, AnyInstructionOfRecordingAKnownVisitor) {
  Scene scene;
  ASSERT_EQ(scene.victim.record(scene.space, "known", kNow), Recorded::yes);
  scene.run(
      2, [&] { (void)scene.victim.record(scene.space, "known", kNow + 1); },
      [&](const VisitorTable& table) { EXPECT_GE(table.last_seen(scene.space, "known"), kNow); });
}

TEST(VisitorTableKillTest, AnyInstructionOfRecordingALongIdIntoAFullTable) {
  Scene scene;
  for (int i = 0; i < 200; ++i) {
    ASSERT_EQ(scene.victim.record(scene.space, std::string(57, 'l') + std::to_string(i), kNow - 5000), Recorded::yes);
  }
  ASSERT_EQ(scene.victim.record(scene.space, "living", kNow), Recorded::yes);
  ASSERT_EQ(scene.victim.record(scene.space, std::string(250, 'y'), kNow), Recorded::yes);
  scene.run(
      20, [&] { (void)scene.victim.record(scene.space, std::string(250, 'x'), kNow + 1); },
      [&](const VisitorTable& table) {
        EXPECT_EQ(table.last_seen(scene.space, "living"), kNow);
        EXPECT_EQ(table.last_seen(scene.space, std::string(250, 'y')), kNow);
      });
}

TEST(VisitorTableKillTest, AnyInstructionOfReplace) {
  Scene scene;
  ASSERT_EQ(scene.victim.record(scene.space, "guest", kNow), Recorded::yes);
  ASSERT_EQ(scene.victim.record(scene.space, "user", kNow - 9), Recorded::yes);
  scene.run(
      2, [&] { (void)scene.victim.replace(scene.space, "guest", "user", 0, kNow); },
      [&](const VisitorTable& table) {
        ASSERT_TRUE(table.last_seen(scene.space, "user"));
        if (!table.last_seen(scene.space, "guest")) {
          EXPECT_EQ(table.last_seen(scene.space, "user"), kNow);
        }
      });
}

TEST(VisitorTableKillTest, AnyInstructionOfForgettingALongId) {
  Scene scene;
  ASSERT_EQ(scene.victim.record(scene.space, std::string(250, 'x'), kNow), Recorded::yes);
  scene.run(
      5, [&] { scene.victim.forget(scene.space, std::string(250, 'x')); }, [](const VisitorTable&) {});
}

TEST(VisitorTableKillTest, AnyInstructionOfTakingOverASpace) {
  Scene scene;
  for (int i = 0; i < 31; ++i) {
    const Space old = open_space(scene.victim, "old" + std::to_string(i), kNow - 10'000 + i);
    ASSERT_EQ(scene.victim.record(old, "42", kNow - 10'000 + i), Recorded::yes);
  }
  scene.run(
      5, [&] { (void)open_space(scene.victim, "new", kNow); },
      [&](const VisitorTable& table) {
        for (const std::string name : {"new", "newer"}) {
          const auto space = table.open_space(table.space_key(name), 3600, kNow);
          ASSERT_TRUE(space);
          EXPECT_EQ(table.count(*space, 0), 0) << "visitors of another key";
          EXPECT_EQ(table.record(*space, "1", kNow), Recorded::yes);
        }
        EXPECT_TRUE(table.holds(scene.space));
        table.purge(scene.space, 0);
        for (int i = 0; i < 31; ++i) {
          if (const auto old = table.find_space(table.space_key("old" + std::to_string(i)))) {
            table.forget(*old, "42");
          }
        }
      });
}

TEST(VisitorTableKillTest, AProcessStoppedForLongerThanTheRetentionPutsNobodyIntoTheNextKeysSpace) {
  const auto steps_of_recording = [](long stop_after) {
    Scene scene;
    SteppedChild child([&] { (void)scene.victim.record(scene.space, "stray", kNow); });
    long steps = 0;
    for (; child.running() && steps != stop_after; ++steps) {
      child.step();
    }
    const VisitorTable other = scene.memory.table(kSurvivor);
    const UnixTime later = kNow + 10'000;
    for (int i = 0; i < 31; ++i) {
      (void)open_space(other, "new" + std::to_string(i), later);
    }
    const Space taken = open_space(other, "last", later);
    EXPECT_EQ(taken.number, scene.space.number);
    child.finish();
    EXPECT_TRUE(child.succeeded());
    EXPECT_EQ(other.count(taken, 0), 0) << "after " << steps << " instructions";
    return child.traced() ? steps : 0;
  };
  const long steps = steps_of_recording(-1);
  if (steps == 0) {
    GTEST_SKIP() << "tracing a child is not allowed here";
  }
  for (long i = 0; i < 80 && !HasFailure(); ++i) {
    (void)steps_of_recording(steps * i / 80);
  }
}

/// Many processes that do nothing but write to the table, killed all the time.
class ChaosTest : public testing::Test {
 protected:
  static constexpr int kProcesses = 4;
  static constexpr std::size_t kIds = 600;

  static std::string id(std::size_t number) {
    return number % 5 == 0 ? std::string(57 + number % 190, 'l') + std::to_string(number) : std::to_string(number);
  }

  pid_t start(std::size_t lane, std::uint_fast32_t seed) {
    lives_[lane] = 1;
    const pid_t pid = fork();
    if (pid == 0) {
      work(lane, seed);
    }
    return pid;
  }

  /// Kills it, then says so, as the kernel frees a dead process's locks after it can no longer write.
  void kill_child(std::size_t lane, pid_t pid) {
    kill(pid, SIGKILL);
    int status = 0;
    ASSERT_EQ(waitpid(pid, &status, 0), pid);
    ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << "it had ended by itself: " << status;
    lives_[lane] = 0;
  }

  [[noreturn]] void work(std::size_t lane, std::uint_fast32_t seed) {
    const VisitorTable table = memory_.table(static_cast<LaneIndex>(lane), alive());
    std::mt19937 random(seed);
    for (;;) {
      const UnixTime now = kNow + clock_[0].fetch_add(1) / 64;
      const Space space = open_space(table, "chaos", now);
      // Known to all, and kept: what was recorded must stay.
      const std::size_t number = random() % kIds;
      if (table.record(space, id(number), now) == Recorded::yes) {
        recorded_[number] = 1;
      }
      // Known to all, coming and going, so that slots are claimed and freed all the time.
      const std::string brief = "brief-" + id(random() % 40);
      if (random() % 2 == 0) {
        (void)table.record(space, brief, now);
      } else if (random() % 2 == 0) {
        table.forget(space, brief);
      } else {
        (void)table.replace(space, brief, "brief-" + id(random() % 40), 0, now);
      }
      done_[lane].fetch_add(1);
    }
  }

  LaneAlive alive() {
    return [this](LaneIndex lane) { return lives_[lane].load() != 0; };
  }

  TableMemory memory_{4000};
  SharedArray<std::atomic<int>> lives_{TableGeometry::kLanes};
  SharedArray<std::atomic<UnixTime>> clock_{1};
  SharedArray<std::atomic<int>> recorded_{kIds};
  SharedArray<std::atomic<std::uint64_t>> done_{TableGeometry::kLanes};
};

TEST_F(ChaosTest, KillsAtRandomTimesLoseNoVisitorAndStopNobody) {
  constexpr int kKills = 300;
  std::mt19937 random(11);
  std::vector<pid_t> pids;
  for (std::size_t lane = 0; lane < kProcesses; ++lane) {
    pids.push_back(start(lane, random()));
  }
  for (int i = 0; i < kKills; ++i) {
    usleep(static_cast<useconds_t>(random() % 3000));
    const std::size_t lane = random() % kProcesses;
    kill_child(lane, pids[lane]);
    pids[lane] = start(lane, random());
  }
  // Nobody is stuck: each process gets on after the last kill. It would wait for ever otherwise.
  for (std::size_t lane = 0; lane < kProcesses; ++lane) {
    const std::uint64_t before = done_[lane].load();
    while (done_[lane].load() < before + 10) {
      usleep(100);
    }
  }
  for (std::size_t lane = 0; lane < kProcesses; ++lane) {
    kill_child(lane, pids[lane]);
  }

  lives_[100] = 1;
  const VisitorTable table = memory_.table(100, alive());
  const UnixTime now = kNow + clock_[0].load();
  const Space space = open_space(table, "chaos", now);
  EXPECT_EQ(table.usage().evicted_live, 0U);
  std::size_t kept = 0;
  for (std::size_t number = 0; number < kIds; ++number) {
    if (recorded_[number].load() != 0) {
      EXPECT_TRUE(table.last_seen(space, id(number))) << id(number);
      ++kept;
    }
  }
  EXPECT_GT(kept, kIds / 2);
  for (const std::string& visitor : table.ids(space, 0)) {
    EXPECT_EQ(table.record(space, visitor, now), Recorded::yes);
  }
  const std::vector<std::string> ids = table.ids(space, 0);
  EXPECT_EQ(std::set<std::string>(ids.begin(), ids.end()).size(), ids.size()) << "a duplicate";
  EXPECT_EQ(table.count(space, 0), static_cast<std::int64_t>(ids.size()));
}

}  // namespace
}  // namespace presence
