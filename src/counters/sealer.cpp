#include "counters/sealer.h"

#include <time.h>

#include <array>

#include "base/stop_points.h"

namespace presence {
namespace {

constexpr int kWaits = 100;
constexpr timespec kWait{0, 1'000'000};

/// Whether no living lane is inside the table any more.
bool left_by_all(const Lanes& lanes, std::uint32_t table) {
  const std::uint32_t used = lanes.used();
  for (std::uint32_t i = 0; i < used; ++i) {
    const auto lane = static_cast<LaneIndex>(i);
    // Acquire pairs with Lane::leave: what the lane wrote is seen by whoever reads the rows next.
    if (lanes.record(lane).writing_to.load(std::memory_order_acquire) == table + 1 && lanes.alive(lane)) {
      return false;
    }
  }
  return true;
}

bool wait_for_lanes(const Lanes& lanes, std::uint32_t table) {
  for (int i = 0; i < kWaits && !is_broken(Promise::sealing); ++i) {
    if (left_by_all(lanes, table)) {
      return true;
    }
    nanosleep(&kWait, nullptr);
  }
  return is_broken(Promise::sealing);
}

bool in_scope(TableState state, SealScope scope, std::int64_t running_minute) {
  return state.phase() == TablePhase::open && (scope == SealScope::all || state.minute() != running_minute);
}

}  // namespace

void seal(const MinuteTables& tables, const Lanes& lanes, SealScope scope, std::int64_t running_minute) {
  bool any_closing = false;
  for (std::uint32_t number = 0; number < MinuteTables::kTables; ++number) {
    const MinuteTable table = tables.table(number);
    const TableState state = table.state();
    if (in_scope(state, scope, running_minute)) {
      (void)table.change(state, state.with(TablePhase::closing));
      stop_point("seal.closing");
    }
    any_closing = any_closing || table.state().phase() == TablePhase::closing;
  }
  if (!any_closing) {
    return;
  }
  // From here on each lane either is seen inside a table or sees that it is closing.
  order_with_lanes();
  stop_point("seal.ordered");
  for (std::uint32_t number = 0; number < MinuteTables::kTables; ++number) {
    const MinuteTable table = tables.table(number);
    const TableState state = table.state();
    if (state.phase() != TablePhase::closing || !wait_for_lanes(lanes, number)) {
      continue;
    }
    stop_point("seal.left_by_all");
    // Before the phase: a sealed table always has its number, and a kill in between only skips one.
    table.set_batch_number(tables.take_batch_number());
    stop_point("seal.numbered");
    (void)table.change(state, state.with(TablePhase::sealed));
    stop_point("seal.sealed");
  }
}

}  // namespace presence
