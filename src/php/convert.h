// Between PHP's values and the core's.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>

#include "php/php_api.h"

// Without strict_types PHP takes null for 0 where a function of an extension wants a number, while one written in PHP
// would refuse it. As an id, or as a value, it is a mistake that must not be stored.

/// A parameter "string|int" that is not null. As Z_PARAM_STR_OR_LONG.
#define PRESENCE_PARAM_ID(text, number)                                                                             \
  Z_PARAM_PROLOGUE(0, 0)                                                                                            \
  if (UNEXPECTED(Z_TYPE_P(_arg) <= IS_NULL || !zend_parse_arg_str_or_long(_arg, &text, &number, nullptr, 0, _i))) { \
    _expected_type = Z_EXPECTED_STRING_OR_LONG;                                                                     \
    _error_code = ZPP_ERROR_WRONG_ARG;                                                                              \
    break;                                                                                                          \
  }

/// A parameter "float" that is not null. As Z_PARAM_DOUBLE.
#define PRESENCE_PARAM_NOT_NULL_DOUBLE(number)                                                          \
  Z_PARAM_PROLOGUE(0, 0)                                                                                \
  if (UNEXPECTED(Z_TYPE_P(_arg) <= IS_NULL || !zend_parse_arg_double(_arg, &number, nullptr, 0, _i))) { \
    _expected_type = Z_EXPECTED_DOUBLE;                                                                 \
    _error_code = ZPP_ERROR_WRONG_ARG;                                                                  \
    break;                                                                                              \
  }

namespace presence::php {

/// The bytes of a PHP string, valid as long as the string.
inline std::string_view bytes(const zend_string* text) { return {ZSTR_VAL(text), ZSTR_LEN(text)}; }

/// The same for an argument that may be null.
inline std::optional<std::string_view> optional_bytes(const zend_string* text) {
  return text != nullptr ? std::optional(bytes(text)) : std::nullopt;
}

/// A visitor id that came as string or integer: its bytes. An integer is the same as its decimal text, which is written
/// into this object.
class VisitorId {
 public:
  /// `text` wins if given, as ZPP's "string or integer" leaves it.
  VisitorId(const zend_string* text, zend_long number) {
    if (text != nullptr) {
      bytes_ = php::bytes(text);
      return;
    }
    const auto written = std::to_chars(digits_, digits_ + sizeof digits_, number);
    bytes_ = {digits_, static_cast<std::size_t>(written.ptr - digits_)};
  }
  VisitorId(const VisitorId&) = delete;
  VisitorId& operator=(const VisitorId&) = delete;

  [[nodiscard]] std::string_view bytes() const { return bytes_; }

 private:
  char digits_[24];
  std::string_view bytes_;
};

}  // namespace presence::php
