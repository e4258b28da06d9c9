#include "visitors/table_layout.h"

#include <algorithm>

namespace presence {
namespace {

constexpr std::uint64_t align_up(std::uint64_t offset) { return (offset + 127) & ~std::uint64_t{127}; }

}  // namespace

TableGeometry TableGeometry::of(std::uint32_t max_visitors) {
  TableGeometry g{};
  g.max_visitors = std::clamp(max_visitors, kMinVisitors, kMaxVisitors);
  // Four fifths full when all visitors are there: with two buckets of 16 to choose from, fewer than one new visitor in
  // ten thousand then finds both full.
  g.buckets = (g.max_visitors * 5U / 4U + kBucketSlots - 1) / kBucketSlots;
  g.slots = g.buckets * kBucketSlots;
  g.spaces = std::clamp((g.max_visitors / 16) / kBucketSlots * kBucketSlots, 2 * kBucketSlots, kMaxSpaces);
  g.space_buckets = g.spaces / kBucketSlots;

  g.spaces_offset = align_up(sizeof(TableHeader));
  g.journals_offset = align_up(g.spaces_offset + g.spaces * sizeof(SpaceRecord));
  g.tags_offset = align_up(g.journals_offset + kLanes * sizeof(LaneJournal));
  g.words_offset = align_up(g.tags_offset + std::uint64_t{g.slots} * sizeof(std::uint16_t));
  g.cells_offset = align_up(g.words_offset + std::uint64_t{g.slots} * sizeof(std::uint64_t));
  g.size = g.cells_offset + std::uint64_t{g.slots} * sizeof(Cell);
  return g;
}

Result<TableView> TableView::over(std::span<std::byte> bytes) {
  const auto damaged = [] { return Error{ErrorCode::damaged, "The visitor table's header is damaged"}; };
  if (bytes.size() < sizeof(TableHeader) || reinterpret_cast<std::uintptr_t>(bytes.data()) % alignof(Cell) != 0) {
    return damaged();
  }
  std::byte* base = bytes.data();
  auto* header = reinterpret_cast<TableHeader*>(base);
  const std::uint32_t max_visitors = header->max_visitors;
  const TableGeometry g = TableGeometry::of(max_visitors);
  if (header->magic != TableHeader::kMagic || g.max_visitors != max_visitors || g.size > bytes.size()) {
    return damaged();
  }
  return TableView{g,
                   header,
                   reinterpret_cast<SpaceRecord*>(base + g.spaces_offset),
                   reinterpret_cast<LaneJournal*>(base + g.journals_offset),
                   reinterpret_cast<std::atomic<std::uint64_t>*>(base + g.tags_offset),
                   reinterpret_cast<std::atomic<std::uint64_t>*>(base + g.words_offset),
                   reinterpret_cast<Cell*>(base + g.cells_offset)};
}

void format_table(std::span<std::byte> bytes, std::uint32_t max_visitors) {
  auto* header = reinterpret_cast<TableHeader*>(bytes.data());
  header->max_visitors = TableGeometry::of(max_visitors).max_visitors;
  header->magic = TableHeader::kMagic;
}

}  // namespace presence
