// The 64-bit word that says what a slot of the visitor table holds. All of a slot's fate is in this one word, so that
// one compare-and-swap decides it.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/clock.h"

namespace presence {

/// What a slot holds.
enum class SlotState : std::uint64_t {
  empty = 0,      ///< Nothing; the version stays, so that the next use has another one.
  writing = 1,    ///< A lane is filling it, or was killed while it did.
  extension = 2,  ///< The rest of a long id that another slot owns. Of a space: a candidate, not yet settled.
  valid = 3,      ///< A visitor. Of a space: in use.
};

/// State (2 bits), space (16), time (32) and version (14), from the highest bit down. In this order "valid, of that
/// space, seen since then" is one range of numbers, so counting is one subtraction and one comparison a slot.
///
/// What the fields mean by state: `writing` keeps the lane in the space field; `extension` keeps the owner's slot in
/// the time field and the owner's version in the space field. The version grows with each new use of the slot, so a
/// reader that finds the same word (but for the time) before and after it copied a cell has copied one visitor. It
/// would take 16384 uses of one slot during one copy, and the same space in the end, to deceive it.
class SlotWord {
 public:
  static constexpr std::uint64_t kVersionMask = (1U << 14) - 1;
  static constexpr std::uint64_t kTimeMask = 0xFFFFFFFFULL << 14;

  constexpr SlotWord() = default;
  constexpr explicit SlotWord(std::uint64_t bits) : bits_(bits) {}
  constexpr SlotWord(SlotState state, std::uint16_t space, std::uint32_t time, std::uint64_t version)
      : bits_(static_cast<std::uint64_t>(state) << 62 | static_cast<std::uint64_t>(space) << 46 |
              static_cast<std::uint64_t>(time) << 14 | (version & kVersionMask)) {}

  [[nodiscard]] constexpr std::uint64_t bits() const { return bits_; }
  [[nodiscard]] constexpr SlotState state() const { return static_cast<SlotState>(bits_ >> 62); }
  [[nodiscard]] constexpr std::uint16_t space() const { return static_cast<std::uint16_t>(bits_ >> 46); }
  [[nodiscard]] constexpr std::uint32_t time() const { return static_cast<std::uint32_t>(bits_ >> 14); }
  [[nodiscard]] constexpr std::uint16_t version() const { return static_cast<std::uint16_t>(bits_ & kVersionMask); }

  [[nodiscard]] constexpr std::uint16_t lane() const { return space(); }
  [[nodiscard]] constexpr std::uint32_t owner_slot() const { return time(); }
  [[nodiscard]] constexpr std::uint16_t owner_version() const { return space(); }

  [[nodiscard]] constexpr bool valid_in(std::uint16_t space_number) const {
    return bits_ >> 46 == (static_cast<std::uint64_t>(SlotState::valid) << 16 | space_number);
  }
  [[nodiscard]] constexpr SlotWord with_time(std::uint32_t time) const {
    return SlotWord((bits_ & ~kTimeMask) | static_cast<std::uint64_t>(time) << 14);
  }
  [[nodiscard]] constexpr SlotWord emptied() const { return {SlotState::empty, 0, 0, version()}; }
  [[nodiscard]] constexpr SlotWord claimed_by(std::uint16_t lane) const {
    return {SlotState::writing, lane, 0, static_cast<std::uint64_t>(version()) + 1};
  }

  /// Whether both are the same use of the slot, whatever their times.
  [[nodiscard]] constexpr bool same_use(SlotWord other) const { return ((bits_ ^ other.bits_) & ~kTimeMask) == 0; }

  constexpr bool operator==(const SlotWord&) const = default;

 private:
  std::uint64_t bits_ = 0;
};

/// A time as slots keep it: seconds since 1970, until 2106; times outside are taken as the nearest end.
constexpr std::uint32_t to_slot_time(UnixTime time) {
  return static_cast<std::uint32_t>(std::clamp<UnixTime>(time, 0, 0xFFFFFFFF));
}

/// Seconds by which the clocks of those who share a table may differ. A time further ahead of now was recorded before
/// the clock was set back: nobody knows how old it is, and it counts as long expired.
constexpr std::uint32_t kMaxSkew = 60;

/// Whether a time is further ahead than clocks differ.
constexpr bool is_ahead(std::uint32_t now, std::uint32_t time) { return time > now && time - now > kMaxSkew; }

/// Seconds since a slot's time: 0 for one that is ahead by a little, the most there is for one that is_ahead().
constexpr std::uint32_t age_at(std::uint32_t now, std::uint32_t time) {
  return is_ahead(now, time) ? 0xFFFFFFFF : now > time ? now - time : 0;
}

}  // namespace presence
