// CRC-32 as zlib, PNG and PHP's crc32() compute it (polynomial 0xEDB88320, reflected).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace presence {

/// The checksum of the bytes. Some nanoseconds a byte: for short texts.
constexpr std::uint32_t crc32(std::string_view bytes) {
  constexpr auto kTable = [] {
    std::array<std::uint32_t, 16> table{};
    for (std::uint32_t i = 0; i < table.size(); ++i) {
      std::uint32_t value = i;
      for (int bit = 0; bit < 4; ++bit) {
        value = (value & 1) != 0 ? value >> 1 ^ 0xEDB88320U : value >> 1;
      }
      table[i] = value;
    }
    return table;
  }();
  std::uint32_t state = 0xFFFFFFFFU;
  for (const char c : bytes) {
    state ^= static_cast<std::uint8_t>(c);
    state = state >> 4 ^ kTable[state & 15];
    state = state >> 4 ^ kTable[state & 15];
  }
  return ~state;
}

}  // namespace presence
