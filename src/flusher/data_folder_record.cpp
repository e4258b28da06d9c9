#include "flusher/data_folder_record.h"

#include <sys/stat.h>

#include <algorithm>
#include <new>
#include <string_view>
#include <utility>

#include "base/hash.h"

namespace presence {
namespace {

constexpr std::uint32_t kDataFolderVersion = 1;

std::string_view without_slashes(std::string_view path) {
  while (path.size() > 1 && path.ends_with('/')) {
    path.remove_suffix(1);
  }
  return path;
}

}  // namespace

SectionSpec DataFolderRecord::section(std::string path) {
  return {SectionId::data_folder, kDataFolderVersion, sizeof(DataFolderRecord),
          [path = std::move(path)](std::span<std::byte> bytes) {
            auto* record = new (bytes.data()) DataFolderRecord{};
            record->size = static_cast<std::uint32_t>(std::min(path.size(), kPathMax));
            std::copy_n(path.begin(), record->size, record->text.begin());
            record->checksum = hash_bytes({record->text.data(), record->size}, 0);
          }};
}

DataFolderRecord* DataFolderRecord::of(const Segment& segment) {
  const std::span<std::byte> bytes = segment.section(SectionId::data_folder);
  return bytes.size() < sizeof(DataFolderRecord) ? nullptr : reinterpret_cast<DataFolderRecord*>(bytes.data());
}

std::optional<std::string> DataFolderRecord::path() const {
  std::string path(text.data(), std::min<std::size_t>(size, kPathMax));
  const bool whole = !path.empty() && hash_bytes(path, 0) == checksum;
  return whole ? std::optional(std::move(path)) : std::nullopt;
}

bool same_folder(const std::string& a, const std::string& b) {
  if (without_slashes(a) == without_slashes(b)) {
    return true;
  }
  struct stat of_a {};
  struct stat of_b {};
  return stat(a.c_str(), &of_a) == 0 && stat(b.c_str(), &of_b) == 0 && of_a.st_ino == of_b.st_ino &&
         of_a.st_dev == of_b.st_dev;
}

}  // namespace presence
