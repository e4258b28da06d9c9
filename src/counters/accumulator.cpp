#include "counters/accumulator.h"

#include <optional>
#include <utility>

namespace presence {
namespace {

constexpr int kTries = 4;

}  // namespace

Accumulator::Accumulator(const MinuteTables& tables, const Lane& lane)
    : tables_(tables),
      lane_(lane),
      seed_(tables.seed()),
      table_(tables.table(0)),
      places_(std::make_unique<std::array<std::array<Place, kWays>, kSets>>()) {}

bool Accumulator::add_known(const SeriesKey& key, double value) {
  if (!in_running_minute()) [[unlikely]] {
    return false;
  }
  Place* place = known_place(key, key.hash(seed_));
  if (place == nullptr || !enter_table()) [[unlikely]] {
    return false;
  }
  add_at(*place, value);
  lane_.leave();
  return true;
}

bool Accumulator::add(const SeriesKey& key, double value) {
  const std::uint64_t hash = key.hash(seed_);
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
    Place* place = known_place(key, hash);
    if (place == nullptr) {
      place = claim_place(key, hash);
    }
    if (place != nullptr) {
      add_at(*place, value);
    }
    lane_.leave();
    return place != nullptr;
  }
  return false;
}

bool Accumulator::in_running_minute() const { return static_cast<std::uint64_t>(clock::now() - minute_start_) < 60; }

bool Accumulator::enter_table() {
  lane_.enter(table_number_);
  // Only the very state that was found open lets this thread in: phase, minute and generation in one comparison.
  if (table_.state() == table_state_) [[likely]] {
    return true;
  }
  lane_.leave();
  return false;
}

void Accumulator::add_at(Place& place, double value) {
  if (place.stripe != nullptr) [[likely]] {
    add_exclusive(place.stripe->cell, value);
    return;
  }
  add_shared(place.entry->shared, value);
  if (++place.shared_adds == kHot) {
    place.stripe = table_.stripe_for(*place.entry, lane_.index());
  }
}

Accumulator::Place* Accumulator::known_place(const SeriesKey& key, std::uint64_t hash) {
  for (Place& place : (*places_)[hash % kSets]) {
    if (place.hash == hash && place.generation == generation_ && table_.holds(*place.entry, key, hash)) {
      return &place;
    }
  }
  return nullptr;
}

Accumulator::Place* Accumulator::claim_place(const SeriesKey& key, std::uint64_t hash) {
  SeriesEntry* entry = table_.find_or_claim(key, hash);
  if (entry == nullptr) {
    return nullptr;
  }
  std::array<Place, kWays>& set = (*places_)[hash % kSets];
  std::swap(set.front(), set.back());
  set.front() = {hash, entry, nullptr, generation_, 0};
  return &set.front();
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
      ++generation_;
      return true;
    }
  }
  return false;
}

}  // namespace presence
