// What one Presence object is set to, and what it may be set to.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace presence {

/// How Presence reaches its store.
enum class PresenceMode {
  buffered,  ///< Calls touch the segment; the flusher exchanges with the store.
  direct,    ///< Each call asks the store, as its recipe says.
};

/// What a failing server means for the page that asked.
enum class OnError {
  raise,   ///< ConnectionException.
  silent,  ///< Writes are dropped, questions answered with "nobody"; the error is in status().
};

/// The options of one Presence object.
struct PresenceOptions {
  static constexpr std::size_t kMaxKey = 200;   ///< Leaves stores room for what they append: Memcached takes 250.
  static constexpr int kMaxRetention = 525600;  ///< A year of minutes.
  static constexpr int kMaxThrottle = 86400;    ///< A day of seconds.
  static constexpr double kMinTimeout = 0.001;
  static constexpr double kMaxTimeout = 60;
  static constexpr double kMinSync = 0.5;
  static constexpr double kMaxSync = 60;

  std::string key = "users:online";  ///< Key, or first part of the keys, in the store.
  int window = 5;                    ///< Minutes without a request after which a visitor is gone.
  int retention = 60;                ///< Minutes that a visitor is kept.
  std::optional<int> throttle;       ///< Seconds in which a visitor is recorded once. None: the store's own.
  PresenceMode mode = PresenceMode::buffered;
  double timeout = 0.2;  ///< Seconds that a page may wait for a server.
  double sync = 1.0;     ///< Seconds between two exchanges with a server in buffered mode; 0.5 to 60.
  OnError on_error = OnError::raise;
  /// What only one strategy knows, as further options of the store's DSN: window_size, max_id, parts, …
  std::vector<std::pair<std::string, std::string>> strategy;

  /// Whether the options may be used together. Error: invalid_argument; the message says which must be what.
  [[nodiscard]] Status validate() const;
};

/// "buffered" or "direct". Error: invalid_argument.
Result<PresenceMode> parse_mode(std::string_view text);

/// "throw" or "silent". Error: invalid_argument.
Result<OnError> parse_on_error(std::string_view text);

/// The key of a room: the key it belongs to, then ":room:" and the name, in which each control character, space,
/// percent sign and colon is written as % and two hex digits: stores do not take the former in keys, and without the
/// last different rooms (also rooms of rooms) never share a key. The name is 1 to 100 bytes. Error: invalid_argument,
/// also when the room's key would be longer than kMaxKey.
Result<std::string> room_key(std::string_view key, std::string_view name);

/// Whether room_key() made it.
bool is_room_key(std::string_view key);

}  // namespace presence
