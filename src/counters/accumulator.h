// The counting path: adds a value to a series in shared memory, without a lock and without a system call.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>

#include "counters/minute_tables.h"
#include "segment/lane.h"

namespace presence {

/// One thread's way into the minute tables. Keeps, in memory of its own, where the series it uses are in the table of
/// the running minute.
class Accumulator {
 public:
  /// `lane`: the thread's own; must outlive the accumulator.
  Accumulator(const MinuteTables& tables, const Lane& lane);

  /// Adds `value` (finite) to a series that this thread has already added to in the running minute, to the byte; false,
  /// and nothing is done, if it has not. Costs nanoseconds: the clock, a look-up in memory of its own, and plain stores
  /// once the series is hot. Never waits for anybody.
  ///
  /// `quick_hash`: any hash of name and argument that the caller has at hand, the same for the same series each time.
  /// It only says where to look in this thread's own memory, so keys chosen to collide cost time and nothing else.
  [[nodiscard]] bool add_known(const SeriesKey& key, std::uint64_t quick_hash, double value);

  /// Adds `value` (finite) to any series (valid, see series_input.h). False if there is no room for it: no table is
  /// free, or the table has no place for one more series. Never waits for anybody.
  [[nodiscard]] bool add(const SeriesKey& key, std::uint64_t quick_hash, double value);

 private:
  /// Where a series is, and its key. Good for the table generation it was found in only. The numbers are this thread's
  /// own copies, checked when they were taken, so the fast path need not check what shared memory says.
  struct Place {
    std::uint64_t quick_hash = 0;
    const char* key = nullptr;  ///< Name and argument, one after the other, in the table.
    TargetIndex target = 0;
    std::uint16_t name_size = 0;
    std::uint16_t argument_size = 0;  ///< SeriesEntry::kNoArgument if there is none.
    std::uint32_t generation = 0;
    std::uint32_t shared_adds = 0;
    SeriesEntry* entry = nullptr;
    Stripe* stripe = nullptr;

    [[nodiscard]] bool holds(const SeriesKey& wanted) const;
  };

  static constexpr UnixTime kNoMinute = std::numeric_limits<UnixTime>::min() / 2;
  static constexpr std::size_t kSets = 1024;
  static constexpr std::size_t kWays = 2;
  /// Adds of one thread to one series in a minute after which it gets a stripe of its own.
  static constexpr std::uint32_t kHot = 8;

  [[nodiscard]] Place* known_place(const SeriesKey& key, std::uint64_t quick_hash);
  [[nodiscard]] Place* claim_place(const SeriesKey& key, std::uint64_t quick_hash);
  void add_at(Place& place, double value);
  [[nodiscard]] bool in_running_minute() const;
  [[nodiscard]] bool open_table(std::int64_t minute);
  [[nodiscard]] bool enter_table();

  MinuteTables tables_;
  const Lane& lane_;
  std::uint64_t seed_;

  /// The table in use, as it was when it was found open.
  MinuteTable table_;
  std::uint32_t table_number_ = 0;
  TableState table_state_;
  UnixTime minute_start_ = kNoMinute;
  std::uint32_t generation_ = 0;  ///< Of `places_`; counts up with each change of table.

  std::unique_ptr<std::array<std::array<Place, kWays>, kSets>> places_;
};

}  // namespace presence
