// The memory-mapped file that all PHP processes of one user share.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "segment/layout.h"

namespace presence {

/// Which part of the segment it is. Values are stored in the file: never reuse one.
enum class SectionId : std::uint32_t {
  lanes = 1,
  targets = 2,
  minutes = 3,
  visitors = 4,
  flusher = 5,
  data_folder = 6,
  replicas = 7
};

/// A part of the segment as one room wants it.
struct SectionSpec {
  SectionId id;
  std::uint32_t version;  ///< Of this section's layout. A segment with another version is replaced.
  std::uint64_t size;     ///< Bytes. An existing segment keeps the size it was created with.
  /// Writes the section's first state into zeroed memory, before anybody else can see it. May be empty.
  std::function<void(std::span<std::byte>)> format;
};

struct SegmentOptions {
  std::string path;  ///< Of the file. Its folder must exist.
};

/// The mapped file. Opening checks that it is a regular file of this user that nobody else may touch, not reached over
/// a link, with the magic, layout version, checksum and bounds that this build expects. Space is reserved when it is
/// created, so a write to the mapping cannot fail later on a full tmpfs. Unmapped by the destructor; the file stays.
class Segment {
 public:
  /// What `open` found out that an administrator should read once; empty if all was well.
  struct Opened;

  /// Maps the segment, creating it where there is none, replacing it where it is damaged, cut short or of another
  /// layout. Errors: unavailable (the folder is missing or not writable), no_space, damaged (a file of another user or
  /// not a regular file; it is left alone).
  static Result<Opened> open(const SegmentOptions& options, std::span<const SectionSpec> sections);

  /// Bytes of the file that `open` would create.
  static std::uint64_t size_of(std::span<const SectionSpec> sections);

  Segment(Segment&& other) noexcept;
  Segment& operator=(Segment&&) = delete;
  ~Segment();

  /// The bytes of a section, aligned to 4096.
  [[nodiscard]] std::span<std::byte> section(SectionId id) const;

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::size_t size() const { return header_.file_size; }
  [[nodiscard]] int fd() const { return fd_.get(); }

  /// 32 hex digits, drawn when the segment was created: the source of its batches.
  [[nodiscard]] std::string identity() const;

  /// Seed of the tables' hash functions, drawn when the segment was created, so that nobody outside can choose keys
  /// that collide.
  [[nodiscard]] std::uint64_t seed() const;

  /// A new open file description of the same file. Locks belong to a description, so each holder of a lock needs one
  /// of its own.
  [[nodiscard]] Result<UniqueFd> reopen() const;

  /// Version of the header's layout, for status().
  static std::uint32_t layout_version();

 private:
  Segment(std::string path, UniqueFd fd, std::byte* base, const SegmentHeader& header);

  std::string path_;
  UniqueFd fd_;
  std::byte* base_ = nullptr;
  /// As it was when it was checked. The one in the file is not asked again: whoever can write to it could change it.
  SegmentHeader header_;
};

struct Segment::Opened {
  Segment segment;
  std::string warning;
};

}  // namespace presence
