// Visitors in a table that is spread over a few values of Memcached.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/deadline.h"
#include "stores/memcached/memcached_server_list.h"
#include "stores/memcached/table_parts.h"
#include "stores/store.h"
#include "stores/store_options.h"

namespace presence {

/// What the table has of its own.
struct MemcachedTableOptions {
  int parts = 8;   ///< Values that the table is split into.
  int sweep = 10;  ///< Seconds that the stored count may be behind; 0: swept and counted with each write.
};

/// A table of visitor ids and Unix times (see MemcachedTableParts). `KEY:count` holds how many were here within the
/// window of the options, for whoever wants to show that with one get; `KEY:sweep` exists while that count is fresh;
/// `KEY:gone` holds who was forgotten, the last two thousand of them, and when.
///
/// A visitor recorded within the throttle is not written again. With each write go those entries of the part that are
/// beyond the retention, and every `sweep` seconds one writer sweeps all parts and counts anew; in between the count
/// follows who comes, and not yet who leaves.
///
/// Round trips: record 1 within the throttle, else 2, and 2 or 3 more for who sweeps; online, ids and last_seen 1;
/// count 1, or 3 to 4 for who finds no fresh count; count of another window 1; forget 2; replace 3, or 5 between two
/// parts. Errors besides unavailable: damaged (a value that is not such a table), no_space (a part is larger than the
/// server takes), transient (too many at once changed the part).
class MemcachedTableStore final : public Store {
 public:
  MemcachedTableStore(std::shared_ptr<MemcachedServerList> servers, StoreOptions options, MemcachedTableOptions table);

  Status record(std::string_view visitor, UnixTime now) override;
  Status record_all(std::span<const Seen> seen, UnixTime now) override;
  Result<std::int64_t> count(const Window& window) override;
  Result<std::vector<std::string>> ids(const Window& window) override;
  Status online(std::span<const std::string_view> visitors, const Window& window, std::span<bool> answers) override;
  Result<UnixTime> last_seen(std::string_view visitor, UnixTime now) override;
  Status forget(std::string_view visitor, UnixTime now) override;
  Status forget_all(std::span<const Seen> forgotten, UnixTime now) override;
  Status replace(std::string_view from, std::string_view to, UnixTime now) override;
  Status purge(UnixTime now) override;
  Status changes(UnixTime since, UnixTime now, const Tell& each, const Tell& gone) override;
  [[nodiscard]] StoreHealth health() const override { return servers_->health(); }

 private:
  using Part = MemcachedTablePart;

  [[nodiscard]] UnixTime expiry(UnixTime now) const { return now - 60 * static_cast<UnixTime>(options_.retention); }
  [[nodiscard]] std::int64_t in_window(const Part& part, UnixTime now) const;

  /// Changes parts, sweeps them by the way, and sees to the count.
  Status update(std::vector<std::size_t> parts, UnixTime now, const MemcachedTableParts::Change& change,
                const Deadline& deadline);
  /// Enters a visit at the place where the visitor is, or else at the end: whether that changed anything.
  bool enter(Part& part, std::size_t place, const Seen& seen, UnixTime now) const;
  /// Takes out who was forgotten and not seen later (`until`: than that), and notes it.
  Status take_out(std::span<const Seen> forgotten, std::optional<UnixTime> until, UnixTime now);
  /// Enters them in the value of those who were forgotten: whether that changed anything.
  static bool note_gone(Part& part, std::span<const Seen> forgotten);
  static void tell(const Part& part, UnixTime since, const Tell& each);
  Result<std::int64_t> fresh_count(UnixTime now, const Deadline& deadline);
  Result<std::int64_t> exact_count(UnixTime since, const Deadline& deadline);
  void set_count(MemcachedBatch& batch, std::int64_t count) const;
  /// Takes out of all parts who is beyond the retention, and stores the count.
  Status sweep(UnixTime now, const Deadline& deadline);

  std::shared_ptr<MemcachedServerList> servers_;
  StoreOptions options_;
  MemcachedTableOptions table_;
  MemcachedTableParts parts_;
  int throttle_;  ///< Seconds.
};

}  // namespace presence
