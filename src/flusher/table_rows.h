// The rows of a minute table, by the database they are for.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/counter_row.h"
#include "counters/minute_tables.h"
#include "counters/target_table.h"
#include "sinks/sink.h"

namespace presence {

/// Rows by target fingerprint.
using RowsByTarget = std::map<std::string, std::vector<CounterRow>>;

/// What the table holds, without the hashes. Series that fail their checks are counted in the statistics and left out.
RowsByTarget rows_of(const MinuteTable& table, const MinuteTables& tables, const TargetTable& targets);

/// What the rows of a sealed table are sent as. One that was sent from memory overtook batches that wait on a disk
/// which cannot be reached. So it is a source of its own, for the ledger would take them for old. It keeps that name
/// although it may be spooled later.
BatchId batch_of(const MinuteTable& table, const std::string& segment);

/// Computes each row's hash, and sorts by it; rows with the same hash become one.
void make_batch(std::vector<CounterRow>& rows);

/// Puts two sums together.
Sums combine(const Sums& a, const Sums& b);

}  // namespace presence
