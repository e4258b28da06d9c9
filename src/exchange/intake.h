// What a store tells of its visitors, taken into memory.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "exchange/replica_table.h"
#include "stores/store.h"
#include "visitors/visitor_table.h"

namespace presence {

/// What a process has sent and received: by slot of the visitor table, the word under which its visitor was then. One
/// for all exchanges of a process, as a slot belongs to one space.
using KnownSlots = std::vector<SlotWord>;

/// A visitor's id, and a time.
using SeenCopy = std::pair<std::string, UnixTime>;

/// What one look at a store brought.
struct Taken {
  std::uint64_t told = 0;  ///< Visitors, and those who were forgotten.
  std::uint64_t news = 0;  ///< Visitors who were new here or had a later time.
  /// Who stands in the store though it was forgotten later than that, and when it was forgotten: somebody who did not
  /// know it yet brought it back.
  std::vector<SeenCopy> stale;
};

/// For whoever exchanges, and not for a page that only looks.
struct Memory {
  KnownSlots& known;  ///< Noted in it: what the store has.
  /// Whether a slot's visitor was sent since the last look.
  const std::function<bool(std::uint32_t slot)>& just_sent;
};

/// Asks for everything from `since` on, and brings it into memory: whoever was seen, then whoever was forgotten and not
/// seen since, neither here nor there. Errors: those of the store; no_space.
Result<Taken> take_in(const VisitorTable& table, const ReplicaSpec& spec, Store& remote, UnixTime since, UnixTime now,
                      const Memory* memory = nullptr);

}  // namespace presence
