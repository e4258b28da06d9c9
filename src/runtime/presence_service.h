// What stands behind class Presence, free of PHP: opens trackers over the stores of this machine. One for each thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "base/dsn.h"
#include "base/result.h"
#include "presence/answer_cache.h"
#include "presence/presence_tracker.h"
#include "runtime/attachment.h"
#include "stores/open_store.h"
#include "visitors/visitor_table.h"

namespace presence {

class PresenceService {
 public:
  /// `attachment` must outlive the service.
  explicit PresenceService(Attachment& attachment) : attachment_(attachment) {}

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

  /// The visitor table, mapped at first use. Errors: unavailable, damaged.
  Result<const VisitorTable*> table();

 private:
  Result<PresenceTracker> open_remote(Dsn dsn, const PresenceOptions& options);
  /// What was recorded under a key while shared memory was not to be had goes into the table.
  void bring_home(std::string_view key, std::uint32_t retention);

  Attachment& attachment_;
  StoreOpener stores_;
  std::uint32_t generation_ = 0;
  std::uint32_t forks_ = 0;
  std::unique_ptr<VisitorTable> table_;
  std::unique_ptr<VisitorTable> table_before_;  ///< In use until table_ was to be had.
  AnswerCache cache_;
};

}  // namespace presence
