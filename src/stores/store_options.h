// What every store is opened with, whatever its strategy.
#pragma once

#include <optional>
#include <string>

namespace presence {

/// The options of one key. A strategy's own (window_size, max_id, parts, …) are options of the DSN.
struct StoreOptions {
  std::string key;              ///< Key, or first part of the keys; at most 200 bytes, no spaces or control characters.
  int window = 5;               ///< Minutes; the window asked for where a call names none.
  int retention = 60;           ///< Minutes that a visitor is kept.
  std::optional<int> throttle;  ///< Seconds in which a visitor is recorded once. None: the strategy's own.
  double timeout = 0.2;         ///< Seconds that one call may wait for the server, connecting included.
  bool room = false;            ///< The key is a room's: no other program knows it.
};

}  // namespace presence
