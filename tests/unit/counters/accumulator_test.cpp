#include "counters/accumulator.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <thread>
#include <vector>

#include "unit/counters/counting_fixture.h"

namespace presence {
namespace {

class AccumulatorTest : public CountingFixture {};

TEST_F(AccumulatorTest, SumsCountsAndKeepsTheExtremes) {
  Adder adder = accumulator();
  for (const double value : {3.0, -1.5, 10.25}) {
    ASSERT_TRUE(adder.add({0, "name", "argument"}, value));
  }
  const auto sums = take_sums();
  ASSERT_EQ(sums.size(), 1U);
  const Sums& of_series = sums.at({"name", "argument"});
  EXPECT_EQ(of_series.total, 11.75);
  EXPECT_EQ(of_series.count, 3);
  EXPECT_EQ(of_series.minimum, -1.5);
  EXPECT_EQ(of_series.maximum, 10.25);
}

TEST_F(AccumulatorTest, KeepsSeriesApart) {
  Adder adder = accumulator();
  ASSERT_TRUE(adder.add({0, "a", std::nullopt}, 1));
  ASSERT_TRUE(adder.add({0, "a", ""}, 2));
  ASSERT_TRUE(adder.add({0, "a", "b"}, 3));
  ASSERT_TRUE(adder.add({0, "ab", ""}, 4));
  ASSERT_TRUE(adder.add({0, std::string_view("a\0b", 3), std::nullopt}, 5));
  const auto sums = take_sums();
  EXPECT_EQ(sums.size(), 5U);
  EXPECT_EQ(sums.at({"a", "(none)"}).total, 1);
  EXPECT_EQ(sums.at({"a", ""}).total, 2);
  EXPECT_EQ(sums.at({"a", "b"}).total, 3);
  EXPECT_EQ(sums.at({"ab", ""}).total, 4);
}

TEST_F(AccumulatorTest, KnownSeriesAreAddedToAndOthersAreNot) {
  Adder adder = accumulator();
  EXPECT_FALSE(adder.add_known({0, "name", std::nullopt}, 1));
  ASSERT_TRUE(adder.add({0, "name", std::nullopt}, 1));
  EXPECT_TRUE(adder.add_known({0, "name", std::nullopt}, 1));
  EXPECT_FALSE(adder.add_known({0, "name", "x"}, 1));
  EXPECT_EQ(take_sums().at({"name", "(none)"}).count, 2);
  EXPECT_FALSE(adder.add_known({0, "name", std::nullopt}, 1)) << "its table is gone";
}

TEST_F(AccumulatorTest, AllSeriesOfAMinuteStayKnown) {
  open(8192);
  auto adder = accumulator();
  constexpr int kSeries = 8000;
  std::vector<std::string> names;
  for (int i = 0; i < kSeries; ++i) {
    names.push_back("series-" + std::to_string(i));
    // Names with an argument, too: it must not matter where one ends and the other begins.
    ASSERT_TRUE(i % 2 == 0 ? adder.add({0, names.back(), std::nullopt}, 1) : adder.add({0, "s", names.back()}, 1));
  }
  for (int round = 0; round < 10; ++round) {
    for (int i = 0; i < kSeries; ++i) {
      const std::string& name = names[static_cast<std::size_t>(i)];
      ASSERT_TRUE(i % 2 == 0 ? adder.add_known({0, name, std::nullopt}, i) : adder.add_known({0, "s", name}, i)) << i;
    }
  }
  EXPECT_FALSE(adder.add_known({0, "ss", std::string_view(names[1]).substr(1)}, 1)) << "cut elsewhere";
  const auto sums = take_sums();
  EXPECT_EQ(sums.size(), std::size_t{kSeries});
  for (int i = 0; i < kSeries; ++i) {
    const std::string& name = names[static_cast<std::size_t>(i)];
    const auto found =
        sums.find(i % 2 == 0 ? std::pair(name, std::string("(none)")) : std::pair(std::string("s"), name));
    ASSERT_NE(found, sums.end()) << name;
    EXPECT_EQ(found->second.count, 11);
    EXPECT_EQ(found->second.total, 1 + 10.0 * i);
  }
}

TEST_F(AccumulatorTest, TextsBeyondWhatASeriesMayHaveAreNeverKnown) {
  auto adder = accumulator();
  ASSERT_TRUE(adder.add({0, "name", std::nullopt}, 1));
  EXPECT_FALSE(adder.add_known({0, "name", std::string(255, 'x')}, 1));
  EXPECT_FALSE(adder.add_known({0, "name" + std::string(256, 'x'), std::nullopt}, 1));
}

TEST_F(AccumulatorTest, ZeroAndNegativeZeroCount) {
  Adder adder = accumulator();
  ASSERT_TRUE(adder.add({0, "zero", std::nullopt}, 0.0));
  ASSERT_TRUE(adder.add({0, "zero", std::nullopt}, -0.0));
  const Sums sums = take_sums().at({"zero", "(none)"});
  EXPECT_EQ(sums.count, 2);
  EXPECT_EQ(sums.total, 0);
}

TEST_F(AccumulatorTest, IntegersStayExactTo2To53) {
  Adder adder = accumulator();
  constexpr double kLarge = 9007199254740992.0 - 1'000'000;
  ASSERT_TRUE(adder.add({0, "n", std::nullopt}, kLarge));
  for (int i = 0; i < 1'000'000; ++i) {
    ASSERT_TRUE(adder.add({0, "n", std::nullopt}, 1));
  }
  EXPECT_EQ(take_sums().at({"n", "(none)"}).total, 9007199254740992.0);
}

TEST_F(AccumulatorTest, ManySmallValuesStayWithinOnePartIn1e12) {
  Adder adder = accumulator();
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> values(0, 0.1);
  long double exact = 0;
  for (int i = 0; i < 3'000'000; ++i) {
    const double value = values(random);
    exact += value;
    ASSERT_TRUE(adder.add({0, "t", std::nullopt}, value));
  }
  const double total = take_sums().at({"t", "(none)"}).total;
  EXPECT_LT(std::fabs(static_cast<double>((static_cast<long double>(total) - exact) / exact)), 1e-12);
}

TEST_F(AccumulatorTest, LargeValuesDoNotSwallowSmallOnes) {
  Adder adder = accumulator();
  ASSERT_TRUE(adder.add({0, "t", std::nullopt}, 1e16));
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(adder.add({0, "t", std::nullopt}, 1));
  }
  ASSERT_TRUE(adder.add({0, "t", std::nullopt}, -1e16));
  EXPECT_EQ(take_sums().at({"t", "(none)"}).total, 1000);
}

TEST_F(AccumulatorTest, ASumBeyondADoubleBecomesTheLargestDouble) {
  Adder adder = accumulator();
  constexpr double kLargest = std::numeric_limits<double>::max();
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(adder.add({0, "up", std::nullopt}, kLargest));
    ASSERT_TRUE(adder.add({0, "down", std::nullopt}, -kLargest));
  }
  const auto sums = take_sums();
  EXPECT_EQ(sums.at({"up", "(none)"}).total, kLargest);
  EXPECT_EQ(sums.at({"down", "(none)"}).total, -kLargest);
}

