// Adds that find no room in shared memory go to the database one by one. They must be there once, too.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "counters/row_hash.h"
#include "runtime/attachment.h"
#include "runtime/counter_service.h"
#include "runtime/direct_adds.h"
#include "unit/runtime/database_way.h"
#include "unit/temp_folder.h"

namespace presence {
namespace {

class DirectAddsTest : public testing::Test {
 protected:
  struct Process {
    explicit Process(const DirectAddsTest& test)
        : way(test.way_.get()), attachment(test.settings()), counters(attachment) {
      const OwnSink own{test.way_.get(), std::string(32, 'a'), false};
      counters.use(&own);
    }
    void add(double value) {
      CounterRow row;
      row.name = "a";
      row.hash = row_hash("a", std::nullopt, 0);
      row.sums = {value, value, value, 1};
      EXPECT_TRUE(direct.add(row, way, std::string(32, 'a'), true).ok());
    }

    Sink* way;
    Attachment attachment;
    CounterService counters;
    DirectAdds direct{attachment};
  };

  /// Without shared memory each add is a direct one.
  [[nodiscard]] Settings settings() const {
    Settings settings;
    settings.segment = folder_.file("missing/segment");
    settings.data_dir = folder_.file("data");
    return settings;
  }

  [[nodiscard]] Sums stored() const {
    CounterQuery query;
    query.name = "a";
    query.until = std::int64_t{1} << 40;
    query.step = 86400;
    Sums sums;
    const Result<std::vector<CounterBucket>> buckets = way_->read(query);
    for (const CounterBucket& bucket : buckets ? *buckets : std::vector<CounterBucket>{}) {
      sums.count += bucket.sums.count;
      sums.total += bucket.sums.total;
    }
    return sums;
  }

  TempFolder folder_;
  std::unique_ptr<DatabaseWay> way_ = std::make_unique<DatabaseWay>("sqlite:" + folder_.file("counters.sqlite"));
};

TEST_F(DirectAddsTest, AnAddWhoseAnswerGotLostIsNotAddedAgain) {
  Process process(*this);
  process.add(1);
  way_->answers_to_lose = 1;
  process.add(10);
  EXPECT_EQ(stored().total, 11) << "it did arrive";
  ASSERT_TRUE(process.counters.flush().ok());
  EXPECT_EQ(stored().total, 11);
  EXPECT_EQ(stored().count, 2);
}

TEST_F(DirectAddsTest, WhatCouldNotBeSentIsNotTakenForOldByTheLedger) {
  Process process(*this);
  process.add(1);
  way_->broken = true;
  process.add(10);
  process.add(100);
  way_->broken = false;
  // Another process comes and adds before anybody has sent what waits.
  Process another(*this);
  another.add(1000);
  EXPECT_EQ(stored().total, 1001);
  ASSERT_TRUE(another.counters.flush().ok());
  process.add(10000);
  ASSERT_TRUE(process.counters.flush().ok());
  EXPECT_EQ(stored().total, 11111);
  EXPECT_EQ(stored().count, 5);
}

TEST_F(DirectAddsTest, AConnectionOfTheCallersIsLeftAloneUntilTheEndOfTheRequest) {
  Process process(*this);
  EXPECT_TRUE(process.counters.add("a", std::nullopt, 0, 1).ok());
  EXPECT_TRUE(process.counters.add("a", std::nullopt, 0, 10).ok());
  EXPECT_TRUE(way_->sources.empty()) << "nothing was sent";
  EXPECT_EQ(process.counters.pending()->front().sums.total, 11);
  ASSERT_TRUE(process.counters.due(false));
  process.counters.end_request(false);
  EXPECT_EQ(stored().total, 11);
  EXPECT_EQ(stored().count, 2);
}

TEST_F(DirectAddsTest, TheLedgerGrowsByOutagesAndNotByAdds) {
  Process process(*this);
  for (int i = 0; i < 20; ++i) {
    process.add(1);
  }
  way_->broken = true;
  for (int i = 0; i < 20; ++i) {
    process.add(1);
  }
  way_->broken = false;
  ASSERT_TRUE(process.counters.flush().ok());
  EXPECT_EQ(stored().count, 40);
  EXPECT_EQ(way_->sources.size(), 1U);
}

}  // namespace
}  // namespace presence
