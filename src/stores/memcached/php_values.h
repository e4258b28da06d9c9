// Values in the form in which PHP's `memcached` extension stores them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "stores/store.h"

namespace presence::php_values {

/// An item's flags, as in php_memcached.c: the type in the lowest four bits, what was done to the value in the next
/// twelve, the upper sixteen are free for users.
constexpr std::uint32_t kInteger = 1;
constexpr std::uint32_t kSerialized = 4;

/// What an application may use as it likes (Memcached::OPT_USER_FLAGS).
constexpr std::uint32_t user_flags(std::uint32_t flags) { return flags >> 16; }
constexpr std::uint32_t with_user_flags(std::uint32_t flags, std::uint32_t user) { return flags | user << 16; }

/// The text of serialize() as an item has it: as it is, or compressed by FastLZ, which PHP's extension does by itself
/// with what is longer than 2000 bytes. Error: damaged for any other kind of value, saying what to set in PHP.
Result<std::string> serialized_text(std::uint32_t flags, std::string data);

/// An array of visitor id => Unix time from the text of serialize(). The ids of the entries point into the text, times
/// with a fraction are rounded down. Error: damaged for anything else.
Result<std::vector<Seen>> parse_times(std::string_view text);

/// The same array as serialize() writes it. Ids must be different from each other.
std::string serialize_times(std::span<const Seen> entries);

/// An integer's value. None if the item holds something else.
std::optional<std::int64_t> parse_integer(std::uint32_t flags, std::string_view data);

/// Whether PHP makes an integer key of a string: a decimal number as PHP writes it itself, that fits into 64 bits.
bool is_integer_key(std::string_view id);

}  // namespace presence::php_values
