// The counting path: adds a value to a series in shared memory, without a lock and without a system call.
#pragma once

#include <cstdint>
#include <limits>

#include "counters/known_places.h"
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
  /// once the series is hot. Never waits for anybody. Here in full, so that it becomes part of its caller.
  ///
  /// `quick_hash`: any hash of name and argument that the caller has at hand, the same for the same series each time.
  /// It only says where to look in this thread's own memory, so keys chosen to collide cost time and nothing else.
  [[nodiscard, gnu::always_inline]] bool add_known(const SeriesKey& key, std::uint64_t quick_hash,
                                                   double value) noexcept {
    if (!in_running_minute() || !enter_table()) [[unlikely]] {
      return false;
    }
    // Not before: the key is compared in the table, which others may use for another minute until this thread is in.
    KnownPlace* const place = places_.find(key, quick_hash);
    if (place == nullptr) [[unlikely]] {
      lane_.leave();
      return false;
    }
    if (place->shared_adds() == KnownPlace::kOwn) [[likely]] {
      add_exclusive(*place->cell, value);
    } else {
      add_to_shared(*place, value);
    }
    lane_.leave();
    return true;
  }

  /// Adds `value` (finite) to any series (valid, see series_input.h). False if there is no room for it: no table is
  /// free, or the table has no place for one more series. Never waits for anybody.
  [[nodiscard]] bool add(const SeriesKey& key, std::uint64_t quick_hash, double value);

 private:
  static constexpr UnixTime kNoMinute = std::numeric_limits<UnixTime>::min() / 2;
  /// Adds of one thread to one series in a minute after which it gets a stripe of its own.
  static constexpr std::uint64_t kHot = 8;

  [[nodiscard]] bool in_running_minute() const { return static_cast<std::uint64_t>(clock::now() - minute_start_) < 60; }
  [[nodiscard]] bool enter_table() {
    lane_.enter(table_number_);
    // Only the very state that was found open lets this thread in: phase, minute and generation in one comparison.
    if (table_.state() == table_state_) [[likely]] {
      return true;
    }
    lane_.leave();
    return false;
  }
  [[nodiscard]] KnownPlace* claim_place(const SeriesKey& key, std::uint64_t quick_hash);
  void add_to_shared(KnownPlace& place, double value) noexcept;
  [[nodiscard]] bool open_table(std::int64_t minute);

  MinuteTables tables_;
  const Lane& lane_;
  std::uint64_t seed_;

  /// The table in use, as it was when it was found open.
  MinuteTable table_;
  std::uint32_t table_number_ = 0;
  TableState table_state_;
  UnixTime minute_start_ = kNoMinute;

  KnownPlaces places_;
};

}  // namespace presence
