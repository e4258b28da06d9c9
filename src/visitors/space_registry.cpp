#include "visitors/space_registry.h"

#include <algorithm>

#include "base/hash.h"

namespace presence {
namespace {

/// Names of SlotState in the life of a space: first a candidate, as another process may be opening the same key.
constexpr SlotState kCandidate = SlotState::extension;
constexpr SlotState kActive = SlotState::valid;

/// How often opening starts over because another process changed what it relied on.
constexpr int kAttempts = 16;

/// A space used less than this many seconds ago is in the middle of being used; never given to another key.
constexpr std::uint32_t kMinIdle = 2;

}  // namespace

SpaceKey SpaceRegistry::key_of(std::string_view name) const {
  return {hash_bytes(name, seed_ ^ 0x2545F4914F6CDD1D), hash_bytes(name, fold_multiply(seed_, 0xDA942042E4DD58B5))};
}

Candidates SpaceRegistry::candidates(const SpaceKey& key) const {
  return Candidates::of(fold_multiply(key.low, key.high ^ 0x9E3779B97F4A7C15), view_.geometry.space_buckets);
}

bool SpaceRegistry::swap(std::uint32_t index, SlotWord expected, SlotWord desired) const {
  std::uint64_t bits = expected.bits();
  return view_.spaces[index].word.compare_exchange_strong(bits, desired.bits(), std::memory_order_seq_cst);
}

bool SpaceRegistry::is(const SpaceKey& key, std::uint32_t index, SlotWord seen) const {
  const SpaceRecord& record = view_.spaces[index];
  // Acquire: the word read afterwards is not older than the key (stored with release after the space was claimed).
  return record.key_low.load(std::memory_order_acquire) == key.low &&
         record.key_high.load(std::memory_order_acquire) == key.high && word(index).same_use(seen);
}

std::optional<SpaceRegistry::Found> SpaceRegistry::look(const SpaceKey& key, SlotState state) const {
  const Candidates places = candidates(key);
  for (std::uint32_t i = 0; i < Candidates::kSlots; ++i) {
    const std::uint32_t index = places.slot(i);
    const SlotWord seen = word(index);
    if (seen.state() == state && is(key, index, seen)) {
      return Found{index, seen};
    }
  }
  return std::nullopt;
}

std::optional<Space> SpaceRegistry::find(const SpaceKey& key) const {
  const std::optional<Found> found = look(key, kActive);
  if (!found) {
    return std::nullopt;
  }
  return Space{static_cast<std::uint16_t>(found->index), found->word.version()};
}

bool SpaceRegistry::holds(Space space) const {
  const SlotWord seen = word(space.number);
  return seen.state() == kActive && seen.version() == space.generation;
}

bool SpaceRegistry::use(Space space, std::uint32_t now) const {
  SlotWord seen = word(space.number);
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    if (seen.state() != kActive || seen.version() != space.generation) {
      return false;
    }
    // The swap decides against a process that is giving the space away just now: one of the two fails.
    if (seen.time() == now || swap(space.number, seen, seen.with_time(now))) {
      return true;
    }
    seen = word(space.number);
  }
  return true;  // others have used it that often meanwhile
}

std::optional<Space> SpaceRegistry::open(const SpaceKey& key, std::uint32_t retention, std::uint32_t now,
                                         const Clear& clear) const {
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    if (const std::optional<Space> space = find(key)) {
      if (!use(*space, now)) {
        continue;
      }
      std::atomic<std::uint32_t>& kept = view_.spaces[space->number].retention;
      if (kept.load(std::memory_order_relaxed) != retention) {
        kept.store(retention, std::memory_order_relaxed);  // a number of its own; orders nothing
      }
      return space;
    }
    std::optional<Found> candidate = look(key, kCandidate);
    if (!candidate) {
      candidate = claim(key, retention, now, clear);
    }
    if (!candidate) {
      return std::nullopt;
    }
    settle(key, *candidate);
  }
  return std::nullopt;
}

