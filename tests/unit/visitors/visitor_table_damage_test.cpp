// A table whose bytes are damaged: every call comes back, whatever it answers, and touches nothing outside.
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "unit/visitors/table_memory.h"
#include "visitors/visitor_table.h"

namespace presence {
namespace {

constexpr UnixTime kNow = 1'800'000'000;

void use_everything(const VisitorTable& table, std::mt19937& random) {
  const std::uint32_t number = random() % 4;
  const std::string name = "key" + std::to_string(number);
  const auto space = table.open_space(table.space_key(name), 3600, kNow);
  if (!space) {
    return;
  }
  for (int i = 0; i < 20; ++i) {
    const std::size_t length = random() % 3 == 0 ? 57 + random() % 194 : 1 + random() % 56;
    const std::string id(length, static_cast<char>('a' + random() % 8));
    (void)table.record(*space, id, kNow + random() % 5000);
    (void)table.last_seen(*space, id);
    (void)table.replace(*space, id, id + "2", 0, kNow);
    table.forget(*space, id);
    (void)table.record(*space, id, kNow + random() % 5000);
  }
  for (const std::string& id : table.ids(*space, 0)) {
    EXPECT_GE(id.size(), 1U);
    EXPECT_LE(id.size(), 250U);
  }
  (void)table.count(*space, 0);
  (void)table.usage();
  if (random() % 8 == 0) {
    table.purge(*space, kNow + 2500);
  }
}

TEST(VisitorTableDamageTest, RandomBitFlipsAnywhereNeitherCrashNorHang) {
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    std::mt19937 random(seed);
    const TableMemory memory(64 + seed % 3 * 300);
    const VisitorTable table = memory.table(3, [&random](LaneIndex) { return random() % 2 == 0; });
    const std::span<std::byte> bytes = memory.bytes();
    const std::size_t header = sizeof(TableHeader);
    for (int round = 0; round < 60; ++round) {
      use_everything(table, random);
      for (int flip = 0; flip < 200; ++flip) {
        bytes[header + random() % (bytes.size() - header)] ^= static_cast<std::byte>(1U << random() % 8);
      }
    }
  }
}

TEST(VisitorTableDamageTest, ATableOfNoiseIsStillBounded) {
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    std::mt19937 random(seed);
    const TableMemory memory(500);
    const VisitorTable table = memory.table(3, [&random](LaneIndex) { return random() % 2 == 0; });
    const std::span<std::byte> bytes = memory.bytes();
    for (std::size_t i = sizeof(TableHeader); i < bytes.size(); ++i) {
      bytes[i] = static_cast<std::byte>(random());
    }
    for (int round = 0; round < 10; ++round) {
      use_everything(table, random);
    }
  }
}

TEST(VisitorTableDamageTest, HeaderNumbersAreReadOnce) {
  const TableMemory memory(500);
  const VisitorTable table = memory.table();
  const Space space = open_space(table, "a", kNow);
  EXPECT_EQ(table.record(space, "42", kNow), Recorded::yes);
  std::memset(memory.bytes().data(), 0xFF, 64);
  EXPECT_EQ(table.last_seen(space, "42"), kNow);
  EXPECT_EQ(table.count(space, 0), 1);
}

TEST(VisitorTableDamageTest, AllSlotsLeftInWritingByTheDeadAreTakenOver) {
  const TableMemory memory(500);
  bool lane_9_lives = true;
  const VisitorTable table = memory.table(0, [&](LaneIndex) { return lane_9_lives; });
  const Space space = open_space(table, "a", kNow);
  const TableView view = TableView::over(memory.bytes()).value();
  for (std::uint32_t slot = 0; slot < view.geometry.slots; ++slot) {
    view.words[slot] = SlotWord(SlotState::writing, 9, 0, slot).bits();
  }
  EXPECT_EQ(table.record(space, "42", kNow), Recorded::no_room) << "nobody takes a slot from the living";
  EXPECT_EQ(table.usage().refused, 1U);
  EXPECT_EQ(table.count(space, 0), 0);
  lane_9_lives = false;
  for (int i = 0; i < 500; ++i) {
    EXPECT_EQ(table.record(space, std::to_string(i), kNow), Recorded::yes);
  }
  EXPECT_EQ(table.count(space, kNow), 500);
}

TEST(VisitorTableDamageTest, TheNextHolderOfALaneFreesWhatTheLastOneLeft) {
  const TableMemory memory(500);
  const TableView view = TableView::over(memory.bytes()).value();
  for (std::uint32_t i = 0; i < LaneJournal::kSlots; ++i) {
    view.words[10 * i] = SlotWord(SlotState::writing, 4, 0, 1).bits();
    view.journals[4].slots[i] = 10 * i + 1;
  }
  view.words[30] = SlotWord(SlotState::writing, 5, 0, 1).bits();  // taken over by another lane meanwhile
  const VisitorTable table = memory.table(4);
  EXPECT_EQ(table.record(open_space(table, "a", kNow), "42", kNow), Recorded::yes);
  for (std::uint32_t i = 0; i < LaneJournal::kSlots; ++i) {
    const SlotState state = SlotWord(view.words[10 * i]).state();
    EXPECT_EQ(state == SlotState::writing, i == 3) << i;
    EXPECT_EQ(view.journals[4].slots[i], 0U);
  }
}

}  // namespace
}  // namespace presence
