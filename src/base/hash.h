// The hash function of the tables in shared memory.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace presence {

/// Folds the 128-bit product of two words into one: the mixing step of multiply-fold hashes such as wyhash.
inline std::uint64_t fold_multiply(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

/// A seeded 64-bit hash of any bytes. Not cryptographic: it relies on a secret seed against keys chosen to collide.
/// Costs about a nanosecond for each 16 bytes.
inline std::uint64_t hash_bytes(std::string_view bytes, std::uint64_t seed) {
  constexpr std::uint64_t kOdd1 = 0x9E3779B97F4A7C15;  // the golden ratio's fraction
  constexpr std::uint64_t kOdd2 = 0xD1B54A32D192ED03;  // the plastic number's fraction
  const auto word = [](const char* at) {
    std::uint64_t value;
    std::memcpy(&value, at, sizeof value);
    return value;
  };
  const char* at = bytes.data();
  std::size_t left = bytes.size();
  std::uint64_t state = seed ^ kOdd1;
  while (left > 16) {
    state = fold_multiply(word(at) ^ kOdd1 ^ state, word(at + 8) ^ kOdd2);
    at += 16;
    left -= 16;
  }
  // The last 1 to 16 bytes as two words; they overlap where there are fewer, which the length tells apart.
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  if (left >= 8) {
    first = word(at);
    last = word(at + left - 8);
  } else if (left >= 4) {
    std::uint32_t low;
    std::uint32_t high;
    std::memcpy(&low, at, 4);
    std::memcpy(&high, at + left - 4, 4);
    first = low;
    last = high;
  } else if (left > 0) {
    first = static_cast<unsigned char>(at[0]);
    last = static_cast<std::uint64_t>(static_cast<unsigned char>(at[left / 2])) << 8 |
           static_cast<unsigned char>(at[left - 1]);
  }
  state = fold_multiply(first ^ kOdd1 ^ state, last ^ kOdd2 ^ bytes.size());
  return fold_multiply(state, kOdd1 ^ bytes.size());
}

}  // namespace presence
