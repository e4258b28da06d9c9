// What the options of all DSNs have in common.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/dsn.h"
#include "base/result.h"

namespace presence {

/// Error: invalid_argument where the DSN has an option that is not in `known`; a mistyped option must not be silently
/// without effect. Its name is told where it did not come out of the DSN's text.
Status check_option_names(const Dsn& dsn, std::span<const std::string_view> known);

/// The option `timeout` in seconds, or `fallback`. Error: invalid_argument unless it is a number above 0, at most 3600.
Result<double> timeout_of(const Dsn& dsn, double fallback);

/// The option `name`, or `fallback`. Error: invalid_argument unless it is an integer from `least` to `most`.
Result<std::int64_t> integer_of(const Dsn& dsn, std::string_view name, std::int64_t fallback, std::int64_t least,
                                std::int64_t most);

}  // namespace presence
