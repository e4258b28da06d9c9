// Processes that count are killed at random while minutes are sealed under them.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstring>
#include <random>

#include "unit/counters/counting_fixture.h"

namespace presence {
namespace {

class CountingKillTest : public CountingFixture {
 protected:
  // Its lane is given back before the segment may be opened anew.
  void damage_between_adds(std::mt19937& random) {
    Adder adder = accumulator();
    for (int i = 0; i < 200; ++i) {
      (void)adder.add({0, "series", std::to_string(random() % 300)}, 1);
    }
    const std::span<std::byte> bytes = segment_->section(SectionId::minutes);
    for (int flips = 0; flips < 200; ++flips) {
      // The first quarter holds most of what is in use; max_series itself is only read when a process attaches.
      const std::size_t at = 64 + random() % (bytes.size() / 8);
      bytes[at] = static_cast<std::byte>(random());
    }
    for (int i = 0; i < 200; ++i) {
      (void)adder.add({0, "series", std::to_string(random() % 300)}, 1);
    }
    take_all();
    for (std::uint32_t number = 0; number < MinuteTables::kTables; ++number) {
      (void)tables_->table(number).series();
    }
  }
};

constexpr int kProcesses = 6;
constexpr int kKills = 300;
constexpr int kSeries = 40;

/// What the processes write down: how many adds returned, for each process place.
struct Ledger {
  std::array<std::atomic<std::int64_t>, kProcesses> returned;
  std::array<std::atomic<std::int64_t>, kProcesses> refused;
};

TEST_F(CountingKillTest, EveryAddThatReturnedIsThereOnceAndNobodyElseIsHeldUp) {
  auto* ledger =
      static_cast<Ledger*>(mmap(nullptr, sizeof(Ledger), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(ledger, MAP_FAILED);

  const auto start = [&](int place) {
    const pid_t child = fork();
    if (child == 0) {
      Adder adder = accumulator();
      std::mt19937 random(static_cast<unsigned>(getpid()));
      for (;;) {
        const std::string argument = std::to_string(random() % kSeries);
        if (adder.add({0, "series", argument}, 2)) {
          ledger->returned[static_cast<std::size_t>(place)].fetch_add(1, std::memory_order_relaxed);
        } else {
          ledger->refused[static_cast<std::size_t>(place)].fetch_add(1, std::memory_order_relaxed);
        }
      }
    }
    return child;
  };

  std::array<pid_t, kProcesses> children{};
  for (int i = 0; i < kProcesses; ++i) {
    children[static_cast<std::size_t>(i)] = start(i);
  }
  std::mt19937 random(7);
  std::int64_t count = 0;
  double total = 0;
  const auto take = [&] {
    for (const auto& [key, sums] : take_sums()) {
      count += sums.count;
      total += sums.total;
    }
  };
  for (int i = 0; i < kKills; ++i) {
    usleep(static_cast<useconds_t>(random() % 2000));
    const std::size_t victim = random() % kProcesses;
    kill(children[victim], SIGKILL);
    if (i % 3 != 0) {
      take();  // sometimes while the victim may still be dying
    }
    waitpid(children[victim], nullptr, 0);
    children[victim] = start(static_cast<int>(victim));
  }
  for (const pid_t child : children) {
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
  }
  for (int i = 0; i < 3; ++i) {
    take();
  }

  std::int64_t returned = 0;
  for (const auto& of_process : ledger->returned) {
    returned += of_process.load();
  }
  constexpr std::int64_t kCutOff = kKills + kProcesses;  // each kill may have cut off one add
  EXPECT_GT(returned, 10'000);
  EXPECT_GE(count, returned);
  EXPECT_LE(count, returned + kCutOff);
  EXPECT_GE(total, 2.0 * static_cast<double>(returned));
  EXPECT_LE(total, 2.0 * static_cast<double>(returned + kCutOff));
  for (std::uint32_t number = 0; number < MinuteTables::kTables; ++number) {
    EXPECT_EQ(tables_->table(number).state().phase(), TablePhase::free) << number;
  }
  RecordProperty("adds", std::to_string(returned));
  munmap(ledger, sizeof(Ledger));
}

TEST_F(CountingKillTest, RandomlyDamagedTablesNeverCrashOrHang) {
  std::mt19937 random(11);
  for (int round = 0; round < 300; ++round) {
    damage_between_adds(random);
    open(1024 + static_cast<std::uint32_t>(round) % 7);
  }
}

}  // namespace
}  // namespace presence
