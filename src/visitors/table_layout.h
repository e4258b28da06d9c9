// How the visitor table lies in its section of the segment.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/result.h"

namespace presence {

/// Sizes and places of the table's parts. They follow from the number of visitors alone, so a damaged header cannot
/// point anywhere else.
struct TableGeometry {
  /// Slots of one bucket. Two buckets may hold a visitor.
  static constexpr std::uint32_t kBucketSlots = 16;
  static constexpr std::uint32_t kMinVisitors = 64;
  static constexpr std::uint32_t kMaxVisitors = 1U << 26;
  /// Lanes that may write; the segment has no more.
  static constexpr std::uint32_t kLanes = 2048;
  static constexpr std::uint32_t kMaxSpaces = 65520;

  std::uint32_t max_visitors;
  std::uint32_t buckets;
  std::uint32_t slots;
  std::uint32_t space_buckets;
  std::uint32_t spaces;

  std::uint64_t spaces_offset;
  std::uint64_t journals_offset;
  std::uint64_t tags_offset;
  std::uint64_t words_offset;
  std::uint64_t cells_offset;
  std::uint64_t size;  ///< Bytes of the whole section.

  /// For that many visitors at a time, taken into the range kMinVisitors to kMaxVisitors.
  static TableGeometry of(std::uint32_t max_visitors);
};

/// Start of the section: who it is, and numbers for status().
struct TableHeader {
  static constexpr std::uint64_t kMagic = 0x31726F7469736976;  // "visitor1", little endian

  std::uint64_t magic;
  std::uint32_t max_visitors;
  std::uint32_t reserved;
  /// On a line of their own: writers count here while the line above is only read.
  alignas(64) std::atomic<std::uint64_t> evicted_expired;
  std::atomic<std::uint64_t> evicted_live;
  std::atomic<std::uint64_t> evicted_spaces;
  std::atomic<std::uint64_t> refused;
};
static_assert(sizeof(TableHeader) == 128);

/// A space: one application key, with its room if it has one.
struct alignas(32) SpaceRecord {
  std::atomic<std::uint64_t> word;  ///< A SlotWord; its time is the last use, its version the generation.
  std::atomic<std::uint64_t> key_low;
  std::atomic<std::uint64_t> key_high;
  std::atomic<std::uint32_t> retention;  ///< Seconds.
  std::uint32_t reserved;
};
static_assert(sizeof(SpaceRecord) == 32);

/// The slots that a lane is filling just now, each plus one, so that whoever has the lane after a kill frees them.
struct alignas(32) LaneJournal {
  static constexpr std::size_t kSlots = 5;  ///< A visitor, and at most four extensions.
  std::array<std::atomic<std::uint32_t>, kSlots> slots;
};
static_assert(sizeof(LaneJournal) == 32);

/// The id of a visitor, or a part of it. Only read and written as whole words, each atomically.
struct alignas(64) Cell {
  std::array<std::atomic<std::uint64_t>, 8> words;
};
static_assert(sizeof(Cell) == 64);
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

/// Pointers to the parts of one mapped table. A value: copy it. Every index must be below the geometry's number.
struct TableView {
  TableGeometry geometry;
  TableHeader* header;
  SpaceRecord* spaces;
  LaneJournal* journals;
  std::atomic<std::uint64_t>* tags;   ///< Four tags of 16 bits a word, in the order of the slots from the low bits up.
  std::atomic<std::uint64_t>* words;  ///< One SlotWord a slot.
  Cell* cells;

  /// Error: damaged, if the header does not describe a table that fits into the bytes.
  static Result<TableView> over(std::span<std::byte> bytes);
};

/// Writes the header of an empty table into zeroed bytes.
void format_table(std::span<std::byte> bytes, std::uint32_t max_visitors);

}  // namespace presence
