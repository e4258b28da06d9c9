#include "flusher/drain.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <random>
#include <utility>
#include <set>

#include "segment/file_lock.h"
#include "unit/counters/counting_fixture.h"

namespace presence {
namespace {

/// A database that remembers what it was given, and fails when told to. What real ones do is tested in the sinks' own suite.
class RecordingSink : public Sink {
 public:
  Status install() override { return {}; }

  Status write(const BatchId& id, std::span<const CounterRow> rows) override {
    if (failures > 0) {
      --failures;
      return Error{ErrorCode::unavailable, "the server is gone"};
    }
    for (const CounterRow& row : rows) {
      if (refused.contains(row.name)) {
        return Error{ErrorCode::rejected, "out of range: " + row.name};
      }
    }
    // As the real ones: the last number of each source.
    const auto [last, is_new] = ledger.try_emplace(id.source, 0);
    if (!is_new && last->second >= id.number) {
      return {};
    }
    last->second = id.number;
    numbers.push_back(id.number);
    sources.push_back(id.source);
    EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end(),
                               [](const CounterRow& a, const CounterRow& b) { return a.hash < b.hash; }));
    for (const CounterRow& row : rows) {
      total[row.name] += row.sums.total;
    }
    if (answers_to_lose > 0) {
      --answers_to_lose;
      return Error{ErrorCode::unavailable, "the connection was lost during the commit"};
    }
    return {};
  }

  Result<std::vector<CounterBucket>> read(const CounterQuery&) override { return std::vector<CounterBucket>{}; }

  int failures = 0;
  int answers_to_lose = 0;
  std::set<std::string> refused;
  std::map<std::string, std::uint64_t> ledger;
  std::vector<std::uint64_t> numbers;
  std::vector<std::string> sources;
  std::map<std::string, double> total;
};

class DrainTest : public CountingFixture {
 protected:
  DrainReport drain_all(UnixTime now = 0) {
    DrainOptions options;
    options.scope = SealScope::all;
    options.own_sinks[std::string(kFingerprint)] = &sink_;
    const DrainSource source{*segment_, *lanes_, *tables_, *targets_};
    return drain(&source, data_, options, now);
  }

  [[nodiscard]] std::size_t files() const {
    const Result<Spool> spool = Spool::open(data_);
    return spool ? spool->list()->size() : 0;
  }

  [[nodiscard]] int free_tables() const {
    int free = 0;
    for (std::uint32_t number = 0; number < MinuteTables::kTables; ++number) {
      free += tables_->table(number).state().phase() == TablePhase::free ? 1 : 0;
    }
    return free;
  }

  std::string data_ = folder_.file("data");
  RecordingSink sink_;
};

TEST_F(DrainTest, WritesWhatWasCountedOnceAndLeavesNothing) {
  Adder adder = accumulator();
  ASSERT_TRUE(adder.add({0, "a", std::nullopt}, 1));
  ASSERT_TRUE(adder.add({0, "b", "x"}, 2));
  const DrainReport report = drain_all();
  EXPECT_TRUE(report.ran);
  EXPECT_EQ(report.rows_written, 2);
  EXPECT_FALSE(report.error);
  EXPECT_EQ(sink_.total, (std::map<std::string, double>{{"a", 1}, {"b", 2}}));
  EXPECT_EQ(files(), 0U);
  EXPECT_EQ(free_tables(), 8);
  EXPECT_EQ(drain_all().rows_written, 0);
  EXPECT_EQ(sink_.numbers.size(), 1U);
}

TEST_F(DrainTest, ADatabaseThatIsDownCostsTheTablesNothingAndGetsAllInOrderLater) {
  Adder adder = accumulator();
  sink_.failures = 1000;
  constexpr int kMinutes = 50;
  for (int i = 0; i < kMinutes; ++i) {
    ASSERT_TRUE(adder.add({0, "a", std::nullopt}, 1)) << "minute " << i;
    drain_all(i * 60);
    EXPECT_EQ(free_tables(), 8);
  }
  EXPECT_EQ(files(), static_cast<std::size_t>(kMinutes));
  EXPECT_EQ(tables_->drains().waiting.load(), static_cast<std::uint32_t>(kMinutes));
  sink_.failures = 0;
  const DrainReport report = drain_all(1'000'000);
  EXPECT_EQ(report.rows_written, kMinutes);
  EXPECT_EQ(sink_.total["a"], kMinutes);
  EXPECT_TRUE(std::is_sorted(sink_.numbers.begin(), sink_.numbers.end()));
  EXPECT_EQ(files(), 0U);
  EXPECT_EQ(tables_->drains().waiting.load(), 0U);
}

