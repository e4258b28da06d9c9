#include "counters/accumulator.h"

#include <cstring>
#include <optional>
#include <utility>

namespace presence {
namespace {

constexpr int kTries = 4;

/// memcmp() for a handful of bytes, without the call.
bool same_bytes(const char* a, const char* b, std::size_t size) {
  const auto word = [](const char* at) {
    std::uint64_t value;
    std::memcpy(&value, at, sizeof value);
    return value;
  };
  if (size >= 8) {
    for (std::size_t at = 0; at + 8 < size; at += 8) {
      if (word(a + at) != word(b + at)) {
        return false;
      }
    }
    return word(a + size - 8) == word(b + size - 8);
  }
  for (std::size_t at = 0; at < size; ++at) {
    if (a[at] != b[at]) {
      return false;
    }
  }
  return true;
}

}  // namespace

Accumulator::Accumulator(const MinuteTables& tables, const Lane& lane)
    : tables_(tables),
      lane_(lane),
      seed_(tables.seed()),
      table_(tables.table(0)),
      places_(std::make_unique<std::array<std::array<Place, kWays>, kSets>>()) {}

inline bool Accumulator::Place::holds(const SeriesKey& wanted) const {
  if (target != wanted.target || name_size != wanted.name.size() ||
      wanted.argument.has_value() != (argument_size != SeriesEntry::kNoArgument) ||
      !same_bytes(key, wanted.name.data(), name_size)) {
    return false;
  }
  return !wanted.argument || (argument_size == wanted.argument->size() &&
                              same_bytes(key + name_size, wanted.argument->data(), argument_size));
}

inline bool Accumulator::in_running_minute() const {
  return static_cast<std::uint64_t>(clock::now() - minute_start_) < 60;
}

inline bool Accumulator::enter_table() {
  lane_.enter(table_number_);
  // Only the very state that was found open lets this thread in: phase, minute and generation in one comparison.
  if (table_.state() == table_state_) [[likely]] {
    return true;
  }
  lane_.leave();
  return false;
}

inline void Accumulator::add_at(Place& place, double value) {
  if (place.stripe != nullptr) [[likely]] {
    add_exclusive(place.stripe->cell, value);
    return;
  }
  add_shared(place.entry->shared, value);
  if (++place.shared_adds == kHot) {
    place.stripe = table_.stripe_for(*place.entry, lane_.index());
  }
}

inline Accumulator::Place* Accumulator::known_place(const SeriesKey& key, std::uint64_t quick_hash) {
  for (Place& place : (*places_)[quick_hash % kSets]) {
    if (place.quick_hash == quick_hash && place.generation == generation_ && place.holds(key)) {
      return &place;
    }
  }
  return nullptr;
}

bool Accumulator::add_known(const SeriesKey& key, std::uint64_t quick_hash, double value) {
  if (!in_running_minute()) [[unlikely]] {
    return false;
  }
  Place* place = known_place(key, quick_hash);
  if (place == nullptr || !enter_table()) [[unlikely]] {
    return false;
  }
  add_at(*place, value);
  lane_.leave();
  return true;
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
    Place* place = known_place(key, quick_hash);
    if (place == nullptr) {
      place = claim_place(key, quick_hash);
    }
    if (place != nullptr) {
      add_at(*place, value);
    }
    lane_.leave();
    return place != nullptr;
  }
  return false;
}

Accumulator::Place* Accumulator::claim_place(const SeriesKey& key, std::uint64_t quick_hash) {
  SeriesEntry* entry = table_.find_or_claim(key, key.hash(seed_));
  if (entry == nullptr) {
    return nullptr;
  }
  std::array<Place, kWays>& set = (*places_)[quick_hash % kSets];
  std::swap(set.front(), set.back());
  const auto argument_size = key.argument ? static_cast<std::uint16_t>(key.argument->size()) : SeriesEntry::kNoArgument;
  set.front() = {quick_hash,
                 table_.key_bytes(*entry),
                 key.target,
                 static_cast<std::uint16_t>(key.name.size()),
                 argument_size,
                 generation_,
                 0,
                 entry,
                 nullptr};
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
