// Reading what FastLZ compressed.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace presence {

/// The text of `size` bytes that was compressed, by either level of FastLZ (ariya.github.io/FastLZ: the block format).
/// None if the bytes are not such a text. Reads and writes nothing outside, whatever the bytes.
std::optional<std::string> fastlz_decompress(std::string_view bytes, std::size_t size);

}  // namespace presence
