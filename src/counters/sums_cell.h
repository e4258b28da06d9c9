// Adding a value to a running total, count, minimum and maximum in shared memory.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <limits>

#include "base/counter_row.h"
#include "base/stop_points.h"

namespace presence {

/// The sums of one series in one minute, or a part of them. The total is kept as a rounded sum and the sum of what the
/// rounding lost (Neumaier 1974), so that it stays within 1e-12 of the exact sum however many values are added.
///
/// All accesses are relaxed: nobody draws conclusions from one field about another before the minute is sealed, and the
/// sealer is ordered behind the writers by their lanes.
struct SumsCell {
  std::atomic<double> total;
  std::atomic<double> lost;
  std::atomic<double> minimum;
  std::atomic<double> maximum;
  std::atomic<std::int64_t> count;
};

static_assert(std::atomic<double>::is_always_lock_free && std::atomic<std::int64_t>::is_always_lock_free);

/// What rounding takes from `a + b`, exactly (Knuth, The Art of Computer Programming 2, 4.2.2, theorem B).
inline double rounding_error(double a, double b, double rounded_sum) {
  const double b_part = rounded_sum - a;
  return (a - (rounded_sum - b_part)) + (b - b_part);
}

/// Makes a cell empty. Only before others can see it.
inline void clear(SumsCell& cell) {
  cell.total.store(0, std::memory_order_relaxed);
  cell.lost.store(0, std::memory_order_relaxed);
  cell.minimum.store(std::numeric_limits<double>::infinity(), std::memory_order_relaxed);
  cell.maximum.store(-std::numeric_limits<double>::infinity(), std::memory_order_relaxed);
  cell.count.store(0, std::memory_order_relaxed);
}

/// Adds to a cell that only the caller's lane writes to: plain loads and stores, no locked instruction.
/// The count comes last, so that a cell whose first add was cut off by a kill still counts as empty.
inline void add_exclusive(SumsCell& cell, double value) {
  constexpr auto relaxed = std::memory_order_relaxed;
  const double before = cell.total.load(relaxed);
  const double after = before + value;
  cell.total.store(after, relaxed);
  stop_point("stripe.total");
  if (const double lost = rounding_error(before, value, after); lost != 0) {
    cell.lost.store(cell.lost.load(relaxed) + lost, relaxed);
    stop_point("stripe.lost");
  }
  if (value < cell.minimum.load(relaxed)) {
    cell.minimum.store(value, relaxed);
    stop_point("stripe.minimum");
  }
  if (value > cell.maximum.load(relaxed)) {
    cell.maximum.store(value, relaxed);
    stop_point("stripe.maximum");
  }
  cell.count.store(cell.count.load(relaxed) + 1, relaxed);
  stop_point("stripe.count");
}

/// Adds to a cell that any lane may write to. Lock-free: a failed compare-exchange means that another add succeeded.
inline void add_shared(SumsCell& cell, double value) {
  constexpr auto relaxed = std::memory_order_relaxed;
  double before = cell.total.load(relaxed);
  while (!cell.total.compare_exchange_weak(before, before + value, relaxed)) {
  }
  stop_point("shared.total");
  if (const double lost = rounding_error(before, value, before + value); lost != 0) {
    double lost_before = cell.lost.load(relaxed);
    while (!cell.lost.compare_exchange_weak(lost_before, lost_before + lost, relaxed)) {
    }
    stop_point("shared.lost");
  }
  double minimum = cell.minimum.load(relaxed);
  while (value < minimum && !cell.minimum.compare_exchange_weak(minimum, value, relaxed)) {
  }
  stop_point("shared.minimum");
  double maximum = cell.maximum.load(relaxed);
  while (value > maximum && !cell.maximum.compare_exchange_weak(maximum, value, relaxed)) {
  }
  stop_point("shared.maximum");
  cell.count.fetch_add(1, relaxed);
  stop_point("shared.count");
}

/// Puts cells of one series together.
class CellsTotal {
 public:
  void take(const SumsCell& cell) {
    constexpr auto relaxed = std::memory_order_relaxed;
    const std::int64_t count = cell.count.load(relaxed);
    if (count <= 0) {
      return;
    }
    // A cell whose total left the range of a double is infinite, and what rounding lost in it is not a number.
    add(std::clamp(cell.total.load(relaxed), -kLargest, kLargest));
    if (const double lost = cell.lost.load(relaxed); std::isfinite(lost)) {
      add(lost);
    }
    minimum_ = std::fmin(minimum_, cell.minimum.load(relaxed));
    maximum_ = std::fmax(maximum_, cell.maximum.load(relaxed));
    count_ += count;
  }

  /// The sums; count 0 if nothing was added. A total beyond what a double holds becomes the largest double.
  [[nodiscard]] Sums sums() const {
    if (count_ == 0) {
      return {};
    }
    const double total = std::isfinite(lost_) ? total_ + lost_ : total_;
    return {std::clamp(total, -kLargest, kLargest), minimum_, maximum_, count_};
  }

 private:
  static constexpr double kLargest = std::numeric_limits<double>::max();

  void add(double value) {
    const double after = total_ + value;
    lost_ += rounding_error(total_, value, after);
    total_ = after;
  }

  double total_ = 0;
  double lost_ = 0;
  double minimum_ = std::numeric_limits<double>::infinity();
  double maximum_ = -std::numeric_limits<double>::infinity();
  std::int64_t count_ = 0;
};

}  // namespace presence
