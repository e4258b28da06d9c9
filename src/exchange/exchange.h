// One replica's exchange with its store: what was recorded here goes there, what others recorded comes here.
#pragma once

#include <cstdint>
#include <functional>
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

/// Belongs to one process and thread. It remembers what it has sent and received, so that nothing goes twice; a new one
/// sends once more what is within the window, which changes nothing in the store.
class Exchange {
 public:
  /// `table`, `state`, `remote` (the key on its server) and `known` must outlive it.
  Exchange(const VisitorTable& table, ReplicaSpec spec, ReplicaState& state, Store& remote, KnownSlots& known);

  /// Pulls, forgets and pushes, in this order: who was forgotten elsewhere is not sent back. Costs a scan of the
  /// visitor table, and a few round trips for each ten thousand visitors that changed. On an error, which is the
  /// store's, what is left goes with the next call. Nothing here waits for longer than the store's timeout.
  Status run(UnixTime now);

  /// Called with each visitor that came in, and the space it is in.
  using Received = std::function<void(Space visitors, const Seen& seen)>;

  /// Brings everything from `since` on into memory, for whoever cannot wait for the next exchange.
  static Status pull(const VisitorTable& table, const ReplicaSpec& spec, ReplicaState& state, Store& remote,
                     UnixTime since, UnixTime now, const Received& received = {});

  [[nodiscard]] const ReplicaSpec& spec() const { return spec_; }

 private:
  /// So many visitors are sent at a time.
  static constexpr std::size_t kBatch = 10'000;
  /// Seconds by which the clocks of servers may differ, and for which a push may be under way.
  static constexpr UnixTime kSkew = 5;
  /// Seconds between two pulls of everything that is held, which find what came late: from a server that was cut off,
  /// or under a new name with an old time. A second longer for each two thousand visitors that they bring.
  static constexpr UnixTime kPullAll = 60;
  static constexpr UnixTime kPullAllShare = 2000;

  Status pull(UnixTime now);
  Status send_gone(UnixTime now);
  Status push(UnixTime now);
  /// The visitors that the store does not know, or not with their time.
  [[nodiscard]] std::vector<std::pair<SlotMatch, std::string>> unsent(UnixTime now);
  [[nodiscard]] UnixTime retained_since(UnixTime now) const {
    return now - 60 * static_cast<UnixTime>(spec_.retention);
  }

  const VisitorTable& table_;
  const ReplicaSpec spec_;
  ReplicaState& state_;
  Store& remote_;
  SpaceKey visitors_;
  SpaceKey gone_;
  KnownSlots& known_;
  /// The changes as of the last time all of them were sent, and when that was.
  std::uint64_t sent_changes_ = 0;
  UnixTime sent_all_ = 0;
  UnixTime pulled_until_ = 0;
  UnixTime pulled_all_ = 0;
  UnixTime pull_all_pause_ = kPullAll;
  UnixTime gone_until_ = 0;
};

}  // namespace presence
