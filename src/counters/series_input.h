// What a caller may count: checks names, and makes any argument fit.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace presence {

inline constexpr std::size_t kSeriesNameMax = 64;       ///< Bytes.
inline constexpr std::size_t kSeriesArgumentMax = 250;  ///< Bytes.

/// Errors: invalid_argument if the name is empty, over 64 bytes, or not UTF-8.
Status check_series_name(std::string_view name);

/// Errors: invalid_argument if the value is NaN or infinite.
Status check_series_value(double value);

/// What had to be done to an argument.
enum class ArgumentFix { none, scrubbed, shortened, scrubbed_and_shortened };

/// An argument is data, often from outside, and never breaks a page. Returns what must be changed to store it:
/// ill-formed UTF-8 becomes U+FFFD; over 250 bytes it keeps its start and ends in '~' and the first 8 hex digits of the
/// SHA-256 of the whole, so that different long arguments stay different. `fixed` is only written if the result is not
/// `none`. Nanoseconds for an argument that fits.
ArgumentFix fix_argument(std::string_view argument, std::string& fixed);

}  // namespace presence
