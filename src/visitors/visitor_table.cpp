#include "visitors/visitor_table.h"

#include <algorithm>
#include <array>

namespace presence {
namespace {

constexpr std::uint32_t kLayoutVersion = 1;

/// How often recording starts over because the slot it found was used anew meanwhile.
constexpr int kAttempts = 16;

/// The words of a space's visitors seen from `first` to `last`, inclusive. Thanks to the order of a word's fields they
/// are one range of numbers.
class WordRange {
 public:
  WordRange(std::uint16_t space, std::uint32_t first, std::uint32_t last)
      : low_(SlotWord(SlotState::valid, space, first, 0).bits()),
        span_(SlotWord(SlotState::valid, space, last, SlotWord::kVersionMask).bits() - low_) {}

  [[nodiscard]] bool contains(std::uint64_t bits) const { return bits - low_ <= span_; }

 private:
  std::uint64_t low_;
  std::uint64_t span_;
};

constexpr std::uint32_t kLastTime = 0xFFFFFFFF;

}  // namespace

SectionSpec VisitorTable::section(std::uint32_t max_visitors) {
  return {SectionId::visitors, kLayoutVersion, TableGeometry::of(max_visitors).size,
          [max_visitors](std::span<std::byte> bytes) { format_table(bytes, max_visitors); }};
}

Result<VisitorTable> VisitorTable::attach(std::span<std::byte> bytes, std::uint64_t seed, LaneIndex lane,
                                          LaneAlive alive) {
  if (lane >= TableGeometry::kLanes) {
    return Error{ErrorCode::internal, "A visitor table has no lane of that number"};
  }
  const Result<TableView> view = TableView::over(bytes);
  if (!view) {
    return view.error();
  }
  return VisitorTable(view.value(), seed, lane, alive);
}

std::optional<Space> VisitorTable::open_space(const SpaceKey& key, std::uint32_t retention, UnixTime now) const {
  return spaces_.open(key, retention, to_slot_time(now), [this](std::uint16_t number) { clear_space(number); });
}

Recorded VisitorTable::record(Space space, std::string_view id, UnixTime now) const {
  const std::uint32_t time = to_slot_time(now);
  return store(space, key(space, id), time, time, TimeRule::set);
}

Recorded VisitorTable::adopt(Space space, std::string_view id, UnixTime seen, UnixTime now) const {
  return store(space, key(space, id), to_slot_time(seen), to_slot_time(now), TimeRule::latest);
}

std::optional<SlotMatch> VisitorTable::find(Space space, std::string_view id) const {
  std::optional<SlotMatch> found;
  slots_.for_each_match(key(space, id), [&found](const SlotMatch& match) {
    if (!found || match.slot < found->slot) {
      found = match;
    }
  });
  return found;
}

Recorded VisitorTable::store(Space space, const VisitorKey& visitor, std::uint32_t time, std::uint32_t now,
                             TimeRule rule) const {
  if (!spaces_.use(space, now)) {
    return Recorded::no_space;
  }
  if (!upsert(visitor, time, now, rule)) {
    view_.header->refused.fetch_add(1, std::memory_order_relaxed);  // a number for people; orders nothing
    return Recorded::no_room;
  }
  // Asked again, for a process that was stopped since use() for longer than the retention. Who gives a space away
  // first marks it and then clears it, so either the clearing found this visitor, or this finds the mark.
  if (!spaces_.holds(space)) [[unlikely]] {
    forget(visitor);
    return Recorded::no_space;
  }
  return Recorded::yes;
}

bool VisitorTable::upsert(const VisitorKey& visitor, std::uint32_t time, std::uint32_t now, TimeRule rule) const {
  bool inserted = false;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    std::optional<SlotMatch> winner;
    int matches = 0;
    slots_.for_each_match(visitor, [&](const SlotMatch& match) {
      ++matches;
      if (!winner || match.slot < winner->slot) {
        winner = match;
      }
    });
    if (winner) {
      if (!slots_.touch(*winner, time, now, rule)) {
        continue;
      }
      if (matches > 1) [[unlikely]] {
        drop_duplicates(visitor, *winner, now);
      }
      return true;
    }
    if (inserted) {
      return true;  // was there, and somebody took it out
    }
    if (!slots_.insert(visitor, time, now)) {
      return false;
    }
    // Looks again: another process may have inserted the same visitor at the same time. All agree that the lowest slot
    // stays, and it is touched before a duplicate goes.
    inserted = true;
  }
  return inserted;
}

void VisitorTable::drop_duplicates(const VisitorKey& visitor, const SlotMatch& winner, std::uint32_t now) const {
  slots_.for_each_match(visitor, [&](SlotMatch match) {
    for (int attempt = 0; attempt < kAttempts && match.slot > winner.slot; ++attempt) {
      if (match.word.time() > winner.word.time() && !is_ahead(now, match.word.time())) {
        (void)slots_.touch(winner, match.word.time(), now, TimeRule::latest);
      }
      if (slots_.remove(match)) {
        return;
      }
      const SlotWord seen = slots_.word(match.slot);
      if (!seen.same_use(match.word)) {
        return;
      }
      match.word = seen;  // touched meanwhile: its new time goes to the winner, too
    }
  });
}

std::optional<std::uint32_t> VisitorTable::latest(const VisitorKey& visitor) const {
  std::optional<std::uint32_t> time;
  slots_.for_each_match(visitor,
                        [&time](const SlotMatch& match) { time = std::max(time.value_or(0), match.word.time()); });
  return time;
}

