// A short text in shared memory, for people: written by one process, read by any.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <string>
#include <string_view>

namespace presence {

/// Up to `Size` bytes; a longer text is cut. Who reads while another writes, or after the writer was killed, may get
/// the beginning of one text and the end of another, never more bytes than there are.
template <std::size_t Size>
class SharedText {
 public:
  void store(std::string_view text) {
    const std::size_t size = std::min(text.size(), Size);
    for (std::size_t i = 0; i < size; ++i) {
      letters_[i].store(text[i], std::memory_order_relaxed);  // for people: orders nothing
    }
    if (size < Size) {
      letters_[size].store('\0', std::memory_order_relaxed);
    }
  }

  [[nodiscard]] std::string load() const {
    std::string text;
    for (const std::atomic<char>& letter : letters_) {
      const char c = letter.load(std::memory_order_relaxed);
      if (c == '\0') {
        break;
      }
      text.push_back(c);
    }
    return text;
  }

 private:
  std::array<std::atomic<char>, Size> letters_;  ///< Ends with NUL or with the array.
};

}  // namespace presence
