// The first page of the segment file: what it is, and where its sections are.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace presence {

inline constexpr std::array<char, 8> kSegmentMagic = {'P', 'R', 'E', 'S', 'E', 'N', 'C', 'E'};

/// Counts up with each change of SegmentHeader.
inline constexpr std::uint32_t kSegmentLayoutVersion = 1;

inline constexpr std::size_t kSegmentPage = 4096;
inline constexpr std::size_t kSegmentSectionsMax = 8;

/// Where a section is. All numbers are checked before they are used.
struct SectionEntry {
  std::uint32_t id;
  std::uint32_t version;
  std::uint64_t offset;  ///< From the start of the file; a multiple of kSegmentPage.
  std::uint64_t size;
};

/// Written once, before the file gets its name, and never changed: so it needs no atomics.
struct SegmentHeader {
  std::array<char, 8> magic;
  std::uint32_t layout_version;
  std::uint32_t section_count;
  std::uint64_t file_size;
  std::uint64_t seed;
  std::array<std::uint64_t, 2> identity;
  std::array<SectionEntry, kSegmentSectionsMax> sections;
  std::uint64_t checksum;  ///< hash_bytes over all before it.
};

static_assert(sizeof(SegmentHeader) <= kSegmentPage);

}  // namespace presence
