#include "sinks/unanswered.h"

#include <gtest/gtest.h>

#include "unit/sinks/sink_under_test.h"

namespace presence {
namespace {

StoredSums stored(char digit, const Sums& sums) {
  StoredSums row;
  row.hash.fill(digit);
  row.sums = sums;
  return row;
}

// Expected: what the transaction left, our count included.
const std::vector<StoredSums> kExpected = {stored('a', {10, 1, 4, 5}), stored('b', {0.1, 0.1, 0.1, 1})};

TEST(UnansweredTest, RowsAsTheTransactionLeftThemWereCommitted) {
  EXPECT_EQ(commit_answer(kExpected, kExpected), CommitAnswer::committed);
}

TEST(UnansweredTest, ALowerCountOrNoRowMeansNotCommitted) {
  EXPECT_EQ(commit_answer(kExpected, {}), CommitAnswer::not_committed);
  EXPECT_EQ(commit_answer(kExpected, std::vector{stored('a', {6, 1, 4, 4}), kExpected[1]}),
            CommitAnswer::not_committed);
  // Others were at one of the rows since: the other one still tells.
  EXPECT_EQ(commit_answer(kExpected, std::vector{stored('a', {99, 1, 4, 50})}), CommitAnswer::not_committed);
}

TEST(UnansweredTest, WhereOthersAddedToAllRowsNobodyKnows) {
  EXPECT_EQ(commit_answer(kExpected, std::vector{stored('a', {99, 1, 4, 50}), kExpected[1]}), CommitAnswer::unknown);
  EXPECT_EQ(commit_answer(kExpected, std::vector{stored('a', {10.5, 1, 4, 5}), kExpected[1]}), CommitAnswer::unknown)
      << "as many adds, but others";
  EXPECT_EQ(commit_answer(kExpected, std::vector{stored('a', {10, 0, 4, 5}), kExpected[1]}), CommitAnswer::unknown);
}

TEST(UnansweredTest, TellingRowsAreSpreadAndNoneIsRefused) {
  std::vector<CounterRow> rows;
  std::vector<RefusedRow> refused;
  for (std::size_t i = 0; i < 1000; ++i) {
    rows.push_back(test::row("n", std::to_string(i), 60, {1, 1, 1, 1}));
    if (i % 3 == 0) {
      refused.push_back({i, ""});
    }
  }
  const std::vector<RowHash> chosen = telling_rows(rows, refused);
  EXPECT_EQ(chosen.size(), kTellingRows);
  std::size_t last = 0;
  for (const RowHash& hash : chosen) {
    const auto at = std::find_if(rows.begin(), rows.end(), [&](const CounterRow& row) { return row.hash == hash; });
    last = static_cast<std::size_t>(at - rows.begin());
    EXPECT_NE(last % 3, 0U);
  }
  EXPECT_GT(last, 900U);
  EXPECT_EQ(telling_rows(std::span(rows).first(3), std::span(refused).first(1)).size(), 2U);
}

}  // namespace
}  // namespace presence
