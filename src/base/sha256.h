// SHA-256 as FIPS 180-4 defines it, for row identities and names. Not for passwords.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace presence {

/// Hashes a text given in pieces. Needs no memory beyond itself.
class Sha256 {
 public:
  using Digest = std::array<std::uint8_t, 32>;

  Sha256& update(std::string_view data);

  /// The hash of all pieces so far. Ends the computation: the object is not used again.
  [[nodiscard]] Digest finish();

 private:
  static constexpr std::size_t kBlock = 64;

  void compress(const std::uint8_t* block);

  std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::uint8_t, kBlock> buffer_{};
  std::size_t buffered_ = 0;
  std::uint64_t length_ = 0;  ///< Bytes taken so far.
};

/// The first `digits` of the 64 lower-case hex digits of the hash.
std::string sha256_hex(std::string_view data, std::size_t digits = 64);

}  // namespace presence
