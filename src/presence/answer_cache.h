// Answers already given to the running request, so that a page which asks twice is told the same and pays once.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/clock.h"

namespace presence {

/// The answers about one key of one store. Kept within one second of the clock only, as the request of a long-running
/// worker never ends.
class Answers {
 public:
  /// Forgets everything if `now` is another second than that of the answers kept.
  void at(UnixTime now);

  [[nodiscard]] std::optional<std::int64_t> count(int minutes) const;
  void keep_count(int minutes, std::int64_t count);

  [[nodiscard]] std::optional<bool> online(int minutes, std::string_view visitor) const;
  void keep_online(int minutes, std::string_view visitor, bool online);

  /// The visitor was changed: forgets what was said about it, and the counts.
  void changed(std::string_view visitor);
  /// Anybody may have changed.
  void clear() { windows_.clear(); }

 private:
  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  struct WindowAnswers {
    int minutes;
    std::optional<std::int64_t> count;
    std::unordered_map<std::string, bool, TextHash, std::equal_to<>> online;
  };

  [[nodiscard]] const WindowAnswers* find(int minutes) const;
  WindowAnswers& window(int minutes);

  UnixTime second_ = 0;
  std::vector<WindowAnswers> windows_;  ///< A page asks for one or two windows: no need for more than a list.
};

/// The answers of all Presence objects of one thread: two of the same store and key share theirs.
class AnswerCache {
 public:
  /// Forgets all.
  void begin_request();

  /// The answers about one key of one store. The reference is good while generation() stays.
  Answers& of(const std::string& store_and_key);

  [[nodiscard]] std::uint64_t generation() const { return generation_; }

 private:
  /// So many keys and rooms are remembered at once; a worker that never ends a request may see any number.
  static constexpr std::size_t kMaxKeys = 1024;

  std::unordered_map<std::string, Answers> answers_;
  std::uint64_t generation_ = 1;
};

}  // namespace presence
