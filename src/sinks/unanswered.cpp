#include "sinks/unanswered.h"

#include <algorithm>

namespace presence {
namespace {

bool same(const Sums& a, const Sums& b) {
  return a.count == b.count && a.total == b.total && a.minimum == b.minimum && a.maximum == b.maximum;
}

}  // namespace

CommitAnswer commit_answer(std::span<const StoredSums> expected, std::span<const StoredSums> found) {
  bool all_same = !expected.empty();
  for (const StoredSums& wanted : expected) {
    const auto now =
        std::find_if(found.begin(), found.end(), [&](const StoredSums& row) { return row.hash == wanted.hash; });
    if (now == found.end() || now->sums.count < wanted.sums.count) {
      return CommitAnswer::not_committed;
    }
    all_same = all_same && same(now->sums, wanted.sums);
  }
  return all_same ? CommitAnswer::committed : CommitAnswer::unknown;
}

std::vector<RowHash> telling_rows(std::span<const CounterRow> rows, std::span<const RefusedRow> refused) {
  std::vector<RowHash> accepted;
  auto next_refused = refused.begin();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (next_refused != refused.end() && next_refused->index == i) {
      ++next_refused;
    } else {
      accepted.push_back(rows[i].hash);
    }
  }
  if (accepted.size() <= kTellingRows) {
    return accepted;
  }
  std::vector<RowHash> chosen;
  for (std::size_t i = 0; i < kTellingRows; ++i) {
    chosen.push_back(accepted[i * accepted.size() / kTellingRows]);
  }
  return chosen;
}

}  // namespace presence
