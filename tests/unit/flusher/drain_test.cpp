#include "flusher/drain.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <set>
#include <utility>

#include "segment/file_lock.h"
#include "unit/counters/counting_fixture.h"

namespace presence {
namespace {

/// A database that remembers what it was given, and fails when told to. The sinks' own suite tests real ones.
class RecordingSink : public Sink {
 public:
  Status install() override { return {}; }

  using Sink::write;
  Result<WriteReport> write(const BatchId& id, std::span<const CounterRow> rows, BatchNotes& notes) override {
    if (failures > 0) {
      --failures;
      return Error{ErrorCode::unavailable, "the server is gone"};
    }
    WriteReport report;
    // As the real ones: the last number of each source.
    if (const auto last = ledger.find(id.source); last != ledger.end() && last->second >= id.number) {
      report.outcome = WriteReport::Outcome::known;
      return report;
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows[i].name == "refused") {
        report.refused.push_back({i, "too \"large\""});
      }
    }
    if (Status noted = notes.before_commit(report.refused, {}); !noted) {
      return std::move(noted).error();
    }
    ledger[id.source] = id.number;
    numbers.push_back(id.number);
    sources.push_back(id.source);
    EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end(),
                               [](const CounterRow& a, const CounterRow& b) { return a.hash < b.hash; }));
    for (const CounterRow& row : rows) {
      if (row.name != "refused") {
        total[row.name] += row.sums.total;
      }
    }
    if (answers_to_lose > 0) {
      --answers_to_lose;
      return Error{ErrorCode::unanswered, "the connection was lost during the commit"};
    }
    return report;
  }

  Result<std::vector<CounterBucket>> read(const CounterQuery&) override { return std::vector<CounterBucket>{}; }

  int failures = 0;
  int answers_to_lose = 0;
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
    options.spool_max = spool_max_;
    options.own_sinks[std::string(kFingerprint)] = &sink_;
    options.own_sinks[kOther] = &other_sink_;
    const DrainSource source{*segment_, *lanes_, *tables_, *targets_};
    return drain(&source, data_, options, now);
  }

  /// All that lies in `set-aside`.
  [[nodiscard]] std::string text_set_aside() const {
    std::string text;
    for (const auto& file : std::filesystem::directory_iterator(data_ + "/spool/set-aside")) {
      std::ifstream stream(file.path());
      text.append(std::istreambuf_iterator<char>(stream), {});
    }
    return text;
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

  static inline const std::string kOther = std::string(32, 'e');
  static constexpr std::uint64_t kBlock = 4096;  ///< What a small batch takes of spool_max.

  std::string data_ = folder_.file("data");
  std::uint64_t spool_max_ = kSpoolMax;
  RecordingSink sink_;
  RecordingSink other_sink_;
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
  EXPECT_EQ(sink_.total["a"], 1) << "from memory";
  EXPECT_EQ(drain_all(1000).rows_written, 0);
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

TEST_F(DrainTest, RefusedRowsAreSetAsideInAFileForPeopleAndTheRestGoesOn) {
  Adder adder = accumulator();
  ASSERT_TRUE(adder.add({0, "a", std::nullopt}, 1));
  ASSERT_TRUE(adder.add({0, "refused", "it's \"x\"\n\\"}, 0.1));
  ASSERT_TRUE(adder.add({0, "refused", std::nullopt}, 1e300));
  const DrainReport report = drain_all();
  EXPECT_FALSE(report.error);
  EXPECT_EQ(report.rows_written, 1);
  EXPECT_EQ(files(), 0U);
  EXPECT_EQ(sink_.total, (std::map<std::string, double>{{"a", 1}}));
  const DeliveryRecord* delivery = targets_->delivery(kFingerprint);
  EXPECT_EQ(delivery->rows_refused.load(), 2U);
  EXPECT_EQ(delivery->rows_written.load(), 1U);
  EXPECT_EQ(delivery->failures.load(), 0U);
  EXPECT_NE(delivery->error_text().find("too \"large\""), std::string::npos);

  const std::string lines = text_set_aside();
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 2);
  for (const char* part :
       {R"({"name":"refused","argument":"it's \"x\"\u000a\\","slot":)", R"({"name":"refused","argument":null,"slot":)",
        R"(,"total":0.1,"count":1,"minimum":0.1,"maximum":0.1,"hash":")", R"(,"total":1e+300,"count":1,)",
        R"(,"reason":"too \"large\""})"}) {
    EXPECT_NE(lines.find(part), std::string::npos) << part << " in " << lines;
  }
}

TEST_F(DrainTest, ABatchOfRefusedRowsOnlyCompletes) {
  Adder adder = accumulator();
  ASSERT_TRUE(adder.add({0, "refused", std::nullopt}, 1));
  const DrainReport report = drain_all();
  EXPECT_FALSE(report.error);
  EXPECT_EQ(report.rows_written, 0);
  EXPECT_EQ(files(), 0U);
  EXPECT_EQ(tables_->drains().waiting.load(), 0U);
  EXPECT_NE(text_set_aside().find("refused"), std::string::npos);
}

