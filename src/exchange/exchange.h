// One replica's exchange with its store: what was recorded here goes there, what others recorded comes here.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "exchange/intake.h"
#include "exchange/replica_table.h"
#include "stores/store.h"
#include "visitors/visitor_table.h"

namespace presence {

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

  /// Brings everything from `since` on into memory, for whoever cannot wait for the next exchange.
  static Status pull(const VisitorTable& table, const ReplicaSpec& spec, ReplicaState& state, Store& remote,
                     UnixTime since, UnixTime now);

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

  using Unsent = std::vector<std::pair<SlotMatch, std::string>>;

  static void pulled(ReplicaState& state, const Taken& taken, UnixTime since, UnixTime now);
  Status pull(UnixTime now);
  /// Tells the store once more who was forgotten.
  Status forget_there(const std::vector<SeenCopy>& gone, UnixTime now);
  Status send_gone(UnixTime now);
  Status push(UnixTime now);
  /// The visitors of a space that the store does not know, or not with their time.
  [[nodiscard]] Unsent unsent(const SpaceKey& key, UnixTime now);
  /// Hands them to `send` some thousands at a time, and remembers them as sent.
  template <class Send>
  Status send_in_batches(const Unsent& unsent, Send send);
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
  std::set<std::uint32_t> just_sent_;  ///< Slots of those sent since the last pull.
};

}  // namespace presence
