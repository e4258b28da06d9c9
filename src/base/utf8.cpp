#include "base/utf8.h"

#include <cstdint>
#include <cstring>

namespace presence::utf8 {
namespace {

// What stands at the start of a text: a character, or the longest ill-formed sequence that counts as one error.
struct Sequence {
  std::size_t length;
  bool well_formed;
};

std::uint8_t byte_at(std::string_view text, std::size_t index) { return static_cast<std::uint8_t>(text[index]); }

bool is_continuation(std::uint8_t byte) { return (byte & 0xC0) == 0x80; }

// Bytes of the character that a lead byte begins; 0 for a byte that begins none.
std::size_t expected_length(std::uint8_t lead) {
  if (lead < 0x80) {
    return 1;
  }
  if (lead < 0xC2) {  // Continuations, and C0 and C1, which only overlong forms use.
    return 0;
  }
  if (lead < 0xE0) {
    return 2;
  }
  if (lead < 0xF0) {
    return 3;
  }
  return lead <= 0xF4 ? 4 : 0;
}

// Whether the second byte may follow the lead. This alone keeps out overlong forms, surrogates and what is above
// U+10FFFF.
bool second_fits(std::uint8_t lead, std::uint8_t second) {
  switch (lead) {
    case 0xE0: return second >= 0xA0 && second <= 0xBF;
    case 0xED: return second >= 0x80 && second <= 0x9F;
    case 0xF0: return second >= 0x90 && second <= 0xBF;
    case 0xF4: return second >= 0x80 && second <= 0x8F;
    default: return is_continuation(second);
  }
}

// `text` is not empty.
Sequence first_sequence(std::string_view text) {
  const std::uint8_t lead = byte_at(text, 0);
  const std::size_t expected = expected_length(lead);
  if (expected == 0) {
    return {1, false};
  }
  for (std::size_t i = 1; i < expected; ++i) {
    if (i >= text.size()) {
      return {i, false};
    }
    const std::uint8_t byte = byte_at(text, i);
    if (i == 1 ? !second_fits(lead, byte) : !is_continuation(byte)) {
      return {i, false};
    }
  }
  return {expected, true};
}

// How many bytes of well-formed text are at the start.
std::size_t well_formed_length(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    std::uint64_t word;
    if (text.size() - at >= sizeof word) {
      std::memcpy(&word, text.data() + at, sizeof word);
      if ((word & 0x8080808080808080U) == 0) {
        at += sizeof word;
        continue;
      }
    }
    const Sequence sequence = first_sequence(text.substr(at));
    if (!sequence.well_formed) {
      return at;
    }
    at += sequence.length;
  }
  return at;
}

}  // namespace

bool valid(std::string_view text) { return well_formed_length(text) == text.size(); }

std::string scrub(std::string_view text) {
  static constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
  std::string result;
  result.reserve(text.size());
  while (true) {
    const std::size_t good = well_formed_length(text);
    result += text.substr(0, good);
    text.remove_prefix(good);
    if (text.empty()) {
      return result;
    }
    result += kReplacement;
    text.remove_prefix(first_sequence(text).length);
  }
}

std::string_view prefix(std::string_view text, std::size_t max_bytes) {
  if (text.size() <= max_bytes) {
    return text;
  }
  std::size_t end = max_bytes;
  // The first byte left out must begin a character.
  while (end > 0 && is_continuation(byte_at(text, end))) {
    --end;
  }
  return text.substr(0, end);
}

}  // namespace presence::utf8
