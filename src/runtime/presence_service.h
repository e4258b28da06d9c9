// What stands behind class Presence, free of PHP: opens trackers over the stores of this machine. One for each thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/dsn.h"
#include "base/result.h"
#include "exchange/exchanges.h"
#include "presence/answer_cache.h"
#include "presence/presence_tracker.h"
#include "runtime/attachment.h"
#include "runtime/flusher_care.h"
#include "stores/open_store.h"
#include "visitors/visitor_table.h"

namespace presence {

class PresenceService {
 public:
  /// `attachment` must outlive the service.
  explicit PresenceService(Attachment& attachment) : attachment_(attachment), flusher_(attachment) {}

  /// A tracker for the store of a DSN. When generation() has changed, it must not be used any more, and
  /// another one be opened. Errors: invalid_argument; unsupported if there is no such store; unavailable.
  Result<PresenceTracker> open(std::string_view dsn, const PresenceOptions& options);

  /// The options that the settings give a Presence object.
  [[nodiscard]] PresenceOptions default_options() const;

  /// Answers given to the last request are forgotten.
  void begin_request() { cache_.begin_request(); }

  /// Counts up in a forked child, and when visitors are kept in another memory than before; see
  /// Attachment::visitors_generation().
  [[nodiscard]] std::uint32_t generation() { return attachment_.visitors_generation(); }

  /// Exchanges what this thread's trackers have buffered with their servers, now. Error: the first server's.
  Status flush();

  /// For a process whose requests never end: has the end of a request's work done. Looks for a flusher once a second,
  /// as often as that exchanges; does its work, where there may be none, once a minute. Costs nanoseconds.
  void look_after(UnixTime now) {
    if (!replicas_.empty() && (now >= look_again_ || look_again_ - now > kLookPause)) [[unlikely]] {
      const bool first = look_again_ == 0;
      look_again_ = now + (flusher_.wanted() ? 1 : kLookPause);
      if (!first && due(false)) {
        end_request(false);
      }
    }
  }

  /// Whether the end of a request has something to do for buffered trackers: to start a flusher where none lives, or to
  /// do its work. Costs nanoseconds. `last_chance`: the process ends; none may follow.
  [[nodiscard]] bool due(bool last_chance);
  /// Does what `due` asked for. Failures are kept for status().
  void end_request(bool last_chance);

  /// The visitor table, mapped at first use. Errors: unavailable, damaged.
  Result<const VisitorTable*> table();

 private:
  static constexpr UnixTime kLookPause = 60;

  Result<PresenceTracker> open_remote(Dsn dsn, const PresenceOptions& options);
  /// The store behind a key of a server in buffered mode.
  Result<std::unique_ptr<Store>> open_buffered(const Dsn& dsn, const PresenceOptions& options);
  Exchanges& exchanges();
  /// What was recorded under a key while shared memory was not to be had goes into the table.
  void bring_home(std::string_view key, std::uint32_t retention);

  Attachment& attachment_;
  FlusherCare flusher_;
  StoreOpener stores_;
  std::set<std::uint32_t> replicas_;  ///< Numbers of those that this thread opened.
  std::unique_ptr<Exchanges> exchanges_;
  UnixTime exchanged_ = 0;
  UnixTime look_again_ = 0;
  std::uint32_t generation_ = 0;
  std::uint32_t forks_ = 0;
  std::unique_ptr<VisitorTable> table_;
  std::unique_ptr<VisitorTable> table_before_;  ///< In use until table_ was to be had.
  AnswerCache cache_;
};

}  // namespace presence
