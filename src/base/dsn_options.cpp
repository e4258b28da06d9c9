#include "base/dsn_options.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <string>

namespace presence {

Status check_option_names(const Dsn& dsn, std::span<const std::string_view> known) {
  const std::size_t in_text = dsn.options.size() - std::min(dsn.options.size(), dsn.options_beside_text);
  for (std::size_t i = 0; i < dsn.options.size(); ++i) {
    const std::string& name = dsn.options[i].first;
    if (std::find(known.begin(), known.end(), name) != known.end()) {
      continue;
    }
    // A name in the DSN is not repeated: it may be a piece of a password that was not encoded.
    std::string message = i < in_text ? "the DSN has an unknown option; known for " + dsn.scheme + " are"
                                      : "has no option \"" + name +
                                            "\"; besides key, window, retention, throttle, mode, sync, timeout and "
                                            "on_error there are for " +
                                            dsn.scheme;
    for (const std::string_view option : known) {
      message += option == known.front() ? " " : ", ";
      message += option;
    }
    return Error{ErrorCode::invalid_argument, std::move(message)};
  }
  return {};
}

Result<double> timeout_of(const Dsn& dsn, double fallback) {
  const auto text = dsn.option("timeout");
  if (!text) {
    return fallback;
  }
  double seconds = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), seconds);
  if (error != std::errc() || end != text->data() + text->size() || !(seconds > 0 && seconds <= 3600)) {
    return Error{ErrorCode::invalid_argument,
                 "the option \"timeout\" must be a number of seconds above 0, at most 3600"};
  }
  return seconds;
}

Result<std::int64_t> integer_of(const Dsn& dsn, std::string_view name, std::int64_t fallback, std::int64_t least,
                                std::int64_t most) {
  const auto text = dsn.option(name);
  if (!text) {
    return fallback;
  }
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), number);
  if (error != std::errc() || end != text->data() + text->size() || number < least || number > most) {
    return Error{ErrorCode::invalid_argument, "the option \"" + std::string(name) + "\" must be an integer from " +
                                                  std::to_string(least) + " to " + std::to_string(most)};
  }
  return number;
}

}  // namespace presence
