// Several processes, and several threads, that write to one table at once. The threads are there for ThreadSanitizer,
// which sees one process only.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "unit/visitors/table_memory.h"
#include "visitors/visitor_table.h"

namespace presence {
namespace {

constexpr UnixTime kNow = 1'800'000'000;

TEST(VisitorTableConcurrencyTest, ProcessesThatRecordTheSameNewVisitorsLeaveOneOfEach) {
  constexpr int kProcesses = 6;
  constexpr int kVisitors = 1500;
  const TableMemory memory(4000);
  const SharedArray<std::atomic<int>> arrived(kVisitors);
  std::vector<pid_t> children;
  for (int p = 0; p < kProcesses; ++p) {
    const pid_t pid = fork();
    if (pid == 0) {
      const VisitorTable table = memory.table(static_cast<LaneIndex>(p));
      const Space space = open_space(table, "a", kNow);
      for (int v = 0; v < kVisitors; ++v) {
        const std::string id = v % 7 == 0 ? std::string(200, 'l') + std::to_string(v) : std::to_string(v);
        if (v % 10 == 0) {  // meet every now and then, so that nobody runs ahead
          arrived[static_cast<std::size_t>(v)].fetch_add(1);
          while (arrived[static_cast<std::size_t>(v)].load() < kProcesses) {
            usleep(1);
          }
        }
        if (table.record(space, id, kNow) != Recorded::yes || !table.last_seen(space, id)) {
          _exit(1);
        }
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
  const VisitorTable table = memory.table(100);
  const std::vector<std::string> ids = table.ids(*table.find_space(table.space_key("a")), 0);
  EXPECT_EQ(ids.size(), static_cast<std::size_t>(kVisitors));
  EXPECT_EQ(std::set<std::string>(ids.begin(), ids.end()).size(), ids.size());
}

TEST(VisitorTableConcurrencyTest, ThreadsThatDoEverythingAtOnceLoseNoVisitor) {
  constexpr std::size_t kThreads = 4;
  constexpr int kKept = 60;
  const TableMemory memory(4000);  // 240 spaces
  std::atomic<UnixTime> clock{kNow * 64};
  const auto kept_id = [](int number) {
    return number % 4 == 0 ? std::string(100, 'k') + std::to_string(number) : "kept-" + std::to_string(number);
  };
  const auto work = [&](std::size_t thread) {
    const VisitorTable table = memory.table(static_cast<LaneIndex>(thread));
    std::mt19937 random(static_cast<std::uint_fast32_t>(thread));
    for (int i = 0; i < 4000; ++i) {
      const UnixTime now = clock.fetch_add(1) / 64;
      const Space space = open_space(table, "a", now);
      EXPECT_EQ(table.record(space, kept_id(static_cast<int>(random() % kKept)), now), Recorded::yes);
      const std::string brief = std::string(random() % 8 == 0 ? 120 : 3, 'b') + std::to_string(random() % 10);
      switch (random() % 8) {
        case 0: table.forget(space, brief); break;
        case 1: (void)table.replace(space, brief, "b2", 0, now); break;
        case 2: (void)table.last_seen(space, brief); break;
        case 3:
          for (const std::string& id : table.ids(space, 0)) {
            EXPECT_TRUE(id.starts_with("k") || id.starts_with("b")) << id;
          }
          break;
        case 4: (void)table.count(space, now); break;
        case 5: {  // more rooms than spaces, each soon idle beyond its retention: taken over all the time
          const auto room = table.open_space(table.space_key("room" + std::to_string(random() % 400)), 1, now);
          if (room) {
            (void)table.record(*room, "visitor", now);
          }
          break;
        }
        default: (void)table.record(space, brief, now);
      }
    }
  };
  std::vector<std::thread> threads;
  for (std::size_t thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back(work, thread);
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  const VisitorTable table = memory.table(100);
  const Space space = table.find_space(table.space_key("a")).value();
  for (int number = 0; number < kKept; ++number) {
    EXPECT_TRUE(table.last_seen(space, kept_id(number))) << number;
  }
  const std::vector<std::string> ids = table.ids(space, 0);
  EXPECT_EQ(std::set<std::string>(ids.begin(), ids.end()).size(), ids.size());
  EXPECT_EQ(table.usage().evicted_live, 0U);
}

}  // namespace
}  // namespace presence
