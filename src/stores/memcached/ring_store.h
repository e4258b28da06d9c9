// Visitors counted by a ring of counters in Memcached.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/deadline.h"
#include "stores/memcached/memcached_server_list.h"
#include "stores/store.h"
#include "stores/store_options.h"

namespace presence {

/// Counts the sessions of the window (X seconds), anew every `refresh` seconds (Y). Time is cut into slots of Y
/// seconds; slot s (Unix time / Y) has the counter `KEY:i`, i = s modulo X/Y + 1. A visitor is new if
/// `add(KEY:session:ID, slot, TTL X)` succeeds, and then the running slot's counter is incremented. The count is the
/// sum of all counters but the running slot's: it changes at the beginning of a slot only, and a new session shows in
/// it up to Y seconds later. Who stays is counted once per X.
///
/// A counter lives until its turn comes again. As the server's clock may be a second off then, the upper 16 bits of its
/// flags, which PHP's extension leaves to applications, hold slot modulo 65535 + 1; 0, as PHP writes them, is taken for
/// the right slot. What a counter holds of an older slot does not count, and is overwritten.
///
/// A visitor is online while its session key lives: for X after the visit that made it new. Ids of more than 250 bytes
/// with the rest of the key, with spaces or control characters, or beginning with '#', are in the key as '#' and the
/// first 32 hex digits of their SHA-256. A process killed between add and increment leaves one visitor uncounted for X.
///
/// Round trips: record 1, for a new session 2; count and online 1; forget up to 3.
/// Error unsupported: ids, last_seen, replace, changes, windows other than that of the options.
class MemcachedRingStore final : public Store {
 public:
  /// `refresh`: seconds, a divisor of the window's.
  MemcachedRingStore(std::shared_ptr<MemcachedServerList> servers, StoreOptions options, int refresh);

  Status record(std::string_view visitor, UnixTime now) override;
  Status record_all(std::span<const Seen> seen, UnixTime now) override;
  Result<std::int64_t> count(const Window& window) override;
  Result<std::vector<std::string>> ids(const Window& window) override;
  Status online(std::span<const std::string_view> visitors, const Window& window, std::span<bool> answers) override;
  Result<UnixTime> last_seen(std::string_view visitor, UnixTime now) override;
  /// Its session key, and the one it added to a counter that is still in use.
  Status forget(std::string_view visitor, UnixTime now) override;
  Status replace(std::string_view from, std::string_view to, UnixTime now) override;
  [[nodiscard]] Status replaces() const override;
  /// Nothing to do: all keys expire.
  Status purge(UnixTime now) override;
  [[nodiscard]] Status answers(const Window& window) const override { return check_window(window); }
  [[nodiscard]] StoreHealth health() const override { return servers_->health(); }

 private:
  [[nodiscard]] std::int64_t slot_of(UnixTime now) const;
  [[nodiscard]] std::string counter_key(std::int64_t slot) const;
  [[nodiscard]] std::string session_key(std::string_view visitor) const;
  [[nodiscard]] Status check_window(const Window& window) const;
  /// Records each of the visitors at `now`.
  Status enter(std::span<const std::string_view> visitors, UnixTime now);
  /// Adds to the counter of the running slot; `reply`: what a get of it brought.
  Status add_to_counter(std::int64_t by, UnixTime now, MemcachedReply reply, const Deadline& deadline);

  std::shared_ptr<MemcachedServerList> servers_;
  StoreOptions options_;
  std::int64_t window_;   ///< Seconds.
  std::int64_t refresh_;  ///< Seconds.
  std::int64_t counters_;
};

}  // namespace presence
