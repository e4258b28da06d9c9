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
  explicit PresenceService(Attachment& attachment) : attachment_(attachment), epoch_(attachment.epoch()) {}

  /// A tracker for the store of a DSN. It belongs to this process: after a fork, when epoch() has changed, the child
  /// opens its own. Errors: invalid_argument; unsupported if there is no such store; unavailable.
  Result<PresenceTracker> open(std::string_view dsn, const PresenceOptions& options);

  /// The options that the settings give a Presence object.
  [[nodiscard]] PresenceOptions default_options() const;

  /// Answers given to the last request are forgotten.
  void begin_request() { cache_.begin_request(); }

  [[nodiscard]] std::uint32_t epoch() const { return attachment_.epoch(); }

  /// The visitor table, mapped at first use. Errors: unavailable, damaged.
  Result<const VisitorTable*> table();

 private:
  Result<PresenceTracker> open_remote(Dsn dsn, const PresenceOptions& options);

  Attachment& attachment_;
  StoreOpener stores_;
  std::uint32_t epoch_;
  std::unique_ptr<VisitorTable> table_;
  AnswerCache cache_;
};

}  // namespace presence
