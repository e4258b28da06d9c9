#include "counters/accumulator.h"

#include <optional>
#include <utility>

namespace presence {
namespace {

constexpr int kTries = 4;

}  // namespace

Accumulator::Accumulator(const MinuteTables& tables, const Lane& lane)
    : tables_(tables), lane_(lane), seed_(tables.seed()), table_(tables.table(0)), places_(tables.max_series()) {}

void Accumulator::add_to_shared(KnownPlace& place, double value) noexcept {
  add_shared(*place.cell, value);
  if (place.shared_adds() == kHot) {
    return;  // hot before, and there was no room for a stripe
  }
  place.identity += std::uint64_t{1} << KnownPlace::kAddsShift;
  if (place.shared_adds() != kHot) {
    return;
  }
  if (Stripe* const stripe = table_.stripe_for(MinuteTable::entry_of(*place.cell), lane_.index())) {
    place.cell = &stripe->cell;
    place.identity |= KnownPlace::kOwn << KnownPlace::kAddsShift;
  }
}

bool Accumulator::add(const SeriesKey& key, std::uint64_t quick_hash, double value) {
  // A table that was closed between the look and the entry is left for the next one; more often than a few times in a
  // row that only happens to clocks in disagreement, and the caller has another way.
  for (int i = 0; i < kTries; ++i) {
    if (!in_running_minute() && !open_table(minute_of(clock::now()))) {
      return false;
    }
    if (!enter_table()) {
      minute_start_ = kNoMinute;
      continue;
    }
    KnownPlace* place = places_.find(key, quick_hash);
    if (place == nullptr) {
      place = claim_place(key, quick_hash);
    }
    if (place != nullptr && place->shared_adds() == KnownPlace::kOwn) {
      add_exclusive(*place->cell, value);
    } else if (place != nullptr) {
      add_to_shared(*place, value);
    }
    lane_.leave();
    return place != nullptr;
  }
  return false;
}

KnownPlace* Accumulator::claim_place(const SeriesKey& key, std::uint64_t quick_hash) {
  SeriesEntry* entry = table_.find_or_claim(key, key.hash(seed_));
  return entry == nullptr ? nullptr : places_.put(key, quick_hash, table_.key_bytes(*entry), entry->shared);
}

bool Accumulator::open_table(std::int64_t minute) {
  for (int i = 0; i < kTries; ++i) {
    const std::optional<std::uint32_t> number = tables_.open_for(minute);
    if (!number) {
      return false;
    }
    const MinuteTable table = tables_.table(*number);
    const TableState state = table.state();
    if (state.phase() == TablePhase::open && state.minute() == minute) {
      table_ = table;
      table_number_ = *number;
      table_state_ = state;
      minute_start_ = minute * 60;
      places_.begin_generation();
      return true;
    }
  }
  return false;
}

}  // namespace presence
