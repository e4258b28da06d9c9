// The data folder of a segment, kept in it.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

#include "segment/segment.h"

namespace presence {

/// Batches of one segment are numbered one after the other, and a database's ledger only counts up. So all processes
/// that use the segment must put them into one folder: that of the process that created it. Written before the segment
/// gets its name, and never changed.
struct DataFolderRecord {
  static constexpr std::size_t kPathMax = 4000;

  std::atomic<std::uint32_t> noted;  ///< 1: somebody who wanted another folder has warned of it.
  std::uint32_t size;
  std::uint64_t checksum;  ///< hash_bytes over the path.
  std::array<char, kPathMax> text;

  /// `path`: at most kPathMax bytes.
  static SectionSpec section(std::string path);

  /// The record of a segment; null if the section is too small for one.
  static DataFolderRecord* of(const Segment& segment);

  /// The folder; none if the record is damaged.
  [[nodiscard]] std::optional<std::string> path() const;

  /// True once in the life of the segment.
  [[nodiscard]] bool first_to_note() { return noted.exchange(1, std::memory_order_relaxed) == 0; }
};

/// Whether both are the same folder, by name or, where both exist, by what they lead to.
[[nodiscard]] bool same_folder(const std::string& a, const std::string& b);

}  // namespace presence
