#include "visitors/space_registry.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <set>
#include <string>
#include <vector>

#include "unit/visitors/table_memory.h"

namespace presence {
namespace {

constexpr UnixTime kNow = 1'800'000'000;
constexpr std::uint32_t kRetention = 3600;

TEST(SpaceRegistryTest, KeepsTheVisitorsOfTwoKeysApart) {
  const TableMemory memory(1000);
  const VisitorTable table = memory.table();
  const Space one = open_space(table, "one", kNow);
  const Space two = open_space(table, "two", kNow);
  EXPECT_NE(one.number, two.number);
  EXPECT_EQ(table.record(one, "42", kNow), Recorded::yes);
  EXPECT_FALSE(table.last_seen(two, "42"));
  EXPECT_EQ(table.count(two, 0), 0);
  EXPECT_EQ(table.record(two, "42", kNow - 7), Recorded::yes);
  EXPECT_EQ(table.last_seen(one, "42"), kNow);
  table.forget(two, "42");
  EXPECT_EQ(table.count(one, 0), 1);
  EXPECT_EQ(table.usage().spaces, 2U);
}

TEST(SpaceRegistryTest, AskingMakesNoSpaceAndOpeningTwiceMakesOne) {
  const TableMemory memory(1000);
  const VisitorTable table = memory.table();
  const VisitorTable other = memory.table(1);
  EXPECT_FALSE(table.find_space(table.space_key("a")));
  EXPECT_EQ(table.usage().spaces, 0U);
  const Space space = open_space(table, "a", kNow);
  EXPECT_EQ(open_space(other, "a", kNow).number, space.number);
  EXPECT_EQ(other.find_space(other.space_key("a"))->number, space.number);
  EXPECT_EQ(table.usage().spaces, 1U);
}

TEST(SpaceRegistryTest, AFullRegistryGivesAwayThoseIdleBeyondTheirRetentionFirst) {
  const TableMemory memory(64);  // 32 spaces, all of them possible for each key
  const VisitorTable table = memory.table();
  std::vector<Space> idle;
  for (int i = 0; i < 32; ++i) {
    // Number 3 has a visitor and the longest idle time, but a retention that it has not reached.
    idle.push_back(open_space(table, "k" + std::to_string(i), i == 3 ? kNow - 5000 : kNow - 4000 + i,
                              i == 3 ? 86400 : kRetention));
  }
  ASSERT_EQ(table.usage().spaces, 32U);
  ASSERT_EQ(table.record(idle[3], "kept", kNow - 5000), Recorded::yes);
  ASSERT_EQ(table.record(idle[0], "old", kNow - 4000), Recorded::yes);
  const Space fresh = open_space(table, "fresh", kNow);
  EXPECT_EQ(fresh.number, idle[0].number) << "the one longest beyond its retention";
  EXPECT_EQ(table.count(fresh, 0), 0) << "the visitors of the key before are gone";
  EXPECT_FALSE(table.holds(idle[0]));
  EXPECT_EQ(table.record(idle[0], "late", kNow), Recorded::no_space);
  EXPECT_EQ(table.count(fresh, 0), 0);
  EXPECT_TRUE(table.holds(idle[3]));
  EXPECT_EQ(table.usage().evicted_spaces, 0U);
}

TEST(SpaceRegistryTest, WithoutSuchTheLongestIdleGoesAndIsCountedButNoneJustUsed) {
  const TableMemory memory(64);
  const VisitorTable table = memory.table();
  for (int i = 0; i < 32; ++i) {
    (void)open_space(table, "k" + std::to_string(i), kNow - (i == 5 ? 2 : 1));
  }
  EXPECT_TRUE(table.open_space(table.space_key("one more"), kRetention, kNow));
  EXPECT_EQ(table.usage().evicted_spaces, 1U);
  EXPECT_FALSE(table.find_space(table.space_key("k5")));
  EXPECT_FALSE(table.open_space(table.space_key("and one more"), kRetention, kNow));
  EXPECT_TRUE(table.open_space(table.space_key("and one more"), kRetention, kNow + 1));
}

TEST(SpaceRegistryTest, RecordingKeepsASpaceFromBeingIdle) {
  const TableMemory memory(64);
  const VisitorTable table = memory.table();
  const Space used = open_space(table, "used", kNow - 10'000);
  for (int i = 0; i < 31; ++i) {
    (void)open_space(table, "k" + std::to_string(i), kNow - 5000);
  }
  ASSERT_EQ(table.record(used, "42", kNow), Recorded::yes);
  for (int i = 0; i < 31; ++i) {
    (void)open_space(table, "new" + std::to_string(i), kNow);
  }
  EXPECT_TRUE(table.holds(used));
  EXPECT_EQ(table.last_seen(used, "42"), kNow);
}

TEST(SpaceRegistryTest, ASpaceFromBeforeTheClockWasSetBackCanBeGivenAway) {
  const TableMemory memory(64);
  const VisitorTable table = memory.table();
  for (int i = 0; i < 32; ++i) {
    (void)open_space(table, "k" + std::to_string(i), kNow + 1'000'000);
  }
  EXPECT_TRUE(table.open_space(table.space_key("new"), kRetention, kNow));
  EXPECT_EQ(table.usage().evicted_spaces, 0U) << "nobody is in it";
  for (int i = 0; i < 31; ++i) {
    EXPECT_TRUE(table.open_space(table.space_key("new" + std::to_string(i)), kRetention, kNow));
  }
  EXPECT_TRUE(table.find_space(table.space_key("new"))) << "the others go first";
}

TEST(SpaceRegistryTest, TakesOverWhatAKilledProcessWasOpening) {
  const TableMemory memory(64);
  const VisitorTable table = memory.table(0, [](LaneIndex lane) { return lane != 9; });
  const TableView view = TableView::over(memory.bytes()).value();
  for (std::uint32_t i = 0; i < 32; ++i) {
    view.spaces[i].word = SlotWord(SlotState::writing, i == 7 ? 9 : 8, 0, 1).bits();
  }
  const auto space = table.open_space(table.space_key("new"), kRetention, kNow);
  ASSERT_TRUE(space);
  EXPECT_EQ(space->number, 7) << "that of the dead lane, not of the living one";
  EXPECT_FALSE(table.open_space(table.space_key("another"), kRetention, kNow));
}

TEST(SpaceRegistryTest, SettlesACandidateThatItsProcessCouldNot) {
  const TableMemory memory(64);
  const VisitorTable table = memory.table();
  const TableView view = TableView::over(memory.bytes()).value();
  const SpaceKey key = table.space_key("a");
  const auto plant = [&](std::uint32_t index, SlotState state) {
    view.spaces[index].key_low = key.low;
    view.spaces[index].key_high = key.high;
    view.spaces[index].word = SlotWord(state, 0, to_slot_time(kNow), 1).bits();
  };
  plant(20, SlotState::extension);
  EXPECT_EQ(table.open_space(key, kRetention, kNow)->number, 20);
  EXPECT_EQ(table.usage().spaces, 1U);
  plant(11, SlotState::extension);  // a candidate against an active one
  EXPECT_EQ(table.open_space(key, kRetention, kNow)->number, 20);
  view.spaces[20].word = 0;
  plant(25, SlotState::extension);  // two candidates
  EXPECT_EQ(table.open_space(key, kRetention, kNow)->number, 11);
  EXPECT_EQ(table.usage().spaces, 1U);
}

TEST(SpaceRegistryTest, ProcessesThatOpenANewKeyAtOnceGetTheSameSpace) {
  constexpr int kProcesses = 6;
  constexpr int kKeys = 400;
  const TableMemory memory(65536);
  const SharedArray<std::atomic<int>> numbers(kProcesses * kKeys);
  const SharedArray<std::atomic<int>> arrived(kKeys);
  std::vector<pid_t> children;
  for (int p = 0; p < kProcesses; ++p) {
    const pid_t pid = fork();
    if (pid == 0) {
      const VisitorTable table = memory.table(static_cast<LaneIndex>(p));
      for (int k = 0; k < kKeys; ++k) {
        arrived[static_cast<std::size_t>(k)].fetch_add(1);
        while (arrived[static_cast<std::size_t>(k)].load() < kProcesses) {
          usleep(1);
        }
        numbers[static_cast<std::size_t>(p * kKeys + k)] = open_space(table, "k" + std::to_string(k), kNow).number + 1;
      }
      _exit(0);
    }
    children.push_back(pid);
  }
  for (const pid_t pid : children) {
    int status = 0;
    ASSERT_EQ(waitpid(pid, &status, 0), pid);
    EXPECT_EQ(status, 0);
  }
  std::set<int> different;
  for (int k = 0; k < kKeys; ++k) {
    for (int p = 0; p < kProcesses; ++p) {
      EXPECT_EQ(numbers[static_cast<std::size_t>(p * kKeys + k)], numbers[static_cast<std::size_t>(k)]) << "key " << k;
    }
    different.insert(numbers[static_cast<std::size_t>(k)]);
  }
  EXPECT_EQ(different.size(), static_cast<std::size_t>(kKeys));
  EXPECT_EQ(memory.table().usage().spaces, static_cast<std::uint32_t>(kKeys));
}

}  // namespace
}  // namespace presence
