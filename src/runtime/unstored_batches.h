// What is on its way to a database: in memory, and on disk.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/counter_row.h"
#include "runtime/attachment.h"
#include "sinks/sink.h"

namespace presence {

/// Some rows, and what they are or will be sent as.
struct UnstoredBatch {
  std::optional<BatchId> id;  ///< As the ledger knows it. None: the minute is still open, so nobody can have sent it.
  std::vector<CounterRow> rows;  ///< Those in memory without their hash.
};

/// All batches for the database of that fingerprint, each once although it may be moving from memory to disk meanwhile.
/// Some may have been stored by now: the database's ledger tells. Costs a walk through memory and the reading of what
/// is on disk.
std::vector<UnstoredBatch> unstored_batches(Attachment& attachment, const std::string& fingerprint);

}  // namespace presence
