// Whether a commit whose answer got lost took place, found out without a ledger: by what the rows hold.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/counter_row.h"
#include "sinks/sink.h"

namespace presence {

/// What became of a commit.
enum class CommitAnswer {
  committed,
  not_committed,
  unknown,  ///< Others have added to the rows since.
};

/// The answer, by rows of the batch: what they held in the transaction, all its changes made, and what they hold now
/// (rows that are gone left out). Counts only grow, by whoever adds. So a row with a lower count lacks our part; rows
/// that are all as the transaction left them have it; where others added as well, nobody can say.
///
/// The one mistake that is possible: it did not take place, and others have added to every one of these rows exactly
/// what the batch had, to the last bit of the total.
[[nodiscard]] CommitAnswer commit_answer(std::span<const StoredSums> expected, std::span<const StoredSums> found);

/// How many rows of a batch are enough to tell.
inline constexpr std::size_t kTellingRows = 32;

/// The hashes of at most kTellingRows rows, spread over the batch; `refused` rows left out.
[[nodiscard]] std::vector<RowHash> telling_rows(std::span<const CounterRow> rows, std::span<const RefusedRow> refused);

}  // namespace presence
