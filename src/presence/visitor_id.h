// What a visitor may be called.
#pragma once

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace presence {

inline constexpr std::size_t kMaxVisitorId = 250;

/// Whether the id is 1 to 250 bytes without NUL. Any other byte may be in it. Error: invalid_argument.
inline Status check_visitor_id(std::string_view id) {
  if (id.empty() || id.size() > kMaxVisitorId) {
    return Error{ErrorCode::invalid_argument, "must have 1 to 250 bytes, " + std::to_string(id.size()) + " given"};
  }
  if (id.find('\0') != id.npos) {
    return Error{ErrorCode::invalid_argument, "must not contain NUL bytes"};
  }
  return {};
}

/// The id of a visitor known by a number: its decimal form, so that 42 and "42" are one visitor.
class IntegerId {
 public:
  explicit IntegerId(std::int64_t number)
      : size_(static_cast<std::size_t>(std::to_chars(text_.data(), text_.data() + text_.size(), number).ptr -
                                       text_.data())) {}

  [[nodiscard]] std::string_view view() const { return {text_.data(), size_}; }

 private:
  std::array<char, 20> text_;  ///< -9223372036854775808
  std::size_t size_;
};

}  // namespace presence