TEST_F(DrainTest, ARowThatTheDatabaseRefusesIsSetAsideAndHoldsUpNothing) {
  Adder adder = accumulator();
  for (int minute = 0; minute < 2; ++minute) {
    for (const char* name : {"a", "b", "c", "bad", "d", "worse", "e"}) {
      ASSERT_TRUE(adder.add({0, name, std::nullopt}, 1));
    }
    sink_.refused = {"bad", "worse"};
    const DrainReport report = drain_all(minute * 60);
    EXPECT_EQ(report.rows_written, 5);
    ASSERT_TRUE(report.error);
    EXPECT_EQ(report.error->code, ErrorCode::rejected);
  }
  EXPECT_EQ(sink_.total, (std::map<std::string, double>{{"a", 2}, {"b", 2}, {"c", 2}, {"d", 2}, {"e", 2}}));
  EXPECT_EQ(files(), 0U);
  EXPECT_EQ(free_tables(), 8);
  const DeliveryRecord* delivery = targets_->delivery(kFingerprint);
  EXPECT_EQ(delivery->failures.load(), 0U);
  EXPECT_TRUE(delivery->error_text().starts_with("out of range: "));
  std::size_t batches = 0;
  for (const auto& file : std::filesystem::directory_iterator(data_ + "/spool/set-aside")) {
    batches += file.path().extension() == ".batch" ? 1 : 0;
  }
  EXPECT_EQ(batches, 4U);
}

TEST_F(DrainTest, ABatchInHalvesThatIsCutOffIsStoredOnce) {
  Adder adder = accumulator();
  for (const char* name : {"a", "b", "c", "bad"}) {
    ASSERT_TRUE(adder.add({0, name, std::nullopt}, 1));
  }
  sink_.refused = {"bad"};
  // As after a kill in the middle: the whole batch is still there, and its halves were stored before.
  const std::string kept = folder_.file("kept");
  sink_.failures = 1;
  drain_all(0);
  std::filesystem::copy(data_ + "/spool", kept, std::filesystem::copy_options::recursive);
  drain_all(60);
  std::filesystem::copy(kept, data_ + "/spool",
                        std::filesystem::copy_options::recursive | std::filesystem::copy_options::overwrite_existing);
  EXPECT_EQ(files(), 1U);
  drain_all(120);
  EXPECT_EQ(sink_.total, (std::map<std::string, double>{{"a", 1}, {"b", 1}, {"c", 1}}));
  EXPECT_EQ(files(), 0U);
}

TEST_F(DrainTest, AFailureIsNotFollowedByAnotherTryAtOnce) {
  Adder adder = accumulator();
  ASSERT_TRUE(adder.add({0, "a", std::nullopt}, 1));
  sink_.failures = 1;
  EXPECT_TRUE(drain_all(100).error);
  EXPECT_FALSE(drain_is_due(*tables_, 100));
  EXPECT_FALSE(drain_all(100).error) << "put off, which is no new failure";
  EXPECT_TRUE(sink_.numbers.empty());
  EXPECT_TRUE(drain_is_due(*tables_, 103));
  EXPECT_EQ(drain_all(103).rows_written, 1);
  EXPECT_EQ(targets_->delivery(kFingerprint)->failures.load(), 0U);
}

