// Where visitors are kept: one interface, one file per store and strategy.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace presence {

/// The span of time a question is about: the last `minutes` minutes up to `now`. Each strategy cuts it as its recipe
/// says; those that keep times count a visitor seen at exactly now - 60 * minutes.
struct Window {
  UnixTime now;
  int minutes;  ///< At least 1.
  /// The earliest time that counts, where a strategy cuts the time into minutes or blocks.
  std::optional<UnixTime> from = std::nullopt;

  [[nodiscard]] UnixTime since() const { return from.value_or(now - 60 * static_cast<UnixTime>(minutes)); }
};

/// A visitor, and when it was last seen.
struct Seen {
  std::string_view visitor;
  UnixTime time;
};

/// Called with a visitor, and when it was seen or forgotten.
using Tell = std::function<void(const Seen&)>;

/// What status() says about the server of a store.
struct StoreHealth {
  std::string last_error;  ///< Empty if nothing failed so far.
  UnixTime last_error_time = 0;
  bool breaker_open = false;  ///< The server failed and is left alone for a while (see CircuitBreaker).
  /// What a buffered store exchanged; none for others.
  struct Exchanged {
    std::uint64_t pushed = 0;   ///< Visitors sent to the server.
    std::uint64_t pulled = 0;   ///< Visitors that came from it.
    std::uint32_t waiting = 0;  ///< Visitors not yet sent, as of the last attempt.
    UnixTime last_push = 0;     ///< 0: never.
    UnixTime last_pull = 0;     ///< 0: never.
  };
  std::optional<Exchanged> exchanged = std::nullopt;
};

/// Who was seen when, in one place under one key. The key and the retention are given when a store is opened. Visitor
/// ids are 1 to 250 bytes without NUL; the caller has checked them. What a strategy cannot do is Error unsupported,
/// whose message names a strategy that can. Other errors: unavailable, transient, damaged, no_space. Not safe for
/// several threads at once.
class Store {
 public:
  virtual ~Store() = default;

  /// The visitor was here at `now`.
  virtual Status record(std::string_view visitor, UnixTime now) = 0;
  /// The visitors were here at those times, none after `now`; what lies before the retention is left out. As few round
  /// trips as the protocol allows. On an error some may be recorded; recording all of them again does no harm.
  virtual Status record_all(std::span<const Seen> seen, UnixTime now) {
    for (const Seen& one : seen) {
      if (Status status = record(one.visitor, one.time); !status) {
        return status;
      }
    }
    static_cast<void>(now);
    return {};
  }
  /// How many different visitors the window holds.
  virtual Result<std::int64_t> count(const Window& window) = 0;
  /// Their ids, in no particular order.
  virtual Result<std::vector<std::string>> ids(const Window& window) = 0;
  /// For each visitor, whether the window holds it: answers[i] for visitors[i]. Both are of the same length. One round
  /// trip at most. On an error the answers are unspecified.
  virtual Status online(std::span<const std::string_view> visitors, const Window& window, std::span<bool> answers) = 0;
  /// When the visitor was last seen, if that is not longer ago than the retention; 0 if not.
  virtual Result<UnixTime> last_seen(std::string_view visitor, UnixTime now) = 0;
  /// Takes the visitor out, and lets changes() tell it.
  virtual Status forget(std::string_view visitor, UnixTime now) = 0;
  /// The visitors were forgotten at those times: takes out who was not seen later, as far as the strategy keeps times,
  /// and lets changes() tell it. As few round trips as the protocol allows; doing it again does no harm.
  virtual Status forget_all(std::span<const Seen> forgotten, UnixTime now) {
    for (const Seen& one : forgotten) {
      if (Status status = forget(one.visitor, one.time); !status) {
        return status;
      }
    }
    static_cast<void>(now);
    return {};
  }
  /// `from` is now called `to`, and forgotten; the later of both times stays, or one after the time when `to` was
  /// forgotten, if it was. Does nothing if `from` is not there.
  virtual Status replace(std::string_view from, std::string_view to, UnixTime now) = 0;
  /// Takes out whoever was last seen longer ago than the retention.
  virtual Status purge(UnixTime now) = 0;

  /// Whether the strategy can hold the visitor at all, as every call about it would find. Error: invalid_argument.
  [[nodiscard]] virtual Status accepts(std::string_view visitor) const {
    static_cast<void>(visitor);
    return {};
  }
  /// Whether the strategy can answer for the window. Error: unsupported.
  [[nodiscard]] virtual Status answers(const Window& window) const {
    static_cast<void>(window);
    return {};
  }
  /// Whether the strategy can take a visitor out, as forget() would find. Error: unsupported.
  [[nodiscard]] virtual Status forgets() const { return {}; }
  /// Whether it can make one visitor of another, as replace() would find. Error: unsupported.
  [[nodiscard]] virtual Status replaces() const { return forgets(); }
  /// The earliest time that the window holds, as the strategy cuts it: a visitor seen at it or later is online.
  [[nodiscard]] virtual UnixTime since(const Window& window) const { return window.since(); }
  /// What anybody brought about at `since` or later, in one look at the store. First, by `gone`, each visitor that was
  /// forgotten or became another one then, and when; then, by `each`, each visitor that was recorded then, with its
  /// time as exactly as the strategy keeps it (see time_unit()). Who came or went before may be among them, and one
  /// visitor several times, its latest time last. Other programs that take a visitor out leave no word of it. Error
  /// unsupported where ids are not kept.
  virtual Status changes(UnixTime since, UnixTime now, const Tell& each, const Tell& gone) {
    static_cast<void>(since);
    static_cast<void>(now);
    static_cast<void>(each);
    static_cast<void>(gone);
    return Error{ErrorCode::unsupported, "this store has no changes to tell"};
  }
  /// Seconds: changes() and last_seen() tell times rounded down to a multiple of it.
  [[nodiscard]] virtual UnixTime time_unit() const { return 1; }

  [[nodiscard]] virtual StoreHealth health() const { return {}; }

  /// Whether a visitor is looked up in this process's memory, at less than it costs to look up a kept answer. Then
  /// keeping answers would only make them older.
  [[nodiscard]] virtual bool in_memory() const { return false; }
};

}  // namespace presence
