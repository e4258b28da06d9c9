#include "runtime/unstored_batches.h"

#include <unistd.h>

#include <cstdint>
#include <set>
#include <utility>

#include "flusher/spool.h"
#include "flusher/table_rows.h"
#include "runtime/settings.h"

namespace presence {
namespace {

constexpr int kTries = 3;

/// A table as it was when it was read.
struct Seen {
  std::uint32_t table;
  TableState state;
};

bool is_open(TablePhase phase) { return phase == TablePhase::open || phase == TablePhase::closing; }

/// Whether the rows of a table that was read may be somewhere else as well by now, without a number to know them by.
bool has_moved(const MinuteTables& tables, const Seen& seen) {
  const TableState now = tables.table(seen.table).state();
  return now.generation() != seen.state.generation() || is_open(now.phase()) != is_open(seen.state.phase());
}

class Collector {
 public:
  Collector(Attachment& attachment, const std::string& fingerprint)
      : attachment_(attachment), fingerprint_(fingerprint) {}

  /// False if something moved meanwhile.
  bool collect() {
    batches_.clear();
    ids_.clear();
    seen_.clear();
    SharedState* const shared = attachment_.shared();
    if (shared != nullptr) {
      take_memory(*shared);
    }
    take_folder(attachment_.data_folder());
    const std::string own = data_dir(attachment_.settings());
    if (attachment_.has_other_folder() && access(spool_folder(own).c_str(), F_OK) == 0) {
      take_folder(own);
    }
    for (const Seen& seen : seen_) {
      if (has_moved(shared->minutes(), seen)) {
        return false;
      }
    }
    return true;
  }

  [[nodiscard]] std::vector<UnstoredBatch> take() { return std::move(batches_); }

 private:
  void take_memory(const SharedState& shared) {
    const MinuteTables& tables = shared.minutes();
    const DeliveryRecord* const delivery = shared.targets().delivery(fingerprint_);
    for (std::uint32_t number = 0; number < MinuteTables::kTables; ++number) {
      const MinuteTable table = tables.table(number);
      const TableState state = table.state();
      if (state.phase() == TablePhase::free || state.phase() == TablePhase::stored) {
        continue;
      }
      const bool sealed = state.phase() == TablePhase::sealed;
      // A table that left memory for some of its databases only is still there.
      if (sealed && delivery != nullptr &&
          delivery->last_done.load(std::memory_order_relaxed) >= table.batch_number()) {
        continue;
      }
      seen_.push_back({number, state});
      std::optional<BatchId> id;
      if (sealed) {
        id = ledger_id({batch_of(table, shared.segment().identity()), fingerprint_});
      }
      RowsByTarget rows = rows_of(table, tables, shared.targets());
      add(std::move(id), std::move(rows[fingerprint_]));
    }
  }

  void take_folder(const std::string& folder) {
    const Result<Spool> spool = Spool::open(folder);
    if (!spool) {
      return;
    }
    const Result<std::vector<SpoolEntry>> entries = spool->list();
    for (const SpoolEntry& entry : entries ? *entries : std::vector<SpoolEntry>{}) {
      if (entry.fingerprint != fingerprint_) {
        continue;
      }
      // A batch that is gone by now has been stored in between.
      if (Result<std::vector<CounterRow>> rows = spool->load(entry)) {
        add(ledger_id(entry), std::move(*rows));
      }
    }
  }

  void add(std::optional<BatchId> id, std::vector<CounterRow> rows) {
    const bool is_new = !id || ids_.emplace(id->source, id->number).second;
    if (is_new && !rows.empty()) {
      batches_.push_back({std::move(id), std::move(rows)});
    }
  }

  Attachment& attachment_;
  const std::string& fingerprint_;
  std::vector<UnstoredBatch> batches_;
  std::set<std::pair<std::string, std::uint64_t>> ids_;
  std::vector<Seen> seen_;
};

}  // namespace

std::vector<UnstoredBatch> unstored_batches(Attachment& attachment, const std::string& fingerprint) {
  Collector collector(attachment, fingerprint);
  for (int i = 0; i < kTries && !collector.collect(); ++i) {
  }
  return collector.take();
}

}  // namespace presence
