// What the counters hand to a sink, and what they ask it for.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace presence {

/// Total, count, minimum and maximum of the values added to one series in some span of time.
struct Sums {
  double total = 0;
  double minimum = 0;
  double maximum = 0;
  std::int64_t count = 0;
};

/// A row's identity: the first 32 lower-case hex digits of a SHA-256 (see counters/row_hash.h).
using RowHash = std::array<char, 32>;

inline std::string_view view(const RowHash& hash) { return {hash.data(), hash.size()}; }

/// One series in one minute.
struct CounterRow {
  RowHash hash{};
  std::string name;                     ///< UTF-8, 1 to 64 bytes.
  std::optional<std::string> argument;  ///< UTF-8, at most 250 bytes.
  UnixTime slot = 0;                    ///< Start of the minute.
  Sums sums;                            ///< All values finite; count at least 1.
};

/// Which rows a reader wants, and how they are put together.
struct CounterQuery {
  std::string name;
  std::optional<std::string> argument;  ///< Only this argument; without: the name over all its arguments.
  UnixTime since = 0;                   ///< First slot, inclusive.
  UnixTime until = 0;                   ///< End, exclusive.
  std::int64_t step = 60;               ///< Seconds a bucket covers; a multiple of 60.
};

/// The sums over one step. Buckets start at multiples of the step since 1970 (UTC).
struct CounterBucket {
  UnixTime slot = 0;  ///< Start of the bucket.
  Sums sums;
};

}  // namespace presence
