// What every sink promises, on every database there is.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <set>
#include <thread>

#include "base/clock.h"
#include "unit/sinks/sink_under_test.h"
#include "unit/temp_folder.h"

namespace presence {
namespace {

using test::kSlot;
using test::row;
using test::sorted;
using test::source;

// A database with room for one test's tables.
class Database {
 public:
  virtual ~Database() = default;
  [[nodiscard]] virtual std::string dsn() const = 0;
  // What must be there before install() is called.
  virtual void prepare() {}
  // From here on rows whose name begins with "bad" are refused.
  virtual void refuse_bad_names() = 0;
};

class SqliteDatabase final : public Database {
 public:
  [[nodiscard]] std::string dsn() const override { return "sqlite:" + path(); }
  void refuse_bad_names() override {
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open(path().c_str(), &database), SQLITE_OK);
    EXPECT_EQ(
        sqlite3_exec(database,
                     "CREATE TRIGGER no_bad_names BEFORE INSERT ON counter WHEN NEW.name LIKE 'bad%' BEGIN SELECT "
                     "RAISE(ABORT, 'no_bad_names'); END",
                     nullptr, nullptr, nullptr),
        SQLITE_OK);
    sqlite3_close(database);
  }

 private:
  [[nodiscard]] std::string path() const { return folder_.file("counters.sqlite"); }

  TempFolder folder_;
};

#ifdef PRESENCE_HAVE_MYSQL
class MysqlDatabase : public Database {
 public:
  explicit MysqlDatabase(const std::string& server) : table_(server) {}
  [[nodiscard]] std::string dsn() const override { return table_.dsn(); }
  void refuse_bad_names() override {
    table_.run("ALTER TABLE `" + table_.name() + "` ADD CONSTRAINT no_bad_names CHECK (name NOT LIKE 'bad%')");
  }

 protected:
  test::MysqlTable table_;
};

class ExistingMysqlDatabase final : public MysqlDatabase {
 public:
  using MysqlDatabase::MysqlDatabase;
  void prepare() override { table_.create_existing_table(); }
};
#endif

struct Kind {
  const char* name;
  bool needs_mysql;
  bool stores_doubles;  // The existing table stores FLOATs.
  std::unique_ptr<Database> (*make)();
};

void PrintTo(const Kind& kind, std::ostream* out) { *out << kind.name; }

const Kind kKinds[] = {
    {"sqlite", false, true, [] { return std::unique_ptr<Database>(new SqliteDatabase); }},
#ifdef PRESENCE_HAVE_MYSQL
    {"mysql", true, true, [] { return std::unique_ptr<Database>(new MysqlDatabase(*test::mysql_dsn())); }},
    {"mysql_existing_table", true, false,
     [] { return std::unique_ptr<Database>(new ExistingMysqlDatabase(*test::mysql_dsn())); }},
#endif
};

class SinkContractTest : public testing::TestWithParam<Kind> {
 protected:
  void SetUp() override {
    if (GetParam().needs_mysql && !test::mysql_dsn()) {
      if (test::servers_required()) {
        FAIL() << "PRESENCE_TEST_MYSQL must hold a DSN";
      }
      GTEST_SKIP() << "PRESENCE_TEST_MYSQL is not set";
    }
    database_ = GetParam().make();
    database_->prepare();
    sink_ = test::open(database_->dsn());
    expect_ok(sink_->install());
  }

  static void expect_ok(const Status& status) {
    EXPECT_TRUE(status.ok()) << (status.ok() ? "" : status.error().message);
  }

  void write(std::vector<CounterRow> rows, const BatchId& id = {}) {
    expect_ok(test::write(*sink_, id, sorted(std::move(rows))));
  }

  std::vector<CounterBucket> read(const CounterQuery& query) {
    auto buckets = sink_->read(query);
    EXPECT_TRUE(buckets.ok()) << (buckets.ok() ? "" : buckets.error().message);
    return buckets.ok() ? *buckets : std::vector<CounterBucket>{};
  }

