// What is on its way to the database is read once, wherever it is just then.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "runtime/attachment.h"
#include "runtime/counter_service.h"
#include "unit/runtime/database_way.h"
#include "unit/temp_folder.h"

namespace presence {
namespace {

class ReadTest : public testing::Test {
 protected:
  struct Process {
    explicit Process(const ReadTest& test) : attachment(test.settings()), counters(attachment) {
      const OwnSink own{test.way_.get(), std::string(32, 'a'), false};
      counters.use(&own);
    }

    double total() {
      CounterQuery query;
      query.name = "a";
      query.until = std::int64_t{1} << 40;
      query.step = 86400;
      double total = 0;
      const Result<std::vector<CounterBucket>> buckets = counters.read(query);
      EXPECT_TRUE(buckets.ok());
      for (const CounterBucket& bucket : buckets ? *buckets : std::vector<CounterBucket>{}) {
        total += bucket.sums.total;
      }
      return total;
    }

    Attachment attachment;
    CounterService counters;
  };

  [[nodiscard]] Settings settings() const {
    Settings settings;
    settings.segment = folder_.file("segment");
    settings.data_dir = folder_.file("data");
    settings.max_series = 64;
    settings.max_visitors = 64;
    settings.flusher = FlusherMode::off;
    return settings;
  }

  TempFolder folder_;
  std::unique_ptr<DatabaseWay> way_ = std::make_unique<DatabaseWay>("sqlite:" + folder_.file("counters.sqlite"));
};

TEST_F(ReadTest, ABatchThatWaitsAfterAnUnansweredCommitCountsOnce) {
  Process process(*this);
  ASSERT_TRUE(process.counters.add("a", std::nullopt, 0, 1).ok());
  way_->answers_to_lose = 1;
  EXPECT_FALSE(process.counters.flush(SealScope::all).ok());
  ASSERT_EQ(process.counters.pending()->size(), 1U) << "it waits";
  EXPECT_EQ(process.total(), 1);
  ASSERT_TRUE(process.counters.add("a", std::nullopt, 0, 10).ok());
  EXPECT_EQ(process.total(), 11);
  EXPECT_TRUE(process.counters.flush(SealScope::all).ok());
  EXPECT_EQ(process.total(), 11);
}

TEST_F(ReadTest, ABatchCountsOnceWhileItIsBeingSent) {
  Process process(*this);
  Process reader(*this);
  ASSERT_TRUE(process.counters.add("a", std::nullopt, 0, 1).ok());
  double seen = 0;
  way_->committed = [&] { seen = reader.total(); };
  EXPECT_TRUE(process.counters.flush(SealScope::all).ok());
  EXPECT_EQ(seen, 1);
}

}  // namespace
}  // namespace presence
