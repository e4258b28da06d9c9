#include "flusher/table_rows.h"

#include <algorithm>
#include <limits>

#include "base/sha256.h"
#include "counters/row_hash.h"

namespace presence {

RowsByTarget rows_of(const MinuteTable& table, const MinuteTables& tables, const TargetTable& targets) {
  RowsByTarget rows;
  const UnixTime slot = table.state().minute() * 60;
  std::uint32_t without_target = 0;
  const std::uint32_t damaged = table.for_each(tables.seed(), [&](const SeriesKey& key, const Sums& sums) {
    const std::string fingerprint = targets.fingerprint(key.target);
    if (fingerprint.empty()) {
      ++without_target;
      return;
    }
    CounterRow& row = rows[fingerprint].emplace_back();
    row.name = key.name;
    if (key.argument) {
      row.argument = std::string(*key.argument);
    }
    row.slot = slot;
    row.sums = sums;
  });
  if (damaged + without_target > 0) {
    tables.statistics().damaged_series.fetch_add(damaged + without_target, std::memory_order_relaxed);
  }
  return rows;
}

BatchId batch_of(const MinuteTable& table, const std::string& segment) {
  const std::uint64_t number = table.batch_number();
  if (!table.sent_from_memory()) {
    return {segment, number};
  }
  return {sha256_hex(segment + "-memory-" + std::to_string(number), segment.size()), number};
}

void make_batch(std::vector<CounterRow>& rows) {
  for (CounterRow& row : rows) {
    row.hash = row_hash(row.name, row.argument, row.slot);
  }
  std::sort(rows.begin(), rows.end(), [](const CounterRow& a, const CounterRow& b) { return a.hash < b.hash; });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (kept > 0 && rows[kept - 1].hash == rows[i].hash) {
      rows[kept - 1].sums = combine(rows[kept - 1].sums, rows[i].sums);
    } else {
      if (kept != i) {
        rows[kept] = std::move(rows[i]);
      }
      ++kept;
    }
  }
  rows.resize(kept);
}

Sums combine(const Sums& a, const Sums& b) {
  Sums sums = a.count == 0 ? b : a;
  if (a.count != 0 && b.count != 0) {
    sums = {a.total + b.total, std::min(a.minimum, b.minimum), std::max(a.maximum, b.maximum), a.count + b.count};
  }
  // Also a sum by itself: a database adds up minutes without a limit.
  constexpr double kLargest = std::numeric_limits<double>::max();
  sums.total = std::clamp(sums.total, -kLargest, kLargest);
  return sums;
}

}  // namespace presence
