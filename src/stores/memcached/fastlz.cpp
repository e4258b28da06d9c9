#include "stores/memcached/fastlz.h"

#include <cstdint>

namespace presence {
namespace {

// One instruction of a block brings forth less than this many bytes for each of its own.
constexpr std::size_t kLargestGrowth = 300;
constexpr std::size_t kShortDistance = 8191;  ///< What 13 bits hold: level 2 then adds 16 more.

class Input {
 public:
  explicit Input(std::string_view bytes) : bytes_(bytes) {}

  [[nodiscard]] bool at_end() const { return at_ == bytes_.size(); }
  /// The next byte; 0 once they are used up, which failed() then tells.
  std::size_t byte() {
    if (at_end()) {
      failed_ = true;
      return 0;
    }
    return static_cast<std::uint8_t>(bytes_[at_++]);
  }
  std::string_view take(std::size_t size) {
    if (size > bytes_.size() - at_) {
      failed_ = true;
      return {};
    }
    at_ += size;
    return bytes_.substr(at_ - size, size);
  }
  [[nodiscard]] bool failed() const { return failed_; }

 private:
  std::string_view bytes_;
  std::size_t at_ = 0;
  bool failed_ = false;
};

/// The length of a match whose three bits say 7: what follows is added.
std::size_t long_match(Input& input, bool level2) {
  std::size_t length = 7 + 2;
  std::size_t more;
  do {
    more = input.byte();
    length += more;
  } while (level2 && more == 255 && !input.failed());
  return length;
}

}  // namespace

std::optional<std::string> fastlz_decompress(std::string_view bytes, std::size_t size) {
  if (bytes.empty() || size / kLargestGrowth > bytes.size()) {
    return std::nullopt;
  }
  const std::size_t level = static_cast<std::uint8_t>(bytes[0]) >> 5;
  if (level > 1) {
    return std::nullopt;
  }
  const bool level2 = level == 1;
  std::string text;
  text.reserve(size);
  Input input(bytes);
  std::size_t control = input.byte() & 31;  // The first instruction is always a literal run.
  while (true) {
    if (control < 32) {
      const std::string_view literals = input.take(control + 1);
      if (input.failed() || literals.size() > size - text.size()) {
        return std::nullopt;
      }
      text += literals;
    } else {
      const std::size_t length = control >> 5 == 7 ? long_match(input, level2) : (control >> 5) + 2;
      const std::size_t low = input.byte();
      std::size_t distance = ((control & 31) << 8 | low) + 1;
      if (level2 && distance == kShortDistance + 1) {
        const std::size_t high = input.byte();
        distance += (high << 8 | input.byte());
      }
      if (input.failed() || distance > text.size() || length > size - text.size()) {
        return std::nullopt;
      }
      // A match may reach into what it is writing itself.
      for (std::size_t i = 0; i < length; ++i) {
        text += text[text.size() - distance];
      }
    }
    if (input.at_end()) {
      break;
    }
    control = input.byte();
  }
  return text.size() == size ? std::optional<std::string>(std::move(text)) : std::nullopt;
}

}  // namespace presence
