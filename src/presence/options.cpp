#include "presence/options.h"

#include <algorithm>
#include <utility>

namespace presence {
namespace {

constexpr std::size_t kMaxRoomName = 100;
constexpr std::string_view kRoomMark = ":room:";

Error invalid(std::string message) { return {ErrorCode::invalid_argument, std::move(message)}; }

bool control_or_space(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte <= 0x20 || byte == 0x7F;
}

std::string range(std::string_view what, int least, int most, std::string_view unit, int given) {
  return std::string(what) + " must be between " + std::to_string(least) + " and " + std::to_string(most) + " " +
         std::string(unit) + ", " + std::to_string(given) + " given";
}

Status validate_key(std::string_view key) {
  if (key.empty() || key.size() > PresenceOptions::kMaxKey) {
    return invalid("key must have 1 to " + std::to_string(PresenceOptions::kMaxKey) + " bytes, " +
                   std::to_string(key.size()) + " given");
  }
  if (std::any_of(key.begin(), key.end(), control_or_space)) {
    return invalid("key must not contain spaces or control characters");
  }
  return {};
}

}  // namespace

Status PresenceOptions::validate() const {
  if (Status status = validate_key(key); !status) {
    return status;
  }
  if (retention < 1 || retention > kMaxRetention) {
    return invalid(range("retention", 1, kMaxRetention, "minutes", retention));
  }
  if (window < 1) {
    return invalid(range("window", 1, retention, "minutes", window));
  }
  if (window > retention) {
    return invalid("window must not be longer than retention (" + std::to_string(retention) + " minutes), " +
                   std::to_string(window) + " given");
  }
  if (throttle && (*throttle < 0 || *throttle > kMaxThrottle)) {
    return invalid(range("throttle", 0, kMaxThrottle, "seconds", *throttle));
  }
  if (throttle && *throttle >= window * 60) {
    return invalid("throttle must be shorter than window (" + std::to_string(window * 60) + " seconds), " +
                   std::to_string(*throttle) + " given: visitors who stay would seem to leave");
  }
  // Written so that NaN fails.
  if (!(timeout >= kMinTimeout && timeout <= kMaxTimeout)) {
    return invalid("timeout must be between 0.001 and 60 seconds");
  }
  if (!(sync >= kMinSync && sync <= kMaxSync)) {
    return invalid("sync must be between 0.5 and 60 seconds");
  }
  return {};
}

Result<PresenceMode> parse_mode(std::string_view text) {
  if (text == "buffered") {
    return PresenceMode::buffered;
  }
  if (text == "direct") {
    return PresenceMode::direct;
  }
  return invalid("mode must be \"buffered\" or \"direct\"");
}

Result<OnError> parse_on_error(std::string_view text) {
  if (text == "throw") {
    return OnError::raise;
  }
  if (text == "silent") {
    return OnError::silent;
  }
  return invalid("on_error must be \"throw\" or \"silent\"");
}

Result<std::string> room_key(std::string_view key, std::string_view name) {
  if (name.empty() || name.size() > kMaxRoomName) {
    return invalid("must have 1 to " + std::to_string(kMaxRoomName) + " bytes, " + std::to_string(name.size()) +
                   " given");
  }
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string room(key);
  room += kRoomMark;
  for (const char c : name) {
    if (control_or_space(c) || c == '%' || c == ':') {
      const auto byte = static_cast<unsigned char>(c);
      room += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
    } else {
      room += c;
    }
  }
  if (room.size() > PresenceOptions::kMaxKey) {
    return invalid("and the key it belongs to must have at most " + std::to_string(PresenceOptions::kMaxKey) +
                   " bytes together, with \":room:\" between them; " + std::to_string(room.size()) + " given");
  }
  return room;
}

bool is_room_key(std::string_view key) { return key.find(kRoomMark) != key.npos; }

}  // namespace presence
