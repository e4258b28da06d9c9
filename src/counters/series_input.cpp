#include "counters/series_input.h"

#include <cmath>

#include "base/sha256.h"
#include "base/utf8.h"

namespace presence {
namespace {

constexpr std::size_t kHashDigits = 8;

}  // namespace

Status check_series_name(std::string_view name) {
  if (name.empty()) {
    return Error{ErrorCode::invalid_argument, "must not be empty"};
  }
  if (name.size() > kSeriesNameMax) {
    return Error{ErrorCode::invalid_argument,
                 "must be at most 64 bytes long, " + std::to_string(name.size()) + " given"};
  }
  if (!utf8::valid(name)) {
    return Error{ErrorCode::invalid_argument, "must be valid UTF-8"};
  }
  return {};
}

Status check_series_value(double value) {
  if (!std::isfinite(value)) {
    return Error{ErrorCode::invalid_argument, "must be a finite number"};
  }
  return {};
}

ArgumentFix fix_argument(std::string_view argument, std::string& fixed) {
  const bool broken = !utf8::valid(argument);
  if (!broken && argument.size() <= kSeriesArgumentMax) {
    return ArgumentFix::none;
  }
  const std::string hash = sha256_hex(argument, kHashDigits);
  fixed = broken ? utf8::scrub(argument) : std::string(argument);
  if (fixed.size() <= kSeriesArgumentMax) {
    return ArgumentFix::scrubbed;
  }
  const std::size_t kept = utf8::prefix(fixed, kSeriesArgumentMax - kHashDigits - 1).size();
  fixed.resize(kept);
  fixed.append("~").append(hash);
  return broken ? ArgumentFix::scrubbed_and_shortened : ArgumentFix::shortened;
}

}  // namespace presence
