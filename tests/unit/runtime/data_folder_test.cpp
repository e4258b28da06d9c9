// All processes of one segment keep what waits in one folder, whatever each one's presence.data_dir says.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "flusher/data_folder_record.h"
#include "runtime/attachment.h"
#include "runtime/counter_service.h"
#include "runtime/counter_status.h"
#include "unit/runtime/database_way.h"
#include "unit/temp_folder.h"

namespace presence {
namespace {

class DataFolderTest : public testing::Test {
 protected:
  struct Process {
    Process(const DataFolderTest& test, const std::string& data_dir)
        : attachment(test.settings(data_dir)), counters(attachment) {
      const OwnSink own{test.way_.get(), std::string(32, 'a'), false};
      counters.use(&own);
    }
    void add(double value) { EXPECT_TRUE(counters.add("a", std::nullopt, 0, value).ok()); }
    bool flush() { return counters.flush(SealScope::all).ok(); }

    Attachment attachment;
    CounterService counters;
  };

  [[nodiscard]] Settings settings(const std::string& data_dir) const {
    Settings settings;
    settings.segment = segment_;
    settings.data_dir = folder_.file(data_dir);
    settings.max_series = 64;
    settings.max_visitors = 64;
    settings.flusher = FlusherMode::request;
    return settings;
  }

  [[nodiscard]] double read(Process& process) const {
    CounterQuery query;
    query.name = "a";
    query.until = std::int64_t{1} << 40;
    query.step = 86400;
    double total = 0;
    const Result<std::vector<CounterBucket>> buckets = process.counters.read(query);
    for (const CounterBucket& bucket : buckets ? *buckets : std::vector<CounterBucket>{}) {
      total += bucket.sums.total;
    }
    return total;
  }

  /// Without what waits.
  [[nodiscard]] double stored() {
    std::filesystem::create_directory(folder_.file("nobody"));
    std::string segment = folder_.file("missing/segment");
    std::swap(segment_, segment);
    Process nobody(*this, "nobody");
    std::swap(segment_, segment);
    return read(nobody);
  }

  TempFolder folder_;
  std::string segment_ = folder_.file("segment");
  std::unique_ptr<DatabaseWay> way_ = std::make_unique<DatabaseWay>("sqlite:" + folder_.file("counters.sqlite"));
};

TEST_F(DataFolderTest, ABatchThatWaitsForOneProcessIsNotTakenForOldAfterAnotherHasSent) {
  Process one(*this, "one");
  Process two(*this, "two");
  way_->broken = true;
  one.add(1);
  EXPECT_FALSE(one.flush());
  way_->broken = false;
  two.add(10);
  EXPECT_TRUE(two.flush());
  EXPECT_TRUE(one.flush());
  EXPECT_EQ(stored(), 11);
}

TEST_F(DataFolderTest, WhoeverReadsSeesWhatWaits) {
  Process one(*this, "one");
  Process two(*this, "two");
  way_->broken = true;
  one.add(1);
  EXPECT_FALSE(one.flush());
  way_->broken = false;
  EXPECT_EQ(read(two), 1);
}

TEST_F(DataFolderTest, AnotherFolderIsShownAndWarnedOfOnce) {
  Process one(*this, "one");
  EXPECT_TRUE(one.counters.available());
  EXPECT_EQ(one.attachment.take_warning(), "");
  Process two(*this, "two");
  EXPECT_TRUE(two.counters.available());
  EXPECT_NE(two.attachment.take_warning().find(folder_.file("two")), std::string::npos);
  Process three(*this, "three");
  EXPECT_TRUE(three.counters.available());
  EXPECT_EQ(three.attachment.take_warning(), "");
  const CounterStatus status = counter_status(three.attachment);
  EXPECT_EQ(status.data_dir, folder_.file("one"));
  EXPECT_EQ(status.data_dir_ignored, folder_.file("three"));
  EXPECT_EQ(counter_status(one.attachment).data_dir_ignored, "");
}

TEST_F(DataFolderTest, TheSameFolderUnderAnotherNameIsNoOtherFolder) {
  Process one(*this, "one");
  one.add(1);
  EXPECT_TRUE(one.flush());
  std::filesystem::create_directory_symlink(folder_.file("one"), folder_.file("link"));
  for (const char* name : {"one", "one/", "link"}) {
    Process same(*this, name);
    EXPECT_FALSE(same.attachment.has_other_folder()) << name;
  }
}

TEST_F(DataFolderTest, AFolderThatIsGoneIsMadeAgainOrDoneWithout) {
  std::filesystem::create_directory(folder_.file("parent"));
  Process one(*this, "parent/one");
  one.add(1);
  EXPECT_TRUE(one.flush());
  std::filesystem::remove_all(folder_.file("parent/one"));
  Process two(*this, "two");
  way_->broken = true;
  two.add(10);
  EXPECT_FALSE(two.flush());
  EXPECT_TRUE(std::filesystem::exists(folder_.file("parent/one/spool")));
  way_->broken = false;
  EXPECT_TRUE(two.flush());
  EXPECT_EQ(stored(), 11);

  // In the way of a folder is a file: what is in memory goes to the database from there.
  std::filesystem::remove_all(folder_.file("parent"));
  std::ofstream(folder_.file("parent")) << "in the way";
  two.add(100);
  EXPECT_TRUE(two.flush());
  EXPECT_EQ(stored(), 111);
  EXPECT_FALSE(counter_status(two.attachment).data_dir_usable);
  EXPECT_FALSE(std::filesystem::exists(folder_.file("two/spool"))) << "nobody else would look there";
}

TEST_F(DataFolderTest, WhatWasKeptWithoutSharedMemoryIsSentByTheNextWhoHasIt) {
  Process one(*this, "one");
  EXPECT_TRUE(one.counters.available());
  segment_ = folder_.file("missing/segment");
  way_->broken = true;
  {
    Process without(*this, "two");
    without.add(1);
  }
  segment_ = folder_.file("segment");
  way_->broken = false;
  Process two(*this, "two");
  EXPECT_EQ(read(two), 1);
  two.add(10);
  EXPECT_TRUE(two.counters.due(false));
  two.counters.end_request(false);
  EXPECT_EQ(stored(), 1);
  EXPECT_TRUE(two.flush());
  EXPECT_EQ(stored(), 11);
}

TEST_F(DataFolderTest, ADamagedRecordIsRefused) {
  Process one(*this, "one");
  ASSERT_TRUE(one.counters.available());
  DataFolderRecord* const record = DataFolderRecord::of(one.attachment.shared()->segment());
  ASSERT_TRUE(record->path());
  record->text[3] ^= 1;
  EXPECT_FALSE(record->path());
}

}  // namespace
}  // namespace presence
