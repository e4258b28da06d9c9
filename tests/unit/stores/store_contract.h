// What every store promises, whatever keeps its visitors. A store joins by a StoreUnderTest and one
// INSTANTIATE_TEST_SUITE_P in its own test file; what its strategy cannot do it says there, and the tests about that
// then expect Error unsupported with the name of a strategy that can.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "stores/store.h"

namespace presence {

/// One kind of store, how to make some, and what it can do.
struct StoreUnderTest {
  std::string name;
  /// A store for the key with that retention in minutes. Called twice for one key within a test, it gives two stores of
  /// the same visitors, as two requests have. A new server, or an emptied one, for each test: see `reset`.
  std::function<std::unique_ptr<Store>(const std::string& key, int retention)> open;
  /// Whether its server runs. If not, the tests are skipped, or fail where servers are required.
  std::function<bool()> available = [] { return true; };
  /// Starts with nothing stored.
  std::function<void()> reset;
  /// The time at which tests start. A store whose server has a clock of its own gives the true time.
  UnixTime now = 1'800'000'000;
  bool exact_seconds = true;  ///< Windows are exact to the second, not to a minute or block.
  UnixTime time_unit = 1;     ///< Seconds; last_seen and changes tell times rounded down to a multiple of it.
  std::vector<int> windows = {1, 3, 5, 9, 60};  ///< Windows that it can answer, in minutes; 5 among them.
  bool lists_ids = true;
  bool answers_online = true;
  bool forgets = true;
  bool replaces = true;
  bool keeps_times = true;  ///< last_seen.
  bool tells_changes = false;
  bool tells_gone = false;    ///< Among its changes is who was forgotten.
  bool takes_past = true;     ///< record() may be told of visits long before the true time.
  UnixTime counts_after = 0;  ///< Seconds until a visit shows in count().
  bool integers_only = false;
  bool drops_the_future = false;  ///< A time far ahead counts as expired; in the recipes it is "since then".
};

inline void PrintTo(const StoreUnderTest& store, std::ostream* out) { *out << store.name; }

class StoreContractTest : public testing::TestWithParam<StoreUnderTest> {
 protected:
  void SetUp() override {
    if (!GetParam().available()) {
      ASSERT_EQ(std::getenv("PRESENCE_TEST_REQUIRE"), nullptr) << "the server of this store does not run";
      GTEST_SKIP() << "the server of this store does not run";
    }
    GetParam().reset();
    now_ = GetParam().now;
  }

  [[nodiscard]] std::unique_ptr<Store> open(const std::string& key = "users:online", int retention = 60) const {
    return GetParam().open(key, retention);
  }
  static std::int64_t count(Store& store, Window window) {
    window.now += GetParam().counts_after;
    const auto count = store.count(window);
    EXPECT_TRUE(count.ok()) << count.error().message;
    return count.ok() ? *count : -1;
  }
  static std::vector<std::string> ids(Store& store, Window window) {
    auto ids = store.ids(window);
    EXPECT_TRUE(ids.ok()) << ids.error().message;
    std::vector<std::string> sorted = ids.ok() ? std::move(ids).value() : std::vector<std::string>();
    std::sort(sorted.begin(), sorted.end());
    return sorted;
  }
  static bool online(Store& store, std::string_view visitor, Window window) {
    bool answer = false;
    const Status status = store.online({&visitor, 1}, window, {&answer, 1});
    EXPECT_TRUE(status.ok()) << status.error().message;
    return answer;
  }
  /// Nothing where the strategy does not answer for single visitors.
  static void expect_online(Store& store, std::string_view visitor, Window window, bool expected) {
    if (GetParam().answers_online) {
      EXPECT_EQ(online(store, visitor, window), expected) << visitor;
    }
  }
  static UnixTime last_seen(Store& store, std::string_view visitor, UnixTime now) {
    const auto seen = store.last_seen(visitor, now);
    EXPECT_TRUE(seen.ok()) << seen.error().message;
    return seen.ok() ? *seen : -1;
  }
  static void record(Store& store, std::string_view visitor, UnixTime now) {
    const Status status = store.record(visitor, now);
    EXPECT_TRUE(status.ok()) << status.error().message;
  }
  /// Visitors and times, in the order of their ids.
  using Told = std::vector<std::pair<std::string, UnixTime>>;
  struct Changes {
    Told seen;
    Told gone;
  };
  [[nodiscard]] Changes changes(Store& store, UnixTime since) const {
    Changes told;
    const Status status = store.changes(
        since, now_, [&](const Seen& one) { told.seen.emplace_back(std::string(one.visitor), one.time); },
        [&](const Seen& one) {
          EXPECT_TRUE(told.seen.empty()) << "who is gone is told first";
          told.gone.emplace_back(std::string(one.visitor), one.time);
        });
    EXPECT_TRUE(status.ok()) << status.error().message;
    std::sort(told.seen.begin(), told.seen.end());
    std::sort(told.gone.begin(), told.gone.end());
    return told;
  }
  /// Of what the strategy can answer, at `now_`.
  [[nodiscard]] Window longest_window() const { return {now_, GetParam().windows.back()}; }
  /// As the strategy keeps a time.
  static UnixTime kept(UnixTime time) { return time - time % GetParam().time_unit; }

  UnixTime now_ = 0;
};

}  // namespace presence
