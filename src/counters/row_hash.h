// A counter row's identity.
#pragma once

#include <optional>
#include <string_view>

#include "base/counter_row.h"

namespace presence {

/// The first 32 hex digits of sha256("name:slot") or, with an argument, sha256("name:slot:argument"), as existing PHP
/// code computes it. A name that itself contains ':' would make that form ambiguous; for such a name it is
/// sha256(":<bytes in name>:name:slot[:argument]"), which no name of the plain form can give, since none is empty.
RowHash row_hash(std::string_view name, std::optional<std::string_view> argument, UnixTime slot);

}  // namespace presence
