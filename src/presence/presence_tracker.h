// Everything that class Presence does, free of PHP.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "presence/answer_cache.h"
#include "presence/options.h"
#include "stores/store.h"

namespace presence {

/// Who is online, under one key of one store. Checks what it is given before anything is changed, answers with the
/// window of its options where none is asked for, and gives the same answer to the same question within a request (see
/// Answers).
///
/// Visitor ids are 1 to 250 bytes without NUL. `minutes`: 1 to the retention; none is the window of the options. `now`:
/// of the clock. Errors: invalid_argument, and those of the store; with OnError::silent a store that fails is as one
/// that knows nobody, and last_error() tells. Belongs to one thread.
class PresenceTracker {
 public:
  /// Makes the store for the options' key and retention. Does not need to connect yet.
  using OpenStore = std::function<Result<std::unique_ptr<Store>>(const PresenceOptions& options)>;

  /// `place`: names the store, without secrets; trackers of one place and key share their answers. `cache` must outlive
  /// the tracker. Errors: those of PresenceOptions::validate() and `open_store`.
  static Result<PresenceTracker> open(PresenceOptions options, std::string place, OpenStore open_store,
                                      AnswerCache& cache);

  /// The visitor is here now.
  Status persist(std::string_view visitor, UnixTime now);
  /// Takes out whoever was last seen longer ago than the retention.
  Status purge(UnixTime now);
  /// How many visitors are online. Every count that is shown comes from here.
  Result<std::int64_t> count(std::optional<std::int64_t> minutes, UnixTime now);
  /// Their ids, in no particular order. count() of the same window then agrees, for as long as answers are kept.
  Result<std::vector<std::string>> ids(std::optional<std::int64_t> minutes, UnixTime now);
  Result<bool> is_online(std::string_view visitor, std::optional<std::int64_t> minutes, UnixTime now);
  /// answers[i] for visitors[i], both of the same length; one round trip at most. On an error the answers are
  /// unspecified. What is wrong with one of the ids is said with its number, counted from 1.
  Status are_online(std::span<const std::string_view> visitors, std::span<bool> answers,
                    std::optional<std::int64_t> minutes, UnixTime now);
  /// When the visitor was last seen, if within the retention.
  Result<std::optional<UnixTime>> last_seen(std::string_view visitor, UnixTime now);
  /// Takes the visitor out.
  Status forget(std::string_view visitor, UnixTime now);
  /// `from` is now called `to`; the later of both times stays.
  Status replace(std::string_view from, std::string_view to, UnixTime now);
  /// The same options and store for a room of this key; rooms may have rooms. Errors: see room_key(), and open().
  [[nodiscard]] Result<PresenceTracker> room(std::string_view name) const;

  /// Whether there can be such a visitor here. Error: invalid_argument.
  [[nodiscard]] Status check_visitor(std::string_view visitor) const;
  /// Whether a window of that many minutes may be asked for. Error: invalid_argument.
  [[nodiscard]] Status check_minutes(std::optional<std::int64_t> minutes) const;

  [[nodiscard]] const PresenceOptions& options() const { return options_; }
  /// The store's DSN, without secrets.
  [[nodiscard]] const std::string& place() const { return place_; }
  [[nodiscard]] StoreHealth health() const { return store_->health(); }
  /// The last failure of the store that OnError::silent kept from the caller; empty if none.
  [[nodiscard]] const std::string& last_error() const { return last_error_; }

 private:
  PresenceTracker(PresenceOptions options, std::string place, OpenStore open_store, std::unique_ptr<Store> store,
                  AnswerCache& cache);

  [[nodiscard]] Result<Window> window(std::optional<std::int64_t> minutes, UnixTime now) const;
  /// The answers kept, whichever second they are of.
  Answers& answers();
  /// The answers kept that are still good at `now`.
  Answers& answers(UnixTime now);
  Status find_online(std::span<const std::string_view> visitors, std::span<bool> answers,
                     std::optional<std::int64_t> minutes, UnixTime now);
  Status ask_online(std::span<const std::string_view> visitors, std::span<bool> answers, const Window& window);
  /// Whether the options want the failure to be kept from the caller; notes it if so.
  bool hushed(const Error& error);
  Status settle(Status status);
  template <class T>
  Result<T> settle(Result<T> result, T nobody);

  PresenceOptions options_;
  std::string place_;
  std::string cache_key_;
  OpenStore open_store_;
  std::unique_ptr<Store> store_;
  AnswerCache* cache_;
  Answers* answers_ = nullptr;
  std::uint64_t generation_ = 0;  ///< Of the cache when answers_ was looked up.
  std::string last_error_;
};

}  // namespace presence