std::optional<UnixTime> VisitorTable::last_seen(Space space, std::string_view id) const {
  const std::optional<std::uint32_t> time = latest(key(space, id));
  return time ? std::optional<UnixTime>(*time) : std::nullopt;
}

std::int64_t VisitorTable::count(Space space, UnixTime since, UnixTime until) const {
  if (until < since) {
    return 0;
  }
  const WordRange range(space.number, to_slot_time(since), to_slot_time(until));
  const std::atomic<std::uint64_t>* words = view_.words;
  // Relaxed: each word is judged by itself. Four sums, so that the additions do not wait for each other; the number of
  // slots is a multiple of 16.
  std::array<std::int64_t, 4> sums{};
  for (std::uint32_t slot = 0; slot < view_.geometry.slots; slot += 4) {
    sums[0] += range.contains(words[slot].load(std::memory_order_relaxed)) ? 1 : 0;
    sums[1] += range.contains(words[slot + 1].load(std::memory_order_relaxed)) ? 1 : 0;
    sums[2] += range.contains(words[slot + 2].load(std::memory_order_relaxed)) ? 1 : 0;
    sums[3] += range.contains(words[slot + 3].load(std::memory_order_relaxed)) ? 1 : 0;
  }
  return sums[0] + sums[1] + sums[2] + sums[3];
}

std::vector<std::string> VisitorTable::ids(Space space, UnixTime since, UnixTime until) const {
  std::vector<std::string> found;
  if (until < since) {
    return found;
  }
  const WordRange range(space.number, to_slot_time(since), to_slot_time(until));
  IdBuffer buffer;
  for (std::uint32_t slot = 0; slot < view_.geometry.slots; ++slot) {
    const SlotWord seen = slots_.word(slot);
    if (!range.contains(seen.bits())) {
      continue;
    }
    if (const std::string_view id = slots_.read_id({slot, seen}, buffer); !id.empty()) {
      found.emplace_back(id);
    }
  }
  return found;
}

void VisitorTable::forget(Space space, std::string_view id) const { forget(key(space, id)); }

void VisitorTable::forget(const VisitorKey& visitor) const {
  slots_.for_each_match(visitor, [this](SlotMatch match) {
    for (int attempt = 0; attempt < kAttempts && !slots_.remove(match); ++attempt) {
      const SlotWord seen = slots_.word(match.slot);
      if (!seen.same_use(match.word)) {
        return;
      }
      match.word = seen;  // touched meanwhile
    }
  });
}

Recorded VisitorTable::replace(Space space, std::string_view from, std::string_view to, UnixTime since,
                               UnixTime now) const {
  const VisitorKey old_key = key(space, from);
  const std::optional<std::uint32_t> time = latest(old_key);
  if (from == to || !time) {
    return Recorded::yes;
  }
  if (*time >= to_slot_time(since) && !is_ahead(to_slot_time(now), *time)) {
    const Recorded stored = store(space, key(space, to), *time, to_slot_time(now), TimeRule::latest);
    if (stored != Recorded::yes) {
      return stored;
    }
  }
  forget(old_key);
  return Recorded::yes;
}

void VisitorTable::purge(Space space, UnixTime before, UnixTime after) const {
  if (before > 0) {
    remove_seen(space, 0, to_slot_time(before - 1));
  }
  if (after < kLastTime) {
    remove_seen(space, to_slot_time(after + 1), kLastTime);
  }
}

void VisitorTable::remove_seen(Space space, std::uint32_t first, std::uint32_t last) const {
  const WordRange range(space.number, first, last);
  for (std::uint32_t slot = 0; slot < view_.geometry.slots; ++slot) {
    const SlotWord seen = slots_.word(slot);
    if (range.contains(seen.bits())) {
      (void)slots_.remove({slot, seen});  // fails if it was touched meanwhile: then it is not to go
    }
  }
}

void VisitorTable::clear_space(std::uint16_t number) const {
  const WordRange range(number, 0, kLastTime);
  for (std::uint32_t slot = 0; slot < view_.geometry.slots; ++slot) {
    SlotWord seen = slots_.word(slot);
    for (int attempt = 0; attempt < kAttempts && range.contains(seen.bits()); ++attempt) {
      if (slots_.remove({slot, seen})) {
        break;
      }
      seen = slots_.word(slot);
    }
  }
}

VisitorTableUsage VisitorTable::usage() const {
  VisitorTableUsage usage;
  for (std::uint32_t slot = 0; slot < view_.geometry.slots; ++slot) {
    const SlotState state = slots_.word(slot).state();
    usage.visitors += state == SlotState::valid ? 1 : 0;
    usage.extensions += state == SlotState::extension ? 1 : 0;
  }
  usage.max_visitors = view_.geometry.max_visitors;
  usage.spaces = spaces_.in_use();
  usage.max_spaces = view_.geometry.spaces;
  usage.evicted_expired = view_.header->evicted_expired.load(std::memory_order_relaxed);
  usage.evicted_live = view_.header->evicted_live.load(std::memory_order_relaxed);
  usage.evicted_spaces = view_.header->evicted_spaces.load(std::memory_order_relaxed);
  usage.refused = view_.header->refused.load(std::memory_order_relaxed);
  return usage;
}

}  // namespace presence
