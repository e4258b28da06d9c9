// The options of the strategy bitmap.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/dsn.h"
#include "base/result.h"

namespace presence {

struct BitmapOptions {
  int window_size = 300;              ///< Seconds that one block covers.
  std::uint64_t max_id = 1ULL << 27;  ///< The highest id taken: 16 MB a block.
  bool chunked = false;               ///< Ids are spread over small bitmaps, as many as are used.

  /// The number of minutes that "in this block or in the one before" stands for.
  [[nodiscard]] int minutes() const { return (window_size + 59) / 60; }
};

/// Reads window_size (default: `window` minutes), max_id (default 2^27; chunked: 2^63 - 1) and chunked. Error:
/// invalid_argument.
Result<BitmapOptions> bitmap_options(const Dsn& dsn, int window);

/// The id as a number. Error: invalid_argument unless it is an integer from 0 to `max_id`, in its shortest decimal
/// form: "042" is not the same visitor as "42".
Result<std::uint64_t> bitmap_id(std::string_view visitor, std::uint64_t max_id);

}  // namespace presence
