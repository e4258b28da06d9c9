// UTF-8, strictly: what a database in strict mode takes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace presence::utf8 {

/// Whether the text is well-formed UTF-8 (Unicode table 3-7): no overlong forms, no surrogates, nothing above U+10FFFF.
/// NUL is a character like any other. ASCII goes eight bytes at a time.
[[nodiscard]] bool valid(std::string_view text);

/// The text with each maximal ill-formed sequence replaced by U+FFFD, as browsers do (WHATWG Encoding, "UTF-8 decode").
/// The result is well-formed and may be up to three times as long.
[[nodiscard]] std::string scrub(std::string_view text);

/// The longest start of a well-formed text that has at most `max_bytes` bytes and cuts no character in two.
[[nodiscard]] std::string_view prefix(std::string_view text, std::size_t max_bytes);

}  // namespace presence::utf8
