// What to do about an error that a Redis server answers.
#pragma once

#include <string_view>

#include "base/result.h"

namespace presence {

/// The error for an answer such as "WRONGTYPE Operation against …" to a call about `key`. `place`: the server, for
/// people. What the server said is repeated only where it cannot hold a secret. Never invalid_argument: the caller's
/// arguments are not what is wrong.
Error redis_error(std::string_view place, std::string_view key, std::string_view answer);

/// Whether the answer begins with that word, as in starts_with_code("MOVED 1 h:1", "MOVED").
bool has_code(std::string_view answer, std::string_view code);

}  // namespace presence
