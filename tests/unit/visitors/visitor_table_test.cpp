#include "visitors/visitor_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <unordered_map>

#include "unit/visitors/table_memory.h"

namespace presence {
namespace {

constexpr UnixTime kNow = 1'800'000'000;

std::set<std::string> id_set(const VisitorTable& table, Space space, UnixTime since) {
  const std::vector<std::string> ids = table.ids(space, since);
  std::set<std::string> set(ids.begin(), ids.end());
  EXPECT_EQ(set.size(), ids.size()) << "an id twice";
  return set;
}

std::string id_of_length(std::size_t length, char last) {
  std::string id;
  for (std::size_t i = 0; i < length; ++i) {
    id += static_cast<char>('a' + i % 23);
  }
  id.back() = last;
  return id;
}

TEST(VisitorTableTest, TakesAtMost96BytesAVisitor) {
  for (const std::uint32_t visitors : {100'000U, 1'000'000U}) {
    EXPECT_LE(static_cast<double>(VisitorTable::section(visitors).size) / visitors, 96.0) << visitors;
  }
}

TEST(VisitorTableTest, RefusesBytesThatHoldNoTable) {
  const TableMemory memory(1000);
  const auto refused = [](std::span<std::byte> bytes) {
    const auto table = VisitorTable::attach(bytes, 1, 0, [](LaneIndex) { return true; });
    return !table && table.error().code == ErrorCode::damaged;
  };
  EXPECT_TRUE(refused({}));
  EXPECT_TRUE(refused(memory.bytes().first(64)));
  EXPECT_TRUE(refused(memory.bytes().first(memory.bytes().size() - 1)));
  EXPECT_FALSE(refused(memory.bytes()));
  auto* header = reinterpret_cast<TableHeader*>(memory.bytes().data());
  header->max_visitors = 0xFFFFFFFF;
  EXPECT_TRUE(refused(memory.bytes()));
  header->max_visitors = 2000;
  EXPECT_TRUE(refused(memory.bytes())) << "would reach beyond the section";
  header->max_visitors = 1000;
  header->magic ^= 1;
  EXPECT_TRUE(refused(memory.bytes()));
}

TEST(VisitorTableTest, RemembersWhenAVisitorWasSeen) {
  const TableMemory memory(1000);
  const VisitorTable table = memory.table();
  const Space space = open_space(table, "users:online", kNow);
  EXPECT_FALSE(table.last_seen(space, "42"));
  EXPECT_EQ(table.record(space, "42", kNow), Recorded::yes);
  EXPECT_EQ(table.last_seen(space, "42"), kNow);
  EXPECT_EQ(table.record(space, "42", kNow + 9), Recorded::yes);
  EXPECT_EQ(table.last_seen(space, "42"), kNow + 9);
  EXPECT_EQ(table.count(space, 0), 1);
}

TEST(VisitorTableTest, CountsFromTheVerySecondOn) {
  const TableMemory memory(1000);
  const VisitorTable table = memory.table();
  const Space space = open_space(table, "users:online", kNow);
  EXPECT_EQ(table.record(space, "at", kNow - 300), Recorded::yes);
  EXPECT_EQ(table.record(space, "before", kNow - 301), Recorded::yes);
  EXPECT_EQ(table.count(space, kNow - 300), 1);
  EXPECT_EQ(id_set(table, space, kNow - 300), std::set<std::string>{"at"});
  EXPECT_EQ(table.count(space, kNow - 299), 0);
  EXPECT_EQ(table.count(space, kNow - 301), 2);
}

TEST(VisitorTableTest, FollowsAClockThatIsSetBack) {
  const TableMemory memory(1000);
  const VisitorTable table = memory.table();
  const Space space = open_space(table, "users:online", kNow);
  EXPECT_EQ(table.record(space, "a", kNow), Recorded::yes);
  EXPECT_EQ(table.record(space, "b", kNow), Recorded::yes);
  EXPECT_EQ(table.record(space, "a", kNow - 86400), Recorded::yes);
  EXPECT_EQ(table.last_seen(space, "a"), kNow - 86400);
  EXPECT_EQ(table.count(space, kNow - 86400 - 300, kNow - 86400 + kMaxSkew), 1);
  EXPECT_EQ(table.ids(space, kNow - 86400 - 300, kNow - 86400 + kMaxSkew), std::vector<std::string>{"a"});
  table.purge(space, 0, kNow - 86400 + kMaxSkew);
  EXPECT_FALSE(table.last_seen(space, "b"));
  EXPECT_TRUE(table.last_seen(space, "a"));
}

TEST(VisitorTableTest, WhoIsAheadOfTheClockMakesRoomBeforeAnybodyElse) {
  const TableMemory memory(64);
  const VisitorTable table = memory.table();
  const Space space = open_space(table, "users:online", kNow);
  for (int i = 0; i < 200; ++i) {
    (void)table.record(space, "late" + std::to_string(i), kNow + 86400);
  }
  const std::uint64_t pushed_out = table.usage().evicted_live;
  for (int i = 0; i < 40; ++i) {
    ASSERT_EQ(table.record(space, std::to_string(i), kNow + kMaxSkew * static_cast<std::uint32_t>(i % 2)),
              Recorded::yes);
  }
  EXPECT_EQ(table.usage().evicted_live, pushed_out) << "nobody real had to go";
  EXPECT_EQ(table.count(space, kNow - 300, kNow + kMaxSkew), 40);
}

TEST(VisitorTableTest, ATimeThatIsAheadIsNotTheLaterOne) {
  const TableMemory memory(64);
  const VisitorTable table = memory.table();
  const Space space = open_space(table, "users:online", kNow);
  (void)table.record(space, "guest", kNow - 10);
  (void)table.record(space, "user", kNow + 86400);
  EXPECT_EQ(table.replace(space, "guest", "user", kNow - 300, kNow), Recorded::yes);
  EXPECT_EQ(table.last_seen(space, "user"), kNow - 10);
  (void)table.record(space, "guest", kNow + 86400);
  EXPECT_EQ(table.replace(space, "guest", "user", kNow - 300, kNow), Recorded::yes);
  EXPECT_EQ(table.last_seen(space, "user"), kNow - 10);
}

TEST(VisitorTableTest, KeepsTimesFrom1970To2106) {
  const TableMemory memory(1000);
  const VisitorTable table = memory.table();
  const Space space = open_space(table, "users:online", 0);
  for (const UnixTime time :
       {UnixTime{0}, UnixTime{1}, UnixTime{0x7FFFFFFF}, UnixTime{0x80000000}, UnixTime{0xFFFFFFFF}}) {
    EXPECT_EQ(table.record(space, "a", time), Recorded::yes);
    EXPECT_EQ(table.last_seen(space, "a"), time);
    EXPECT_EQ(table.count(space, time), 1);
    EXPECT_EQ(table.count(space, time - 3600), 1) << "also where that is before 1970";
    if (time < 0xFFFFFFFF) {
      EXPECT_EQ(table.count(space, time + 1), 0);
    }
  }
  EXPECT_EQ(table.record(space, "a", -5), Recorded::yes);
  EXPECT_EQ(table.last_seen(space, "a"), 0);
  EXPECT_EQ(table.record(space, "a", UnixTime{1} << 40), Recorded::yes);
  EXPECT_EQ(table.last_seen(space, "a"), 0xFFFFFFFF);
}

TEST(VisitorTableTest, TellsIdsOfAnyLengthAndBytesApart) {
  const TableMemory memory(4000);
  const VisitorTable table = memory.table();
  const Space space = open_space(table, "users:online", kNow);
  std::set<std::string> ids{"a",     "b",    "0",        "-1", "42", "042", "4", "2", "-9223372036854775808",
                            "héllo", "漢字", "\xFF\xFE", " ",  "\n"};
  for (std::size_t length = 2; length <= 250; ++length) {
    ids.insert(id_of_length(length, 'X'));
    ids.insert(id_of_length(length, 'Y'));
    std::string other = id_of_length(length, 'X');
    other[0] = 'Z';
    ids.insert(other);
  }
  for (const std::string& id : ids) {
    EXPECT_FALSE(table.last_seen(space, id)) << id.size();
    EXPECT_EQ(table.record(space, id, kNow), Recorded::yes);
    EXPECT_EQ(table.record(space, id, kNow + 1), Recorded::yes);
  }
  EXPECT_EQ(table.count(space, kNow + 1), static_cast<std::int64_t>(ids.size()));
  EXPECT_EQ(id_set(table, space, kNow), ids);
  EXPECT_EQ(table.usage().evicted_live, 0U);
}

TEST(VisitorTableTest, LongIdsTakeExtensionsAndGiveThemBack) {
  const TableMemory memory(1000);
  const VisitorTable table = memory.table();
  const Space space = open_space(table, "users:online", kNow);
  const std::pair<std::size_t, std::uint64_t> cases[] = {{1, 0},   {56, 0},  {57, 1},  {64, 1},  {116, 1}, {117, 2},
                                                         {176, 2}, {177, 3}, {236, 3}, {237, 4}, {250, 4}};
  for (const auto& [length, extensions] : cases) {
    const std::string id = id_of_length(length, '!');
    EXPECT_EQ(table.record(space, id, kNow), Recorded::yes);
    EXPECT_EQ(table.usage().extensions, extensions) << length;
    EXPECT_EQ(id_set(table, space, kNow), std::set<std::string>{id}) << length;
    table.forget(space, id);
    EXPECT_EQ(table.usage().extensions, 0U) << length;
    EXPECT_EQ(table.usage().visitors, 0U) << length;
  }
}

TEST(VisitorTableTest, LongIdsThatComeAndGoNeverFillTheTable) {
  const TableMemory memory(200);
  const VisitorTable table = memory.table();
  const Space space = open_space(table, "users:online", kNow, 60);
  // Ten new ones each 61 seconds: those before are expired and never taken out by hand.
  for (int round = 0; round < 200; ++round) {
    const UnixTime now = kNow + 61 * round;
    std::set<std::string> ids;
    for (int i = 0; i < 10; ++i) {
      ids.insert(id_of_length(250, 'x') + std::to_string(1000 * round + i));
    }
    std::set<std::string> trimmed;
    for (const std::string& id : ids) {
      trimmed.insert(id.substr(id.size() - 250));
    }
    for (const std::string& id : trimmed) {
      EXPECT_EQ(table.record(space, id, now), Recorded::yes);
    }
    ASSERT_EQ(id_set(table, space, now), trimmed) << round;
  }
  EXPECT_EQ(table.usage().evicted_live, 0U);
  EXPECT_GT(table.usage().evicted_expired, 0U);
}

TEST(VisitorTableTest, HoldsAllVisitorsItIsMadeFor) {
  for (const std::uint32_t visitors : {1000U, 20'000U, 200'000U}) {
    const TableMemory memory(visitors);
    const VisitorTable table = memory.table();
    const Space space = open_space(table, "users:online", kNow);
    for (std::uint32_t i = 0; i < visitors; ++i) {
      EXPECT_EQ(table.record(space, "visitor-" + std::to_string(i), kNow), Recorded::yes);
    }
    const auto count = static_cast<std::uint64_t>(table.count(space, kNow));
    EXPECT_EQ(count + table.usage().evicted_live, visitors) << "each one pushed out is counted";
    EXPECT_LE(table.usage().evicted_live, visitors / 5000) << visitors;
  }
}

TEST(VisitorTableTest, HoldsAllLivingVisitorsWhileOthersComeAndGo) {
  constexpr int kVisitors = 20'000;
  const TableMemory memory(kVisitors);
  const VisitorTable table = memory.table();
  const Space space = open_space(table, "users:online", kNow, 199);
  for (int i = 0; i < 6 * kVisitors; ++i) {  // a hundred a second, each living for 200 seconds
    EXPECT_EQ(table.record(space, std::to_string(i), kNow + i / 100), Recorded::yes);
  }
  EXPECT_LE(table.usage().evicted_live, 6 * kVisitors / 5000);
  EXPECT_GE(table.count(space, kNow + 6 * kVisitors / 100 - 200), kVisitors * 9998 / 10'000);
}

TEST(VisitorTableTest, AFullTablePushesOutTheExpiredBeforeAnyLivingVisitor) {
  const TableMemory memory(1000);
  const VisitorTable table = memory.table();
  const Space space = open_space(table, "users:online", kNow, 600);
  for (int i = 0; i < 5000; ++i) {  // five times what fits, so each slot is taken
    EXPECT_EQ(table.record(space, "old-" + std::to_string(i), kNow), Recorded::yes);
  }
  const std::uint64_t evicted_before = table.usage().evicted_live;
  EXPECT_GE(evicted_before, 3000U);
  for (int i = 0; i < 800; ++i) {
    EXPECT_EQ(table.record(space, "new-" + std::to_string(i), kNow + 601), Recorded::yes);
  }
  EXPECT_EQ(table.count(space, kNow + 601), 800);
  EXPECT_EQ(table.usage().evicted_live, evicted_before);
  EXPECT_GE(table.usage().evicted_expired, 700U);
}

TEST(VisitorTableTest, WithoutExpiredOnesTheLeastRecentlySeenGoesAndIsCounted) {
  const TableMemory memory(64);
  const VisitorTable table = memory.table();
  const Space space = open_space(table, "users:online", kNow);
  for (int i = 0; i < 2000; ++i) {
    EXPECT_EQ(table.record(space, std::to_string(i), kNow + i), Recorded::yes);
    EXPECT_EQ(table.last_seen(space, std::to_string(i)), kNow + i) << "whoever comes is there";
  }
  const VisitorTableUsage usage = table.usage();
  EXPECT_EQ(usage.visitors + usage.evicted_live, 2000U);
  EXPECT_EQ(usage.visitors, 80U) << "every slot is in use";
  // Of 80 slots the oldest of 32 goes each time, so those seen last are all there.
  for (int i = 1980; i < 2000; ++i) {
    EXPECT_TRUE(table.last_seen(space, std::to_string(i))) << i;
  }
}

TEST(VisitorTableTest, APurgeTakesOutOnlyThoseBefore) {
  const TableMemory memory(1000);
  const VisitorTable table = memory.table();
  const Space space = open_space(table, "a", kNow);
  const Space other = open_space(table, "b", kNow);
  EXPECT_EQ(table.record(space, "at", kNow), Recorded::yes);
  EXPECT_EQ(table.record(space, "before", kNow - 1), Recorded::yes);
  EXPECT_EQ(table.record(space, std::string(250, 'x'), kNow - 1), Recorded::yes);
  EXPECT_EQ(table.record(other, "before", kNow - 1), Recorded::yes);
  table.purge(space, kNow);
  EXPECT_EQ(id_set(table, space, 0), std::set<std::string>{"at"});
  EXPECT_EQ(id_set(table, other, 0), std::set<std::string>{"before"});
  EXPECT_EQ(table.usage().extensions, 0U);
  table.purge(space, 0);
  table.purge(space, -1);
  EXPECT_EQ(table.count(space, 0), 1);
}

TEST(VisitorTableTest, ReplaceKeepsTheLaterTime) {
  const TableMemory memory(1000);
  const VisitorTable table = memory.table();
  const Space space = open_space(table, "a", kNow);
  const auto replace = [&](std::string_view from, std::string_view to) {
    EXPECT_EQ(table.replace(space, from, to, kNow - 3600, kNow), Recorded::yes);
  };
  EXPECT_EQ(table.record(space, "guest", kNow - 10), Recorded::yes);
  replace("guest", "user");
  EXPECT_FALSE(table.last_seen(space, "guest"));
  EXPECT_EQ(table.last_seen(space, "user"), kNow - 10);

  EXPECT_EQ(table.record(space, "guest", kNow - 5), Recorded::yes);
  replace("guest", "user");
  EXPECT_EQ(table.last_seen(space, "user"), kNow - 5);

  EXPECT_EQ(table.record(space, "guest", kNow - 20), Recorded::yes);
  replace("guest", "user");
  EXPECT_EQ(table.last_seen(space, "user"), kNow - 5);

  replace("nobody", "user2");
  EXPECT_FALSE(table.last_seen(space, "user2"));
  replace("user", "user");
  EXPECT_EQ(table.last_seen(space, "user"), kNow - 5);

  EXPECT_EQ(table.record(space, "expired", kNow - 3601), Recorded::yes);
  replace("expired", "user3");
  EXPECT_FALSE(table.last_seen(space, "user3"));
  EXPECT_EQ(table.count(space, 0), 1);
}

TEST(VisitorTableTest, ADuplicateLeftByAKillGoesWithTheNextVisit) {
  const TableMemory memory(1000);
  const VisitorTable table = memory.table();
  const Space space = open_space(table, "a", kNow);
  // What two processes leave that both insert, and of which one is killed before it looks again.
  const TableView view = TableView::over(memory.bytes()).value();
  const Slots slots(view, 0, [](LaneIndex) { return true; });
  const VisitorKey key(space.number, "twice", TableMemory::kSeed, view.geometry.buckets);
  ASSERT_TRUE(slots.insert(key, to_slot_time(kNow), to_slot_time(kNow)));
  ASSERT_TRUE(slots.insert(key, to_slot_time(kNow + 1), to_slot_time(kNow)));
  ASSERT_EQ(table.count(space, kNow), 2);
  EXPECT_EQ(table.last_seen(space, "twice"), kNow + 1);
  EXPECT_EQ(table.record(space, "twice", kNow + 2), Recorded::yes);
  EXPECT_EQ(table.count(space, 0), 1);
  EXPECT_EQ(table.last_seen(space, "twice"), kNow + 2);

  ASSERT_TRUE(slots.insert(key, to_slot_time(kNow), to_slot_time(kNow)));
  table.forget(space, "twice");
  EXPECT_EQ(table.count(space, 0), 0);
}

TEST(VisitorTableTest, AgreesWithAMapOverARandomHistory) {
  const TableMemory memory(20'000);
  const VisitorTable table = memory.table();
  std::mt19937 random(7);
  const std::string names[] = {"users:online", "users:online:room:a", "shop"};
  std::unordered_map<std::string, UnixTime> model[3];
  Space spaces[3];
  for (int s = 0; s < 3; ++s) {
    spaces[s] = open_space(table, names[s], kNow);
  }
  const auto pick = [&random](std::uint32_t below) { return static_cast<int>(random() % below); };
  const auto id = [&] {
    const int number = pick(800);
    return number % 10 == 0 ? std::string(static_cast<std::size_t>(57 + number % 190), 'l') + std::to_string(number)
                            : std::to_string(number);
  };
  UnixTime now = kNow;
  for (int step = 0; step < 60'000; ++step) {
    const int s = pick(3);
    auto& expected = model[s];
    now += pick(50) == 0 ? pick(120) - 20 : 0;
    switch (pick(12)) {
      case 0: {
        const std::string gone = id();
        table.forget(spaces[s], gone);
        expected.erase(gone);
        break;
      }
      case 1: {
        const std::string from = id();
        const std::string to = id();
        EXPECT_EQ(table.replace(spaces[s], from, to, 0, now), Recorded::yes);
        if (const auto it = expected.find(from); it != expected.end() && from != to) {
          const UnixTime time = it->second;
          expected.erase(it);
          expected[to] = std::max(expected[to], time);
        }
        break;
      }
      case 2: {
        const std::string asked = id();
        const auto it = expected.find(asked);
        const auto seen = table.last_seen(spaces[s], asked);
        ASSERT_EQ(seen.value_or(-1), it == expected.end() ? -1 : it->second) << step;
        break;
      }
      case 3:
        if (pick(100) == 0) {
          const UnixTime before = now - pick(2000);
          table.purge(spaces[s], before);
          std::erase_if(expected, [before](const auto& entry) { return entry.second < before; });
        }
        break;
      default: {
        const std::string visitor = id();
        ASSERT_EQ(table.record(spaces[s], visitor, now), Recorded::yes);
        expected[visitor] = now;
      }
    }
    if (step % 500 == 0) {
      const UnixTime since = now - pick(600);
      std::set<std::string> online;
      for (const auto& [visitor, time] : expected) {
        if (time >= since) {
          online.insert(visitor);
        }
      }
      ASSERT_EQ(table.count(spaces[s], since), static_cast<std::int64_t>(online.size())) << step;
      ASSERT_EQ(id_set(table, spaces[s], since), online) << step;
    }
  }
  EXPECT_EQ(table.usage().evicted_live, 0U);
}

}  // namespace
}  // namespace presence
