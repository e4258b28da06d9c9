// Where the series that one thread adds to are in the table of the running minute: a hash table in memory of its own.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>

#include "counters/minute_tables.h"

namespace presence {

namespace detail {

/// memcmp() for a handful of bytes, without the call.
inline bool same_bytes(const char* a, const char* b, std::size_t size) {
  const auto word = [](const char* at) {
    std::uint64_t value;
    std::memcpy(&value, at, sizeof value);
    return value;
  };
  if (size >= 8) [[likely]] {
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

}  // namespace detail

/// Half a cache line. What it says is this thread's own copy, checked when it was taken, so the fast path need not
/// check what shared memory says.
struct KnownPlace {
  std::uint64_t quick_hash = 0;
  /// Generation of the table, target and sizes of name and argument; in the highest byte `shared_adds`.
  std::uint64_t identity = 0;
  const char* key = nullptr;  ///< Name and argument, one after the other, in the table of the minute.
  SumsCell* cell = nullptr;   ///< The entry's shared cell, or the lane's own stripe.

  static constexpr unsigned kAddsShift = 56;
  /// The value of shared_adds() when the cell is a stripe.
  static constexpr std::uint64_t kOwn = 0xFF;

  /// How often this thread has added to the shared cell, or kOwn.
  [[nodiscard]] std::uint64_t shared_adds() const { return identity >> kAddsShift; }
};

/// A table that holds all series of one generation (of one table in shared memory), until they are more than `limit`:
/// then later ones push out earlier ones. Open addressing; nothing is taken out within a generation, so a search ends
/// at the first place of an older one. Grows when a place is not to be had near where it belongs.
class KnownPlaces {
 public:
  /// `max_series`: how many series there can be at most.
  explicit KnownPlaces(std::uint32_t max_series);

  /// Everything that was kept is of another generation.
  void begin_generation() { ++generation_; }

  /// The place of a series; null if it is not known. Only while the thread is in the table: the keys are there.
  [[nodiscard, gnu::always_inline]] KnownPlace* find(const SeriesKey& key, std::uint64_t quick_hash) const {
    if (key.name.size() > kMaxSize || (key.argument && key.argument->size() > kMaxSize)) [[unlikely]] {
      return nullptr;  // its sizes do not fit into an identity
    }
    const std::uint64_t wanted = identity_of(key);
    KnownPlace* place = home(quick_hash);
    for (std::size_t i = 0; i < kNear; ++i, ++place) {
      // The shift drops the byte that is no part of the identity.
      if (place->quick_hash == quick_hash && (place->identity ^ wanted) << 8 == 0 && holds(*place, key)) [[likely]] {
        return place;
      }
      if (static_cast<std::uint32_t>(place->identity) != generation_) {
        return nullptr;
      }
    }
    return nullptr;
  }

  /// Makes a place for a series (valid, see series_input.h) that find() does not know, with the cell that others write
  /// to as well. `bytes`: where the key is in the table of the minute.
  KnownPlace* put(const SeriesKey& key, std::uint64_t quick_hash, const char* bytes, SumsCell& cell);

 private:
  static constexpr std::size_t kFirstSize = 64;
  static constexpr std::size_t kLargestSize = std::size_t{1} << 18;
  /// How many places from home a series may be.
  static constexpr std::size_t kNear = 16;
  static constexpr std::size_t kMaxSize = 254;
  static constexpr std::uint64_t kNoArgument = 0xFF;

  [[nodiscard]] std::uint64_t identity_of(const SeriesKey& key) const {
    const std::uint64_t argument_size = key.argument ? key.argument->size() : kNoArgument;
    return generation_ | std::uint64_t{key.target} << 32 | std::uint64_t{key.name.size()} << 40 | argument_size << 48;
  }

  [[nodiscard, gnu::always_inline]] static bool holds(const KnownPlace& place, const SeriesKey& key) {
    return detail::same_bytes(place.key, key.name.data(), key.name.size()) &&
           (!key.argument ||
            detail::same_bytes(place.key + key.name.size(), key.argument->data(), key.argument->size()));
  }

  /// The caller's hash may have its differences in some bits only: multiplied, they reach the upper ones.
  [[nodiscard]] KnownPlace* home(std::uint64_t quick_hash) const {
    return &places_[(quick_hash * 0x9E3779B97F4A7C15U) >> shift_];
  }

  [[nodiscard]] bool current(const KnownPlace& place) const {
    return static_cast<std::uint32_t>(place.identity) == generation_;
  }
  [[nodiscard]] KnownPlace* vacant(std::uint64_t quick_hash) const;
  [[nodiscard]] bool grow();

  std::uint32_t generation_ = 1;  ///< Not that of a place that was never used.
  unsigned shift_;                ///< 64 minus the binary logarithm of the number of homes.
  std::size_t limit_;
  std::size_t size_ = kFirstSize;         ///< Number of homes.
  std::unique_ptr<KnownPlace[]> places_;  ///< kNear more than homes, so that a search need not wrap around.
};

static_assert(sizeof(KnownPlace) == 32);

}  // namespace presence