TEST_F(DrainTest, ARefusedRowThatCanBeSetAsideNowhereKeepsItsBatchWaiting) {
  Adder adder = accumulator();
  ASSERT_TRUE(adder.add({0, "a", std::nullopt}, 1));
  ASSERT_TRUE(adder.add({0, "refused", std::nullopt}, 1));
  spool_max_ = 4096;  // Holds the batch, and one file of refused rows.
  EXPECT_EQ(drain_all().rows_written, 1);
  ASSERT_TRUE(adder.add({0, "a", std::nullopt}, 1));
  ASSERT_TRUE(adder.add({0, "refused", std::nullopt}, 1));
  const DrainReport report = drain_all(1000);
  ASSERT_TRUE(report.error);
  EXPECT_EQ(report.error->code, ErrorCode::no_space);
  EXPECT_NE(report.error->message.find("set-aside"), std::string::npos) << report.error->message;
  EXPECT_EQ(files(), 1U);
  EXPECT_EQ(sink_.total["a"], 1);
  std::filesystem::remove_all(data_ + "/spool/set-aside");
  EXPECT_EQ(drain_all(2000).rows_written, 1);
  EXPECT_EQ(sink_.total["a"], 2);
  EXPECT_EQ(targets_->delivery(kFingerprint)->rows_refused.load(), 2U);
}

TEST_F(DrainTest, ABatchThatWasCommittedBeforeAKillKeepsItsRefusedRowsOnce) {
  Adder adder = accumulator();
  ASSERT_TRUE(adder.add({0, "a", std::nullopt}, 1));
  ASSERT_TRUE(adder.add({0, "refused", std::nullopt}, 1));
  sink_.failures = 1;
  drain_all(0);
  const std::string kept = folder_.file("kept");
  std::filesystem::copy(data_ + "/spool", kept);
  drain_all(60);
  // As after a kill between the commit and the removal of the batch.
  std::filesystem::copy(kept, data_ + "/spool",
                        std::filesystem::copy_options::recursive | std::filesystem::copy_options::skip_existing);
  ASSERT_EQ(files(), 1U);
  EXPECT_FALSE(drain_all(120).error);
  EXPECT_EQ(files(), 0U);
  EXPECT_EQ(sink_.total["a"], 1);
  const std::string lines = text_set_aside();
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 1);
}

TEST_F(DrainTest, AnOutageBeyondTheQuotaFillsMemoryAndThenAllArrivesInOrder) {
  Adder adder = accumulator();
  sink_.failures = 1000;
  constexpr int kOnDisk = 4;
  spool_max_ = kOnDisk * kBlock;
  int added = 0;
  for (int minute = 0; minute < 20; ++minute) {
    added += adder.add({0, "a", std::nullopt}, 1) ? 1 : 0;
    drain_all(minute * 60);
    EXPECT_LE(files(), static_cast<std::size_t>(kOnDisk));
  }
  EXPECT_EQ(added, kOnDisk + static_cast<int>(MinuteTables::kTables)) << "no more: nothing in memory is overwritten";
  EXPECT_EQ(free_tables(), 0);
  EXPECT_EQ(tables_->drains().waiting.load(), static_cast<std::uint32_t>(added));
  sink_.failures = 0;
  const DrainReport report = drain_all(1'000'000);
  EXPECT_FALSE(report.error) << report.error->message;
  EXPECT_EQ(report.rows_written, added) << "what was on disk made room";
  EXPECT_EQ(sink_.total["a"], added);
  EXPECT_EQ(free_tables(), 8);
  EXPECT_EQ(files(), 0U);
  EXPECT_TRUE(std::is_sorted(sink_.numbers.begin(), sink_.numbers.end()));
  EXPECT_EQ(sink_.numbers.size(), static_cast<std::size_t>(added));
}

TEST_F(DrainTest, ADatabaseThatFillsTheQuotaDoesNotKeepOthersFromTheirs) {
  ASSERT_EQ(targets_->find_or_add(kOther, "sqlite:/elsewhere"), TargetIndex{1});
  Adder adder = accumulator();
  sink_.failures = 1000;
  spool_max_ = 2 * kBlock;
  int added = 0;
  for (int minute = 0; minute < 20; ++minute) {
    const bool here = adder.add({0, "a", std::nullopt}, 1);
    ASSERT_EQ(adder.add({1, "b", std::nullopt}, 1), here);
    added += here ? 1 : 0;
    drain_all(minute * 60);
    EXPECT_EQ(other_sink_.total["b"], added) << "minute " << minute;
  }
  sink_.failures = 0;
  for (int i = 0; i < 5; ++i) {
    drain_all(1'000'000 + i * 10);
  }
  EXPECT_EQ(sink_.total["a"], added);
  EXPECT_EQ(other_sink_.total["b"], added);
  const std::set<std::uint64_t> once(other_sink_.numbers.begin(), other_sink_.numbers.end());
  EXPECT_EQ(once.size(), other_sink_.numbers.size());
  EXPECT_EQ(free_tables(), 8);
  EXPECT_EQ(files(), 0U);
}

