// A visitor's id made ready to be looked for: its hash, its two buckets, and its bytes as a cell holds them.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/hash.h"
#include "visitors/table_layout.h"

namespace presence {

/// The two buckets in which something may lie, and the tag that marks it there.
struct Candidates {
  std::array<std::uint32_t, 2> first_slot;
  std::uint16_t tag;

  /// Two different buckets out of `buckets` (at least 2), from the hash's halves; the tag from bits that choosing a
  /// bucket uses least.
  static Candidates of(std::uint64_t hash, std::uint32_t buckets) {
    const auto scale = [buckets](std::uint64_t half) { return static_cast<std::uint32_t>(half * buckets >> 32); };
    const std::uint32_t one = scale(hash & 0xFFFFFFFF);
    std::uint32_t two = scale(hash >> 32);
    if (two == one) {
      two = one + 1 == buckets ? 0 : one + 1;
    }
    return {{one * TableGeometry::kBucketSlots, two * TableGeometry::kBucketSlots},
            static_cast<std::uint16_t>(hash ^ hash >> 32)};
  }

  /// Slot number `i` of both buckets together, 0 to 31.
  [[nodiscard]] std::uint32_t slot(std::uint32_t i) const {
    return first_slot[i / TableGeometry::kBucketSlots] + i % TableGeometry::kBucketSlots;
  }
  static constexpr std::uint32_t kSlots = 2 * TableGeometry::kBucketSlots;
};

/// How an id lies in cells. The first word of a visitor's cell holds the id's length in its low byte; the high half is
/// kept for the time when the visitor was last sent to a store. The other 56 bytes hold the id, or its start followed
/// by the numbers of the extension slots, whose cells hold nothing but its rest.
struct IdLayout {
  static constexpr std::size_t kMaxId = 250;
  static constexpr std::size_t kInline = 56;
  static constexpr std::size_t kMaxExtensions = 4;

  /// How many extensions an id of that length needs.
  static constexpr std::size_t extensions(std::size_t length) {
    std::size_t count = 0;
    while (kInline + 60 * count < length) {  // each brings 64 bytes and takes 4 for its number
      ++count;
    }
    return count;
  }
  /// Bytes of the id in the visitor's own cell.
  static constexpr std::size_t inline_bytes(std::size_t extension_count) { return kInline - 4 * extension_count; }
};
static_assert(IdLayout::extensions(56) == 0 && IdLayout::extensions(57) == 1);
static_assert(IdLayout::extensions(IdLayout::kMaxId) == IdLayout::kMaxExtensions);

/// An id in a space. Refers to the id's bytes, which must outlive it.
class VisitorKey {
 public:
  /// `id`: 1 to 250 bytes.
  VisitorKey(std::uint16_t space, std::string_view id, std::uint64_t seed, std::uint32_t buckets)
      : id_(id),
        hash_(hash_bytes(id, fold_multiply(seed ^ space, 0x8EBC6AF09C88C6E3))),
        candidates_(Candidates::of(hash_, buckets)),
        space_(space) {}

  [[nodiscard]] std::string_view id() const { return id_; }
  [[nodiscard]] std::uint16_t space() const { return space_; }
  [[nodiscard]] const Candidates& candidates() const { return candidates_; }
  [[nodiscard]] bool is_long() const { return id_.size() > IdLayout::kInline; }

  /// Word `i` of the cell of an id that is not long: its length, then its bytes, then zeros.
  [[nodiscard]] std::uint64_t word(std::size_t i) const {
    if (i == 0) {
      return id_.size();
    }
    const std::size_t start = 8 * (i - 1);
    if (start >= id_.size()) {
      return 0;
    }
    std::uint64_t word = 0;
    if (start + 8 <= id_.size()) {
      std::memcpy(&word, id_.data() + start, 8);
    } else if (std::endian::native == std::endian::little && id_.size() >= 8) {
      // The last eight bytes, less those that belong to the word before: quicker than to copy a number of bytes that
      // the compiler does not know.
      std::memcpy(&word, id_.data() + id_.size() - 8, 8);
      word >>= 8 * (start + 8 - id_.size());
    } else {
      std::memcpy(&word, id_.data() + start, id_.size() - start);
    }
    return word;
  }
  /// How many of these words the id needs, with the length.
  [[nodiscard]] std::size_t used_words() const { return 1 + (id_.size() + 7) / 8; }

  /// Where the extension of that number may lie: spread over the table, so that long ids do not crowd two buckets.
  [[nodiscard]] Candidates extension_candidates(std::size_t number, std::uint32_t buckets) const {
    return Candidates::of(fold_multiply(hash_ ^ (number + 1), 0xA0761D6478BD642F), buckets);
  }

 private:
  std::string_view id_;
  std::uint64_t hash_;
  Candidates candidates_;
  std::uint16_t space_;
};

}  // namespace presence
