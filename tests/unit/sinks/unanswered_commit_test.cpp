// Commits whose answers get lost, over connections that really break, with and without a ledger.
#ifdef PRESENCE_HAVE_MYSQL

#include <gtest/gtest.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "unit/sinks/cutting_proxy.h"
#include "unit/sinks/sink_under_test.h"

namespace presence {
namespace {

using test::Cut;
using test::kSlot;
using test::row;
using test::sorted;
using test::source;

/// Remembers the last attempt, as the files beside a batch do.
class Notes final : public BatchNotes {
 public:
  Status before_commit(std::span<const RefusedRow>, std::span<const StoredSums> expected) override {
    attempt.assign(expected.begin(), expected.end());
    return {};
  }
  void not_committed() override { attempt.clear(); }
  Result<std::vector<StoredSums>> unanswered() override { return attempt; }

  std::vector<StoredSums> attempt;
};

struct Example {
  const char* name;
  bool has_ledger;
};

void PrintTo(const Example& example, std::ostream* out) { *out << example.name; }

class UnansweredCommitTest : public testing::TestWithParam<Example> {
 protected:
  void SetUp() override {
    const auto server = test::mysql_dsn();
    if (!server) {
      if (test::servers_required()) {
        FAIL() << "PRESENCE_TEST_MYSQL must hold a DSN";
      }
      GTEST_SKIP() << "PRESENCE_TEST_MYSQL is not set";
    }
    table_ = std::make_unique<test::MysqlTable>(*server);
    ASSERT_TRUE(table_->ready());
    if (GetParam().has_ledger) {
      ASSERT_TRUE(test::open(table_->dsn())->install().ok());
    } else {
      table_->create_existing_table();
    }
    const Dsn dsn = *parse_dsn(table_->dsn());
    proxy_ = std::make_unique<test::CuttingProxy>(dsn);
    sink_ = test::open(proxy_->through(table_->dsn(), dsn));
  }

  void TearDown() override {
    sink_.reset();
    proxy_.reset();
  }

  static std::vector<CounterRow> rows() {
    std::vector<CounterRow> made;
    for (int i = 0; i < 100; ++i) {
      made.push_back(row("a", std::to_string(i), kSlot, {0.25 + i, 0.25, 1.0 + i, 1 + i % 3}));
    }
    return sorted(made);
  }

  /// Sum of all totals and of all counts, as text.
  std::string stored() {
    return table_->value("SELECT CONCAT(COALESCE(SUM(total), 0), ' ', COALESCE(SUM(count), 0)) FROM `" +
                         table_->name() + "`");
  }

  void write_unanswered(Cut how, std::uint64_t number) {
    proxy_->cut(how);
    const Result<WriteReport> lost = sink_->write({source('a'), number}, rows(), notes_);
    ASSERT_FALSE(lost.ok());
    EXPECT_EQ(lost.error().code, ErrorCode::unanswered) << lost.error().message;
    EXPECT_EQ(notes_.attempt.empty(), GetParam().has_ledger) << "a ledger needs no help";
  }

  WriteReport::Outcome write(std::uint64_t number) {
    const Result<WriteReport> report = sink_->write({source('a'), number}, rows(), notes_);
    EXPECT_TRUE(report.ok()) << report.error().message;
    return report.ok() ? report->outcome : WriteReport::Outcome::doubtful;
  }

  std::unique_ptr<test::MysqlTable> table_;
  std::unique_ptr<test::CuttingProxy> proxy_;
  std::unique_ptr<Sink> sink_;
  Notes notes_;
};

TEST_P(UnansweredCommitTest, ThatTookPlaceIsNotRepeated) {
  write_unanswered(Cut::after, 1);
  const std::string once = stored();
  EXPECT_EQ(once, "4975 199");
  EXPECT_EQ(write(1), WriteReport::Outcome::known);
  EXPECT_EQ(stored(), once);
  notes_ = {};
  EXPECT_EQ(write(2), WriteReport::Outcome::committed) << "and the next one is another one";
  EXPECT_EQ(stored(), "9950 398");
}

TEST_P(UnansweredCommitTest, ThatDidNotTakePlaceIsRepeated) {
  write_unanswered(Cut::before, 1);
  EXPECT_EQ(stored(), "0 0");
  EXPECT_EQ(write(1), WriteReport::Outcome::committed);
  EXPECT_EQ(stored(), "4975 199");
}

TEST_P(UnansweredCommitTest, SeveralTimesInARow) {
  ASSERT_EQ(write(1), WriteReport::Outcome::committed);
  notes_ = {};
  for (int i = 0; i < 3; ++i) {
    write_unanswered(Cut::before, 2);
  }
  write_unanswered(Cut::after, 2);
  EXPECT_EQ(write(2), WriteReport::Outcome::known);
  EXPECT_EQ(stored(), "9950 398");
  EXPECT_EQ(proxy_->cuts(), 4);
}

// The rows that others have left alone tell, whatever happened to the rest.
TEST_P(UnansweredCommitTest, OtherWritersAtSomeOfTheRowsDoNotHideThatItDidNotTakePlace) {
  write_unanswered(Cut::before, 1);
  std::vector<CounterRow> some = rows();
  some.resize(90);
  ASSERT_TRUE(test::write(*test::open(table_->dsn()), {source('b'), 1}, some).ok());
  const std::string theirs = table_->value("SELECT SUM(count) FROM `" + table_->name() + "`");
  EXPECT_EQ(write(1), WriteReport::Outcome::committed);
  EXPECT_EQ(table_->value("SELECT SUM(count) FROM `" + table_->name() + "`"), std::to_string(std::stoi(theirs) + 199));
}

TEST_P(UnansweredCommitTest, WhereOthersChangedAllOfItOnlyALedgerKnows) {
  write_unanswered(Cut::after, 1);
  std::vector<CounterRow> more = rows();
  for (CounterRow& of_others : more) {
    of_others.sums.count += 1;
  }
  ASSERT_TRUE(test::write(*test::open(table_->dsn()), {source('b'), 1}, more).ok());
  const std::string both = stored();
  EXPECT_EQ(write(1), GetParam().has_ledger ? WriteReport::Outcome::known : WriteReport::Outcome::doubtful);
  EXPECT_EQ(stored(), both) << "never added again on a guess";
}

TEST_P(UnansweredCommitTest, ALedgerThatIsInstalledLaterDoesNotMakeItForgotten) {
  write_unanswered(Cut::after, 1);
  ASSERT_TRUE(test::open(table_->dsn())->install().ok());
  EXPECT_EQ(write(1), WriteReport::Outcome::known);
  EXPECT_EQ(stored(), "4975 199");
  notes_ = {};
  EXPECT_EQ(write(2), WriteReport::Outcome::committed);
}

INSTANTIATE_TEST_SUITE_P(Tables, UnansweredCommitTest,
                         testing::Values(Example{"with_ledger", true}, Example{"existing_table", false}),
                         [](const testing::TestParamInfo<Example>& example) {
                           return std::string(example.param.name);
                         });

}  // namespace
}  // namespace presence

#endif  // PRESENCE_HAVE_MYSQL