std::optional<SpaceRegistry::Victim> SpaceRegistry::choose(const Candidates& places, std::uint32_t now) const {
  std::optional<Victim> best;
  std::uint32_t best_idle = 0;
  for (std::uint32_t i = 0; i < Candidates::kSlots; ++i) {
    const Found entry{places.slot(i), word(places.slot(i))};
    if (entry.word.state() == SlotState::empty) {
      return Victim{entry, false};
    }
    if (entry.word.state() == SlotState::writing) {
      continue;
    }
    // One that a clock which differs a little used last goes last, but goes.
    const std::uint32_t last_use = entry.word.time();
    const bool little_ahead = last_use > now && !is_ahead(now, last_use);
    const std::uint32_t idle = little_ahead ? std::min(last_use - now, kMinIdle) : age_at(now, last_use);
    const bool live = idle <= view_.spaces[entry.index].retention.load(std::memory_order_relaxed);
    if (idle >= kMinIdle && (!best || (best->live && !live) || (best->live == live && idle > best_idle))) {
      best = Victim{entry, live};
      best_idle = idle;
    }
  }
  if (best && !best->live) {
    return best;
  }
  // Before a living space goes: what killed processes left behind. A lane opens one space at a time, so what is marked
  // with this one is from its last holder. Asked last, as each answer is a system call.
  for (std::uint32_t i = 0; i < Candidates::kSlots; ++i) {
    const Found entry{places.slot(i), word(places.slot(i))};
    const LaneIndex lane = entry.word.lane();
    if (entry.word.state() == SlotState::writing && (lane == lane_ || lane >= TableGeometry::kLanes || !alive_(lane))) {
      return Victim{entry, false};
    }
  }
  return best;
}

std::optional<SpaceRegistry::Found> SpaceRegistry::claim(const SpaceKey& key, std::uint32_t retention,
                                                         std::uint32_t now, const Clear& clear) const {
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const std::optional<Victim> victim = choose(candidates(key), now);
    if (!victim) {
      return std::nullopt;
    }
    const auto [index, seen] = victim->entry;
    const SlotWord claimed = seen.claimed_by(lane_);
    if (!swap(index, seen, claimed)) {
      continue;  // used or taken meanwhile
    }
    if (victim->live) {
      view_.header->evicted_spaces.fetch_add(1, std::memory_order_relaxed);  // a number for people; orders nothing
    }
    if (seen.bits() != 0) {  // never used before: nothing to clear
      clear(static_cast<std::uint16_t>(index));
    }
    SpaceRecord& record = view_.spaces[index];
    record.key_low.store(key.low, std::memory_order_release);  // release: see is()
    record.key_high.store(key.high, std::memory_order_release);
    record.retention.store(retention, std::memory_order_release);
    const SlotWord candidate(kCandidate, 0, now, claimed.version());
    record.word.store(candidate.bits(), std::memory_order_seq_cst);  // see settle()
    return Found{index, candidate};
  }
  return std::nullopt;
}

// Makes one candidate of the key active, such that never two are. Each process that settles an entry looks, after the
// entry was published, at all others of the key: an active one wins over it, a lower candidate wins over it, a higher
// candidate is struck out. Two candidates cannot miss each other, as each was published (sequentially consistent)
// before it looked. Any process may do this for an entry, so one killed in between is in nobody's way.
void SpaceRegistry::settle(const SpaceKey& key, Found mine) const {
  const Candidates places = candidates(key);
  for (std::uint32_t i = 0; i < Candidates::kSlots; ++i) {
    const std::uint32_t index = places.slot(i);
    SlotWord other = word(index);
    if (index == mine.index || (other.state() != kCandidate && other.state() != kActive) || !is(key, index, other)) {
      continue;
    }
    if (other.state() == kCandidate && index > mine.index && swap(index, other, other.emptied())) {
      continue;
    }
    // Lower, or active already, or just changed: this entry steps back, and open() looks anew.
    (void)swap(mine.index, mine.word, mine.word.emptied());
    return;
  }
  (void)swap(mine.index, mine.word, SlotWord(kActive, 0, mine.word.time(), mine.word.version()));
}

std::uint32_t SpaceRegistry::in_use() const {
  std::uint32_t count = 0;
  for (std::uint32_t index = 0; index < view_.geometry.spaces; ++index) {
    count += word(index).state() == kActive ? 1 : 0;
  }
  return count;
}

}  // namespace presence
