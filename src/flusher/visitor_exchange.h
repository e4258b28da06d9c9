// The flusher's share in the exchange of visitors with stores on servers.
#pragma once

#include <memory>

#include "base/clock.h"
#include "exchange/exchanges.h"
#include "flusher/flusher_process.h"
#include "segment/lane.h"
#include "stores/open_store.h"
#include "visitors/visitor_table.h"

namespace presence {

/// The visitor table, as a lane of the flusher's own sees it, and the connections to the stores.
class VisitorExchange {
 public:
  /// Null if there is no lane to be had, or the table is damaged.
  static std::unique_ptr<VisitorExchange> begin(const FlusherSource& source);

  /// Exchanges what is due.
  void run(UnixTime now) { exchanges_.run_due(now, clock::monotonic()); }
  /// Exchanges all.
  void run_all(UnixTime now) { exchanges_.run_all(now); }
  /// Whether visitors wait for a store that does not answer.
  [[nodiscard]] bool waiting(UnixTime now) const { return exchanges_.waiting(now); }

  [[nodiscard]] LaneIndex lane() const { return lane_.index(); }

 private:
  VisitorExchange(Lane lane, const VisitorTable& table, const ReplicaTable& replicas);

  Lane lane_;
  VisitorTable table_;
  StoreOpener stores_;
  Exchanges exchanges_;
};

}  // namespace presence