  // The sums of one series, of all time.
  Sums sums(const std::string& name, std::optional<std::string> argument = std::nullopt) {
    const auto buckets = read(
        {.name = name, .argument = std::move(argument), .since = 0, .until = 4'000'000'000, .step = 4'000'000'020});
    return buckets.size() == 1 ? buckets[0].sums : Sums{};
  }

  std::unique_ptr<Database> database_;
  std::unique_ptr<Sink> sink_;
};

TEST_P(SinkContractTest, ReadsTheLedgerOfTheSameMomentAlong) {
  write({row("a", std::nullopt, kSlot, {1, 1, 1, 1})}, {source('a'), 7});
  const std::vector<std::string> sources{source('a'), source('b')};
  const CounterQuery query{.name = "a", .argument = std::nullopt, .since = 0, .until = 4'000'000'000};
  const Result<StoredCounters> stored = sink_->read_with_ledger(query, sources);
  ASSERT_TRUE(stored.ok()) << stored.error().message;
  ASSERT_EQ(stored->buckets.size(), 1U);
  EXPECT_EQ(stored->buckets[0].slot, kSlot);
  EXPECT_EQ(stored->buckets[0].sums.total, 1);
  EXPECT_EQ(stored->last_batches, (LedgerNumbers{{source('a'), 7}}));
  EXPECT_TRUE(stored->includes({source('a'), 7}));
  EXPECT_FALSE(stored->includes({source('a'), 8}));
  EXPECT_FALSE(stored->includes({source('b'), 1}));
  EXPECT_EQ(sink_->read_with_ledger({.name = "nobody", .argument = std::nullopt, .since = 0, .until = 1}, sources)
                ->last_batches.size(),
            1U)
      << "also where there are no rows";
}

TEST_P(SinkContractTest, InstallTwiceLeavesWhatIsThere) {
  write({row("a", std::nullopt, kSlot, {3, 3, 3, 1})}, {source('a'), 7});
  expect_ok(sink_->install());
  EXPECT_EQ(sums("a").count, 1);
  write({row("a", std::nullopt, kSlot, {3, 3, 3, 1})}, {source('a'), 7});
  EXPECT_EQ(sums("a").count, 1);
}

TEST_P(SinkContractTest, BatchesAddUp) {
  write({row("a", std::nullopt, kSlot, {6, 1, 3, 3}), row("a", "x", kSlot, {0.5, 0.5, 0.5, 1})});
  write({row("a", std::nullopt, kSlot, {-4, -4, -4, 1}), row("a", "x", kSlot, {8, 8, 8, 1})});
  const Sums x = sums("a", "x");
  EXPECT_EQ(x.total, 8.5);
  EXPECT_EQ(x.minimum, 0.5);
  EXPECT_EQ(x.maximum, 8);
  EXPECT_EQ(x.count, 2);
  const Sums all = sums("a");
  EXPECT_EQ(all.total, 10.5);
  EXPECT_EQ(all.minimum, -4);
  EXPECT_EQ(all.maximum, 8);
  EXPECT_EQ(all.count, 6);
}

TEST_P(SinkContractTest, NoArgumentIsNotTheEmptyArgument) {
  write({row("a", std::nullopt, kSlot, {1, 1, 1, 1}), row("a", "", kSlot, {2, 2, 2, 1})});
  EXPECT_EQ(sums("a", "").total, 2);
  EXPECT_EQ(sums("a").total, 3);
}

TEST_P(SinkContractTest, TextComesBackAsItWas) {
  const std::vector<std::string> texts{"\xF0\x9F\x98\x80 \xC3\xA9",
                                       "it's \"quoted\" `so`",
                                       "back\\slash\\",
                                       "\\'; DROP TABLE counter; --",
                                       "100% _ %s ?",
                                       "line\nbreak\ttab\r",
                                       "x'41' \x1A",
                                       std::string(64, 'n')};
  std::vector<CounterRow> rows;
  double value = 1;
  for (const std::string& text : texts) {
    rows.push_back(row(text, text, kSlot, {value, value, value, 1}));
    value *= 2;
  }
  write(rows);
  value = 1;
  for (const std::string& text : texts) {
    EXPECT_EQ(sums(text, text).total, value) << text;
    EXPECT_EQ(sums(text).total, value) << text;
    value *= 2;
  }
}

TEST_P(SinkContractTest, NamesAndArgumentsDifferByCaseAccentAndSpace) {
  write({row("a", "b", kSlot, {1, 1, 1, 1}), row("A", "b", kSlot, {2, 2, 2, 1}), row("a", "B", kSlot, {4, 4, 4, 1}),
         row("a", "b ", kSlot, {8, 8, 8, 1}), row("a ", "b", kSlot, {16, 16, 16, 1}),
         row("\xC3\xA1", "b", kSlot, {32, 32, 32, 1})});
  EXPECT_EQ(sums("a").total, 13);
  EXPECT_EQ(sums("A").total, 2);
  EXPECT_EQ(sums("a ").total, 16);
  EXPECT_EQ(sums("\xC3\xA1").total, 32);
  EXPECT_EQ(sums("a", "b").total, 1);
  EXPECT_EQ(sums("a", "B").total, 4);
  EXPECT_EQ(sums("a", "b ").total, 8);
}

TEST_P(SinkContractTest, TenThousandRows) {
  std::vector<CounterRow> rows;
  for (int i = 0; i < 10'000; ++i) {
    rows.push_back(row("many", std::string(100, 'x') + std::to_string(i), kSlot, {1, 1, 1, 1}));
  }
  write(rows, {source('a'), 1});
  write(rows, {source('a'), 2});
  EXPECT_EQ(sums("many").total, 20'000);
  EXPECT_EQ(sums("many").count, 20'000);
  EXPECT_EQ(sums("many", std::string(100, 'x') + "9999").count, 2);
}

TEST_P(SinkContractTest, ABatchIsAppliedOnce) {
  const BatchId first{source('a'), 1};
  write({row("a", std::nullopt, kSlot, {1, 1, 1, 1})}, first);
  write({row("a", std::nullopt, kSlot, {1, 1, 1, 1})}, first);
  EXPECT_EQ(sums("a").count, 1);
  write({row("a", std::nullopt, kSlot, {1, 1, 1, 1})}, {source('a'), 2});
  EXPECT_EQ(sums("a").count, 2);
  // A lower number is an old batch that was sent again.
  write({row("a", std::nullopt, kSlot, {1, 1, 1, 1})}, first);
  EXPECT_EQ(sums("a").count, 2);
}

TEST_P(SinkContractTest, ABatchIsAppliedOnceOverConnections) {
  write({row("a", std::nullopt, kSlot, {1, 1, 1, 1})}, {source('a'), 0});
  auto other = test::open(database_->dsn());
  expect_ok(test::write(*other, {source('a'), 0}, sorted({row("a", std::nullopt, kSlot, {1, 1, 1, 1})})));
  EXPECT_EQ(sums("a").count, 1);
}

TEST_P(SinkContractTest, EachSourceHasItsOwnNumbers) {
  write({row("a", std::nullopt, kSlot, {1, 1, 1, 1})}, {source('a'), 5});
  write({row("a", std::nullopt, kSlot, {1, 1, 1, 1})}, {source('b'), 1});
  EXPECT_EQ(sums("a").count, 2);
}

TEST_P(SinkContractTest, WithoutASourceNothingIsRemembered) {
  write({row("a", std::nullopt, kSlot, {1, 1, 1, 1})}, {"", 1});
  write({row("a", std::nullopt, kSlot, {1, 1, 1, 1})}, {"", 1});
  EXPECT_EQ(sums("a").count, 2);
}

TEST_P(SinkContractTest, AnEmptyBatchStillMovesItsNumber) {
  write({}, {source('a'), 3});
  write({row("a", std::nullopt, kSlot, {1, 1, 1, 1})}, {source('a'), 3});
  EXPECT_TRUE(read({.name = "a", .argument = std::nullopt, .since = 0, .until = 4'000'000'000}).empty());
  write({});
}

TEST_P(SinkContractTest, ASourceThatIsNoHexNumberIsRefused) {
  for (const char* bad : {"x", "' OR 1=1 OR '", "ABCDEFABCDEFABCDEFABCDEFABCDEFAB"}) {
    const Status status = test::write(*sink_, {bad, 1}, sorted({row("a", std::nullopt, kSlot, {1, 1, 1, 1})}));
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().code, ErrorCode::internal);
  }
  EXPECT_EQ(sums("a").count, 0);
}

// Two servers that flush the same minute, often.
TEST_P(SinkContractTest, WritersAtTheSameTimeAddUpExactly) {
  constexpr int kWriters = 2;
  constexpr int kBatches = 15;
  constexpr int kRows = 60;
  std::vector<CounterRow> rows;
  for (int i = 0; i < kRows; ++i) {
    rows.push_back(row("shared", std::to_string(i), kSlot, {2, 2, 2, 1}));
  }
  rows = sorted(rows);
  std::vector<std::thread> writers;
  std::vector<std::string> errors(kWriters);
  for (int w = 0; w < kWriters; ++w) {
    writers.emplace_back([&, w] {
      auto sink = test::open(database_->dsn(), 20);
      for (int b = 1; b <= kBatches; ++b) {
        const BatchId id{source(static_cast<char>('a' + w)), static_cast<std::uint64_t>(b)};
        if (const Status status = test::write(*sink, id, rows); !status) {
          errors[static_cast<std::size_t>(w)] = status.error().message;
        }
      }
    });
  }
  for (std::thread& writer : writers) {
    writer.join();
  }
  EXPECT_EQ(errors, std::vector<std::string>(kWriters));
  EXPECT_EQ(sums("shared").count, kWriters * kBatches * kRows);
  EXPECT_EQ(sums("shared").total, 2.0 * kWriters * kBatches * kRows);
  EXPECT_EQ(sums("shared", "0").count, kWriters * kBatches);
}

// One batch sent by two processes, as after a flusher was taken for dead.
TEST_P(SinkContractTest, OneBatchFromTwoWritersAtTheSameTimeIsAppliedOnce) {
  constexpr int kBatches = 10;
  const auto work = [this] {
    auto sink = test::open(database_->dsn(), 20);
    for (std::uint64_t b = 1; b <= kBatches; ++b) {
      expect_ok(test::write(*sink, {source('c'), b}, sorted({row("once", std::nullopt, kSlot, {1, 1, 1, 1})})));
    }
  };
  std::thread one(work);
  std::thread two(work);
  one.join();
  two.join();
  // A batch may come late, when the other writer is ahead; then it has been applied there.
  EXPECT_EQ(sums("once").count, kBatches);
}

TEST_P(SinkContractTest, ReadsByStep) {
  constexpr UnixTime kDay = 86'400;
  constexpr UnixTime kMidnight = 1'699'920'000;
  static_assert(kMidnight % kDay == 0);
  write({row("a", "x", kMidnight, {1, 1, 1, 1}), row("a", "x", kMidnight + 3540, {2, 2, 2, 1}),
         row("a", "y", kMidnight + 3600, {4, 4, 4, 2}), row("a", "x", kMidnight + kDay, {8, 8, 8, 1}),
         row("b", "x", kMidnight, {1000, 1000, 1000, 1})});

  const auto minutes = read({.name = "a", .argument = std::nullopt, .since = kMidnight, .until = kMidnight + 2 * kDay});
  ASSERT_EQ(minutes.size(), 4U);
  EXPECT_EQ(minutes[0].slot, kMidnight);
  EXPECT_EQ(minutes[1].slot, kMidnight + 3540);

  const auto hours =
      read({.name = "a", .argument = std::nullopt, .since = kMidnight, .until = kMidnight + 2 * kDay, .step = 3600});
  ASSERT_EQ(hours.size(), 3U);
  EXPECT_EQ(hours[0].slot, kMidnight);
  EXPECT_EQ(hours[0].sums.total, 3);
  EXPECT_EQ(hours[0].sums.minimum, 1);
  EXPECT_EQ(hours[0].sums.maximum, 2);
  EXPECT_EQ(hours[0].sums.count, 2);
  EXPECT_EQ(hours[1].slot, kMidnight + 3600);
  EXPECT_EQ(hours[1].sums.count, 2);
  EXPECT_EQ(hours[2].slot, kMidnight + kDay);

  const auto days =
      read({.name = "a", .argument = std::nullopt, .since = kMidnight, .until = kMidnight + 2 * kDay, .step = kDay});
  ASSERT_EQ(days.size(), 2U);
  EXPECT_EQ(days[0].sums.total, 7);
  EXPECT_EQ(days[1].slot, kMidnight + kDay);

  const auto x = read({.name = "a", .argument = "x", .since = kMidnight, .until = kMidnight + 2 * kDay, .step = kDay});
  ASSERT_EQ(x.size(), 2U);
  EXPECT_EQ(x[0].sums.total, 3);
}

TEST_P(SinkContractTest, SinceIsInclusiveAndUntilExclusive) {
  write({row("a", std::nullopt, kSlot, {1, 1, 1, 1}), row("a", std::nullopt, kSlot + 60, {2, 2, 2, 1})});
  EXPECT_EQ(read({.name = "a", .argument = std::nullopt, .since = kSlot, .until = kSlot + 60}).size(), 1U);
  EXPECT_EQ(read({.name = "a", .argument = std::nullopt, .since = kSlot + 1, .until = kSlot + 61}).size(), 1U);
  EXPECT_EQ(read({.name = "a", .argument = std::nullopt, .since = kSlot, .until = kSlot}).size(), 0U);
  EXPECT_EQ(read({.name = "z", .argument = std::nullopt, .since = 0, .until = kSlot + 600}).size(), 0U);
}

TEST_P(SinkContractTest, BucketsBeginBelowTheirRowsBefore1970) {
  write({row("a", std::nullopt, -60, {1, 1, 1, 1}), row("a", std::nullopt, -3660, {2, 2, 2, 1})});
  const auto hours = read({.name = "a", .argument = std::nullopt, .since = -86'400, .until = 0, .step = 3600});
  ASSERT_EQ(hours.size(), 2U);
  EXPECT_EQ(hours[0].slot, -7200);
  EXPECT_EQ(hours[1].slot, -3600);
}

// Every bit that the column has room for.
TEST_P(SinkContractTest, NumbersKeepEveryBit) {
  const auto fits = [](double value) {
    const double size = std::abs(value);
    return GetParam().stores_doubles || size == 0 || (size > 1e-37 && size < 1e38);
  };
  const auto stored_as = [](double value) {
    return GetParam().stores_doubles ? value : static_cast<double>(static_cast<float>(value));
  };
  const double values[] = {0.1,
                           1.005,
                           1.0 / 3,
                           -0.0347,
                           1e308,
                           -1e308,
                           std::numeric_limits<double>::max(),
                           std::numeric_limits<double>::min(),
                           std::numeric_limits<double>::epsilon(),
                           -0.0,
                           9007199254740992.0,
                           9007199254740991.0,
                           123456789012345680.0,
                           0.00012345678901234567,
                           -1.2345678901234567e-300};
  std::vector<CounterRow> rows;
  for (const double value : values) {
    if (fits(value)) {
      rows.push_back(row("d", std::to_string(rows.size()), kSlot, {value, value, value, 1}));
    }
  }
  ASSERT_GE(rows.size(), 10U);
  write(rows);
  for (const CounterRow& written : rows) {
    const double expected = stored_as(written.sums.total);
    const Sums stored = sums("d", written.argument);
    EXPECT_EQ(stored.total, expected);
    EXPECT_EQ(stored.minimum, expected);
    EXPECT_EQ(stored.maximum, expected);
  }
}

TEST_P(SinkContractTest, SubnormalsComeBackOrBecomeZero) {
  const double tiny = std::numeric_limits<double>::denorm_min();
  write({row("tiny", std::nullopt, kSlot, {tiny, tiny, tiny, 1})});
  const Sums stored = sums("tiny");
  EXPECT_TRUE(stored.total == tiny || stored.total == 0) << stored.total;
  EXPECT_EQ(stored.count, 1);
}

TEST_P(SinkContractTest, WholeNumbersAddUpExactly) {
  const double limit = GetParam().stores_doubles ? 9007199254740992.0 : 16777216.0;  // 2^53, 2^24.
  write({row("i", std::nullopt, kSlot, {limit - 2, 1, 1, 1})});
  write({row("i", std::nullopt, kSlot, {1, 1, 1, 1})});
  EXPECT_EQ(sums("i").total, limit - 1);
}

TEST_P(SinkContractTest, CountsAreWhole) {
  const std::int64_t count = GetParam().stores_doubles ? (std::int64_t{1} << 53) + 1 : 2'000'000'000;
  write({row("c", std::nullopt, kSlot, {1, 1, 1, count})});
  EXPECT_EQ(sums("c").count, count);
}

// FLOATs have 24 bits: what is read is what is stored, not what is left of it in six digits.
TEST_P(SinkContractTest, AFloatIsReadWithAllItsDigits) {
  write({row("f", std::nullopt, kSlot, {16777215, 16777215, 16777215, 1})});
  const Sums stored = sums("f");
  EXPECT_EQ(stored.total, 16777215);
  EXPECT_EQ(stored.minimum, 16777215);
  EXPECT_EQ(stored.maximum, 16777215);
}

// Notes that remember what they were told, and fail when told to.
class Notes final : public BatchNotes {
 public:
  Status before_commit(std::span<const RefusedRow> refused, std::span<const StoredSums> expected) override {
    ++commits;
    refused_rows.assign(refused.begin(), refused.end());
    expected_rows.assign(expected.begin(), expected.end());
    return fail ? Status(Error{ErrorCode::no_space, "the disk is full"}) : Status();
  }

  bool fail = false;
  int commits = 0;
  std::vector<RefusedRow> refused_rows;
  std::vector<StoredSums> expected_rows;
};

class RefusedRowsTest : public SinkContractTest {
 protected:
  void SetUp() override {
    SinkContractTest::SetUp();
    if (sink_) {
      database_->refuse_bad_names();
    }
  }

  // Good rows with bad ones at the given places, in the order of their hashes, which are made up.
  static std::vector<CounterRow> rows_with_bad_ones_at(std::size_t count, const std::set<std::size_t>& places) {
    std::vector<CounterRow> rows;
    for (std::size_t i = 0; i < count; ++i) {
      rows.push_back(row(places.contains(i) ? "bad" : "good", std::to_string(i), kSlot, {2, 2, 2, 1}));
      std::snprintf(rows.back().hash.data(), rows.back().hash.size(), "%031zu", i);
      rows.back().hash.back() = 'f';
    }
    return rows;
  }

  static std::set<std::size_t> places(const std::vector<RefusedRow>& refused) {
    std::set<std::size_t> found;
    for (const RefusedRow& row : refused) {
      found.insert(row.index);
      EXPECT_NE(row.reason.find("no_bad_names"), std::string::npos) << row.reason;
    }
    EXPECT_EQ(found.size(), refused.size());
    EXPECT_TRUE(std::is_sorted(refused.begin(), refused.end(),
                               [](const RefusedRow& a, const RefusedRow& b) { return a.index < b.index; }));
    return found;
  }
};

TEST_P(RefusedRowsTest, AreFoundAndTheRestIsWritten) {
  const std::set<std::size_t> kExamples[] = {
      {0}, {2499}, {0, 1, 2, 3}, {999, 1000, 1001, 1999}, {7, 77, 777, 1777, 2477}};
  std::uint64_t number = 0;
  std::int64_t good = 0;
  for (const std::set<std::size_t>& bad : kExamples) {
    const std::vector<CounterRow> rows = rows_with_bad_ones_at(2500, bad);
    Notes notes;
    const Result<WriteReport> report = sink_->write({source('a'), ++number}, rows, notes);
    ASSERT_TRUE(report.ok()) << report.error().message;
    EXPECT_EQ(report->outcome, WriteReport::Outcome::committed);
    EXPECT_EQ(places(report->refused), bad);
    EXPECT_EQ(places(notes.refused_rows), bad) << "told before the commit";
    good += static_cast<std::int64_t>(rows.size() - bad.size());
    EXPECT_EQ(sums("good").count, good);
    EXPECT_EQ(sums("good").total, 2.0 * static_cast<double>(good));
    EXPECT_EQ(sums("bad").count, 0);
    // The ledger went with them.
    const Result<WriteReport> again = sink_->write({source('a'), number}, rows);
    ASSERT_TRUE(again.ok());
    EXPECT_EQ(again->outcome, WriteReport::Outcome::known);
    EXPECT_EQ(sums("good").count, good);
  }
}

TEST_P(RefusedRowsTest, ABatchOfWhichNothingIsTakenCompletes) {
  const std::vector<CounterRow> rows = rows_with_bad_ones_at(3, {0, 1, 2});
  const Result<WriteReport> report = sink_->write({source('a'), 1}, rows);
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(places(report->refused), (std::set<std::size_t>{0, 1, 2}));
  const Result<WriteReport> again = sink_->write({source('a'), 1}, rows);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->outcome, WriteReport::Outcome::known);
  EXPECT_EQ(sums("good").count + sums("bad").count, 0);
}

TEST_P(RefusedRowsTest, WithoutALedgerTheyAreReportedToo) {
  const Result<WriteReport> report = sink_->write({}, rows_with_bad_ones_at(10, {4}));
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(places(report->refused), (std::set<std::size_t>{4}));
  EXPECT_EQ(sums("good").count, 9);
}

TEST_P(RefusedRowsTest, NothingIsWrittenWhereTheyCannotBeKept) {
  const std::vector<CounterRow> rows = rows_with_bad_ones_at(10, {4});
  Notes notes;
  notes.fail = true;
  const Result<WriteReport> failed = sink_->write({source('a'), 1}, rows, notes);
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().code, ErrorCode::no_space);
  EXPECT_EQ(sums("good").count, 0);
  notes.fail = false;
  const Result<WriteReport> report = sink_->write({source('a'), 1}, rows, notes);
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(report->outcome, WriteReport::Outcome::committed);
  EXPECT_EQ(sums("good").count, 9);
  EXPECT_EQ(notes.commits, 2);
}

INSTANTIATE_TEST_SUITE_P(Sinks, RefusedRowsTest, testing::ValuesIn(kKinds),
                         [](const testing::TestParamInfo<Kind>& kind) { return std::string(kind.param.name); });

INSTANTIATE_TEST_SUITE_P(Sinks, SinkContractTest, testing::ValuesIn(kKinds),
                         [](const testing::TestParamInfo<Kind>& kind) { return std::string(kind.param.name); });

}  // namespace
}  // namespace presence
