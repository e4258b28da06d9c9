// The exchanges of all replicas of a segment.
#pragma once

#include <cstdint>
#include <map>
#include <memory>

#include "base/clock.h"
#include "base/result.h"
#include "exchange/exchange.h"
#include "exchange/replica_table.h"
#include "stores/open_store.h"
#include "visitors/visitor_table.h"

namespace presence {

/// Runs the exchange of each replica that is in use when its time has come. Belongs to one process and thread.
class Exchanges {
 public:
  /// All must outlive it. `timeout`: seconds that one call may wait for a server.
  Exchanges(const VisitorTable& table, const ReplicaTable& replicas, StoreOpener& stores, double timeout)
      : table_(table), replicas_(replicas), stores_(stores), timeout_(timeout) {}

  /// All that are due. A replica that nobody has used for longer than its retention rests. `monotonic`: see
  /// clock::monotonic().
  void run_due(UnixTime now, double monotonic);
  /// All that are in use, now.
  void run_all(UnixTime now);
  /// One, now. Errors: those of the store; invalid_argument for a number that is not in use.
  Status run(std::uint32_t number, UnixTime now);

  /// Whether visitors wait for a store that does not answer.
  [[nodiscard]] bool waiting(UnixTime now) const;

 private:
  struct Entry {
    std::unique_ptr<Store> store;
    std::unique_ptr<Exchange> exchange;
    double next = 0;
  };

  [[nodiscard]] bool in_use(std::uint32_t number, UnixTime now) const;
  Result<Exchange*> exchange(std::uint32_t number);

  const VisitorTable& table_;
  const ReplicaTable& replicas_;
  StoreOpener& stores_;
  KnownSlots known_;
  const double timeout_;
  std::map<std::uint32_t, Entry> entries_;
};

}  // namespace presence