/// A small file system of the test's own; not there unless the test runs as root.
class SmallDisk {
 public:
  explicit SmallDisk(std::string path) : path_(std::move(path)) {
    mkdir(path_.c_str(), 0700);
    mounted_ = mount("tmpfs", path_.c_str(), "tmpfs", 0, "size=64k,mode=0700") == 0;
  }
  ~SmallDisk() {
    if (mounted_) {
      umount2(path_.c_str(), MNT_DETACH);
    }
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  [[nodiscard]] bool mounted() const { return mounted_; }

  /// Takes all space that is left.
  void fill() const {
    std::ofstream file(path_ + "/filling");
    const std::string block(kBytes, 'x');
    while (file.write(block.data(), kBytes).flush()) {
    }
  }
  void empty() const { std::filesystem::remove(path_ + "/filling"); }

 private:
  static constexpr std::streamsize kBytes = 1024;
  std::string path_;
  bool mounted_ = false;
};

TEST_F(DrainTest, AFullDiskKeepsRowsInMemoryUntilThereIsRoomOrTheDatabaseIsBack) {
  const SmallDisk disk(folder_.file("disk"));
  if (!disk.mounted()) {
    GTEST_SKIP() << "mounting a file system needs root";
  }
  data_ = folder_.file("disk/data");
  Adder adder = accumulator();
  ASSERT_TRUE(adder.add({0, "a", std::nullopt}, 1));
  sink_.failures = 2;
  drain_all(0);
  ASSERT_EQ(files(), 1U);
  disk.fill();
  ASSERT_TRUE(adder.add({0, "a", std::nullopt}, 10));
  const DrainReport full = drain_all(1000);
  ASSERT_TRUE(full.error);
  EXPECT_EQ(files(), 1U);
  EXPECT_EQ(free_tables(), 7);
  // The database first: what is on disk goes, and then what is in memory, without the disk.
  drain_all(2000);
  EXPECT_EQ(sink_.total["a"], 11);
  EXPECT_EQ(files(), 0U);
  EXPECT_EQ(free_tables(), 8);
  // The disk first.
  ASSERT_TRUE(adder.add({0, "a", std::nullopt}, 100));
  sink_.failures = 1;
  drain_all(3000);
  EXPECT_EQ(files() + static_cast<std::size_t>(8 - free_tables()), 1U);
  disk.empty();
  sink_.failures = 1;
  drain_all(4000);
  EXPECT_EQ(files(), 1U);
  drain_all(5000);
  EXPECT_EQ(sink_.total["a"], 111);
  EXPECT_EQ(sink_.numbers, (std::vector<std::uint64_t>{1, 2, 3}));
}

TEST_F(DrainTest, ARefusedRowOnAFullDiskKeepsItsBatchFromBeingCommitted) {
  const SmallDisk disk(folder_.file("disk"));
  if (!disk.mounted()) {
    GTEST_SKIP() << "mounting a file system needs root";
  }
  data_ = folder_.file("disk/data");
  Adder adder = accumulator();
  ASSERT_TRUE(adder.add({0, "a", std::nullopt}, 1));
  ASSERT_TRUE(adder.add({0, "refused", std::nullopt}, 1));
  sink_.failures = 1;
  drain_all(0);
  disk.fill();
  const DrainReport report = drain_all(1000);
  ASSERT_TRUE(report.error);
  EXPECT_EQ(report.error->code, ErrorCode::no_space) << report.error->message;
  EXPECT_TRUE(sink_.total.empty());
  disk.empty();
  drain_all(2000);
  EXPECT_EQ(sink_.total["a"], 1);
  EXPECT_NE(text_set_aside().find("refused"), std::string::npos);
}

TEST_F(DrainTest, TwoAtOnceDoNotGetInEachOthersWay) {
  Result<UniqueFd> other = segment_->reopen();
  ASSERT_TRUE(other.ok());
  ASSERT_TRUE(file_lock::try_acquire(other->get(), LockByte::flush));
  EXPECT_FALSE(drain_all().ran);
  other->reset();
  EXPECT_TRUE(drain_all().ran);
}

/// A run that is cut off by a kill somewhere, again and again, until one comes through. The sink is a file that
/// remembers batch numbers, as the ledger of a database does.
TEST_F(DrainTest, KilledAnywhereTheNextRunGoesOnWithoutLosingOrDoublingARow) {
  class FileSink : public Sink {
   public:
    explicit FileSink(std::string path) : path_(std::move(path)) {}
    Status install() override { return {}; }
    using Sink::write;
    Result<WriteReport> write(const BatchId& id, std::span<const CounterRow> rows, BatchNotes&) override {
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
      return WriteReport();
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
