#include "stores/redis/bitmap_options.h"

#include <charconv>
#include <limits>
#include <optional>
#include <string>

namespace presence {
namespace {

constexpr std::uint64_t kRedisLimit = (1ULL << 32) - 1;  // A string of Redis has at most 512 MB.
constexpr std::uint64_t kChunkedLimit = std::numeric_limits<std::int64_t>::max();
constexpr int kLongestBlock = 86400;

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole && (text.size() == 1 || text[0] != '0') ? std::optional<std::uint64_t>(value) : std::nullopt;
}

Error invalid(std::string message) { return {ErrorCode::invalid_argument, std::move(message)}; }

}  // namespace

Result<BitmapOptions> bitmap_options(const Dsn& dsn, int window) {
  BitmapOptions options;
  if (const auto chunked = dsn.option("chunked")) {
    if (*chunked != "0" && *chunked != "1") {
      return invalid("the option \"chunked\" must be 0 or 1");
    }
    options.chunked = *chunked == "1";
  }
  if (const auto text = dsn.option("window_size")) {
    const auto seconds = number(*text);
    if (!seconds || *seconds < 1 || *seconds > kLongestBlock) {
      return invalid("the option \"window_size\" must be between 1 and 86400 seconds");
    }
    options.window_size = static_cast<int>(*seconds);
    if (options.minutes() != window) {
      return invalid("the option \"window_size\" of " + std::string(*text) + " seconds goes with a window of " +
                     std::to_string(options.minutes()) + " minutes, not " + std::to_string(window) +
                     ": set the option \"window\" (INI entry presence.window) too, or leave out window_size");
    }
  } else if (window * 60 > kLongestBlock) {
    return invalid("the strategy bitmap needs a window of at most a day (1440 minutes)");
  } else {
    options.window_size = window * 60;
  }
  const std::uint64_t limit = options.chunked ? kChunkedLimit : kRedisLimit;
  if (options.chunked) {
    options.max_id = kChunkedLimit;
  }
  if (const auto text = dsn.option("max_id")) {
    const auto id = number(*text);
    if (!id || *id > limit) {
      return invalid("the option \"max_id\" must be an integer from 0 to " + std::to_string(limit));
    }
    options.max_id = *id;
  }
  return options;
}

Result<std::uint64_t> bitmap_id(std::string_view visitor, std::uint64_t max_id) {
  const auto id = number(visitor);
  if (!id || *id > max_id) {
    return invalid("must be an integer from 0 to " + std::to_string(max_id) +
                   " for strategy=bitmap (its option max_id sets the limit); strategy=zset takes any id");
  }
  return *id;
}

}  // namespace presence