TEST_F(AccumulatorTest, AFullTableSaysSoAndLosesNothing) {
  open(16);
  Adder adder = accumulator();
  int taken = 0;
  for (int i = 0; i < 100; ++i) {
    taken += adder.add({0, "series", std::to_string(i)}, 1) ? 1 : 0;
  }
  EXPECT_EQ(taken, 16);
  EXPECT_TRUE(adder.add({0, "series", "3"}, 1)) << "what is in stays in use";
  EXPECT_EQ(take_sums().size(), 16U);
  EXPECT_TRUE(adder.add({0, "series", "99"}, 1)) << "and the next table has room";
}

TEST_F(AccumulatorTest, LongKeysFillTheTableBeforeItsSeriesAreUsedUp) {
  open(16);
  Adder adder = accumulator();
  int taken = 0;
  for (int i = 0; i < 16; ++i) {
    taken += adder.add({0, "series", std::string(240, 'x') + std::to_string(i)}, 1) ? 1 : 0;
  }
  EXPECT_GT(taken, 0);
  EXPECT_LT(taken, 16);
  EXPECT_EQ(take_sums().size(), static_cast<std::size_t>(taken));
}

TEST_F(AccumulatorTest, WhenNoTableIsFreeAddingSaysSo) {
  Adder adder = accumulator();
  for (std::uint32_t i = 0; i < MinuteTables::kTables; ++i) {
    ASSERT_TRUE(adder.add({0, "x", std::nullopt}, 1));
    seal(*tables_, *lanes_, SealScope::all, 0);
  }
  EXPECT_FALSE(adder.add({0, "x", std::nullopt}, 1));
  EXPECT_EQ(take_sums().at({"x", "(none)"}).count, static_cast<std::int64_t>(MinuteTables::kTables));
  EXPECT_TRUE(adder.add({0, "x", std::nullopt}, 1));
}