TEST_F(DrainTest, AClockThatWasSetBackDoesNotPutARetryOffForever) {
  Adder adder = accumulator();
  ASSERT_TRUE(adder.add({0, "a", std::nullopt}, 1));
  sink_.failures = 1;
  EXPECT_TRUE(drain_all(1'000'000'000).error);
  EXPECT_TRUE(drain_is_due(*tables_, 500));
  EXPECT_EQ(drain_all(500).rows_written, 1);
}

TEST_F(DrainTest, WithoutAPlaceToSpoolRowsAreSentFromMemory) {
  Adder adder = accumulator();
  data_ = folder_.file("none/data");
  ASSERT_TRUE(adder.add({0, "a", std::nullopt}, 1));
  EXPECT_EQ(drain_all(0).rows_written, 1);
  EXPECT_EQ(free_tables(), 8);
  ASSERT_TRUE(adder.add({0, "a", std::nullopt}, 1));
  sink_.failures = 1;
  EXPECT_TRUE(drain_all(1000).error);
  EXPECT_EQ(free_tables(), 7) << "and stay in memory while the database is down";
  EXPECT_EQ(drain_all(2000).rows_written, 1);
  EXPECT_EQ(sink_.total["a"], 2);
}

TEST_F(DrainTest, WhatWaitsOnDiskIsNotTakenForOldAfterOthersWereSentFromMemory) {
  Adder adder = accumulator();
  const std::string usable = data_;
  UnixTime now = 0;
  for (const bool on_disk : {true, false, true, false, true}) {
    ASSERT_TRUE(adder.add({0, "a", std::nullopt}, 1));
    data_ = on_disk ? usable : folder_.file("none/data");
    sink_.failures = on_disk ? 1 : 0;
    drain_all(now += 1000);
  }
  EXPECT_EQ(sink_.total["a"], 2) << "from memory";
  EXPECT_EQ(files(), 3U);
  drain_all(1'000'000);
  EXPECT_EQ(sink_.total["a"], 5);
}

TEST_F(DrainTest, ABatchThatFailedFromMemoryIsSpooledLaterAndStillStoredOnce) {
  Adder adder = accumulator();
  ASSERT_TRUE(adder.add({0, "a", std::nullopt}, 1));
  const std::string usable = std::exchange(data_, folder_.file("none/data"));
  sink_.answers_to_lose = 1;
  EXPECT_TRUE(drain_all(0).error);
  data_ = usable;
  EXPECT_FALSE(drain_all(1000).error);
  EXPECT_EQ(sink_.total["a"], 1);
  EXPECT_EQ(files(), 0U);
}

TEST_F(DrainTest, AMinuteIsOnDiskForAllItsDatabasesOrForNone) {
  const std::string other(32, 'f');
  ASSERT_EQ(targets_->find_or_add(other, ""), TargetIndex{1});
  Adder adder = accumulator();
  ASSERT_TRUE(adder.add({0, "a", std::nullopt}, 1));
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(adder.add({1, "b", std::to_string(i)}, 1));
  }
  // A disk with room for the first batch and not for the second.
  signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small{1000, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const DrainReport report = drain_all(0);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  EXPECT_TRUE(report.error);
  EXPECT_EQ(free_tables(), 7);
  EXPECT_EQ(files(), 0U) << "or a reader would see rows twice";
  EXPECT_EQ(sink_.total["a"], 0);
  EXPECT_EQ(drain_all(1000).rows_written, 1);
  EXPECT_EQ(sink_.total["a"], 1);
  EXPECT_EQ(files(), 1U);
}

TEST_F(DrainTest, RowsForADatabaseThatNobodyHereCanReachWait) {
  ASSERT_EQ(targets_->find_or_add(std::string(32, 'f'), ""), TargetIndex{1});
  Adder adder = accumulator();
  ASSERT_TRUE(adder.add({1, "elsewhere", std::nullopt}, 5));
  ASSERT_TRUE(adder.add({0, "here", std::nullopt}, 1));
  const DrainReport report = drain_all();
  EXPECT_EQ(report.rows_written, 1);
  EXPECT_FALSE(report.error);
  EXPECT_EQ(files(), 1U);
  EXPECT_EQ(sink_.total, (std::map<std::string, double>{{"here", 1}}));
  EXPECT_FALSE(drain_is_due(*tables_, 1000)) << "which is no reason for others to run again and again";
  EXPECT_EQ(tables_->drains().unreachable.load(), 1U);
  EXPECT_EQ(targets_->delivery(std::string(32, 'f'))->waiting.load(), 1U) << "but whoever can send it sees it";
}

TEST_F(DrainTest, ADatabaseThatFailsDoesNotPutOffWhatWaitsForAnother) {
  ASSERT_EQ(targets_->find_or_add(std::string(32, 'f'), "sqlite:/nonexistent/folder/x.db"), TargetIndex{1});
  Adder adder = accumulator();
  UnixTime now = 1000;
  for (int i = 0; i < 8; ++i) {
    ASSERT_TRUE(adder.add({1, "elsewhere", std::nullopt}, 5));
    ASSERT_TRUE(adder.add({0, "here", std::nullopt}, 1));
    EXPECT_EQ(drain_all(now).rows_written, 1);
    now += 60;
  }
  DrainOptions options;
  options.even_if_put_off = true;
  options.errors_of = kFingerprint;
  options.own_sinks[std::string(kFingerprint)] = &sink_;
  const DrainSource source{*segment_, *lanes_, *tables_, *targets_};
  EXPECT_FALSE(drain(&source, data_, options, now).error) << "which is the other one's trouble";
  options.errors_of.clear();
  EXPECT_TRUE(drain(&source, data_, options, now).error);
}

TEST_F(DrainTest, ADamagedBatchIsSetAsideAndTheRestGoesOn) {
  Adder adder = accumulator();
  sink_.failures = 1000;
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(adder.add({0, "a", std::nullopt}, 1));
    drain_all(i * 1000);
  }
  const Result<Spool> spool = Spool::open(data_);
  const SpoolEntry first = spool->list()->front();
  ASSERT_TRUE(spool->remove(first).ok());
  ASSERT_TRUE(spool->put(first, {}).ok());
  for (const auto& file : std::filesystem::directory_iterator(spool->folder())) {
    if (file.is_regular_file() && file.file_size() > 0 && file.file_size() < 40) {
      ASSERT_EQ(truncate(file.path().c_str(), 10), 0);
    }
  }
  sink_.failures = 0;
  const DrainReport report = drain_all(1'000'000);
  EXPECT_TRUE(report.error);
  EXPECT_EQ(report.rows_written, 2);
  EXPECT_EQ(files(), 0U);
  EXPECT_TRUE(std::filesystem::exists(spool->folder() + "/set-aside"));
}

TEST_F(DrainTest, TwoAtOnceDoNotGetInEachOthersWay) {
  Result<UniqueFd> other = segment_->reopen();
  ASSERT_TRUE(other.ok());
  ASSERT_TRUE(file_lock::try_acquire(other->get(), LockByte::flush));
  EXPECT_FALSE(drain_all().ran);
  other->reset();
  EXPECT_TRUE(drain_all().ran);
}

/// A run that is cut off by a kill somewhere, again and again, until one comes through. The sink is a file that remembers
/// batch numbers, as the ledger of a database does.
TEST_F(DrainTest, KilledAnywhereTheNextRunGoesOnWithoutLosingOrDoublingARow) {
  class FileSink : public Sink {
   public:
    explicit FileSink(std::string path) : path_(std::move(path)) {}
    Status install() override { return {}; }
    Status write(const BatchId& id, std::span<const CounterRow> rows) override {
      // One file for each batch number stands for "the number and the rows, in one transaction".
      std::int64_t count = 0;
      for (const CounterRow& row : rows) {
        count += row.sums.count;
      }
      const std::string name = path_ + "/" + std::to_string(id.number);
      const std::string text = std::to_string(count);
      std::FILE* file = std::fopen((name + ".part").c_str(), "w");
      std::fputs(text.c_str(), file);
      std::fclose(file);
      std::rename((name + ".part").c_str(), name.c_str());
      return {};
    }
    Result<std::vector<CounterBucket>> read(const CounterQuery&) override { return std::vector<CounterBucket>{}; }

   private:
    std::string path_;
  };

  const std::string stored = folder_.file("stored");
  ASSERT_EQ(mkdir(stored.c_str(), 0700), 0);
  std::mt19937 random(3);
  std::int64_t added = 0;
  int killed = 0;
  for (int round = 0; round < 200; ++round) {
    {
      Adder adder = accumulator();
      for (int i = 0; i < 50; ++i) {
        if (adder.add({0, "a", std::to_string(random() % 200)}, 1)) {
          ++added;
        }
      }
    }
    const pid_t child = fork();
    if (child == 0) {
      FileSink sink(stored);
      DrainOptions options;
      options.scope = SealScope::all;
      options.own_sinks[std::string(kFingerprint)] = &sink;
      const DrainSource source{*segment_, *lanes_, *tables_, *targets_};
      (void)drain(&source, data_, options, round * 1000);
      _exit(0);
    }
    usleep(static_cast<useconds_t>(random() % 3000));
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    killed += WIFSIGNALED(status) ? 1 : 0;
  }
  FileSink sink(stored);
  DrainOptions options;
  options.scope = SealScope::all;
  options.own_sinks[std::string(kFingerprint)] = &sink;
  const DrainSource source{*segment_, *lanes_, *tables_, *targets_};
  EXPECT_TRUE(drain(&source, data_, options, 1'000'000).ran);
  std::int64_t found = 0;
  for (const auto& file : std::filesystem::directory_iterator(stored)) {
    if (file.path().extension() != ".part") {
      std::int64_t count = 0;
      std::FILE* text = std::fopen(file.path().c_str(), "r");
      EXPECT_EQ(std::fscanf(text, "%ld", &count), 1);
      std::fclose(text);
      found += count;
    }
  }
  EXPECT_EQ(found, added);
  EXPECT_GT(killed, 20);
  EXPECT_EQ(files(), 0U);
}

}  // namespace
}  // namespace presence
