#include "flusher/flusher_record.h"

namespace presence {
namespace {

constexpr std::uint32_t kFlusherVersion = 1;

}  // namespace

SectionSpec FlusherRecord::section() { return {SectionId::flusher, kFlusherVersion, sizeof(FlusherRecord), {}}; }

FlusherRecord* FlusherRecord::of(const Segment& segment) {
  const std::span<std::byte> bytes = segment.section(SectionId::flusher);
  return bytes.size() < sizeof(FlusherRecord) ? nullptr : reinterpret_cast<FlusherRecord*>(bytes.data());
}

}  // namespace presence