TEST_F(AccumulatorTest, SealedTablesHaveGrowingBatchNumbers) {
  Adder adder = accumulator();
  std::uint64_t last = 0;
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(adder.add({0, "x", std::nullopt}, 1));
    seal(*tables_, *lanes_, SealScope::all, 0);
    for (std::uint32_t number = 0; number < MinuteTables::kTables; ++number) {
      const MinuteTable table = tables_->table(number);
      if (table.state().phase() == TablePhase::sealed) {
        EXPECT_GT(table.batch_number(), last);
        last = table.batch_number();
      }
    }
    take_all();
  }
}

TEST_F(AccumulatorTest, OnlyFinishedMinutesAreSealedUnlessAllAreAskedFor) {
  Adder adder = accumulator();
  ASSERT_TRUE(adder.add({0, "x", std::nullopt}, 1));
  std::int64_t minute = 0;
  for (std::uint32_t number = 0; number < MinuteTables::kTables; ++number) {
    const TableState state = tables_->table(number).state();
    minute = state.phase() == TablePhase::open ? state.minute() : minute;
  }
  seal(*tables_, *lanes_, SealScope::finished, minute);
  EXPECT_FALSE(tables_->any_finished(minute));
  EXPECT_TRUE(adder.add_known({0, "x", std::nullopt}, 1)) << "the running minute stays open";
  EXPECT_TRUE(tables_->any_finished(minute + 1));
  seal(*tables_, *lanes_, SealScope::finished, minute + 1);
  EXPECT_FALSE(adder.add_known({0, "x", std::nullopt}, 1));
}

TEST_F(AccumulatorTest, ThreadsOnHotAndColdSeriesLoseNothingWhileMinutesAreSealed) {
  constexpr int kThreads = 4;
  constexpr int kAdds = 200'000;
  std::atomic<int> running = kThreads;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      Adder adder = accumulator();
      std::mt19937 random(static_cast<unsigned>(t));
      for (int i = 0; i < kAdds; ++i) {
        const std::string argument = i % 2 == 0 ? "hot" : std::to_string(random() % 500);
        while (!adder.add({0, "series", argument}, 1)) {
          std::this_thread::yield();
        }
      }
      --running;
    });
  }
  std::int64_t count = 0;
  double total = 0;
  std::int64_t hot = 0;
  const auto take = [&] {
    for (const auto& [key, sums] : take_sums()) {
      count += sums.count;
      total += sums.total;
      hot += key.second == "hot" ? sums.count : 0;
    }
  };
  while (running > 0) {
    take();
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  take();
  EXPECT_EQ(count, kThreads * kAdds);
  EXPECT_EQ(total, kThreads * kAdds);
  EXPECT_EQ(hot, kThreads * kAdds / 2);
}

}  // namespace
}  // namespace presence
