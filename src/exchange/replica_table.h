// Which keys of stores on servers have a copy in this segment, and how their exchange goes.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/shared_text.h"
#include "segment/segment.h"

namespace presence {

/// What a replica is a copy of, and how it is kept. Two applications that differ in any of it have two replicas.
struct ReplicaSpec {
  std::string dsn;     ///< Of the store, with its password and the strategy's options; at most ReplicaTable::kDsnMax.
  std::string key;     ///< At most ReplicaTable::kKeyMax.
  int window = 5;      ///< Minutes.
  int retention = 60;  ///< Minutes.
  int throttle = 30;   ///< Seconds.
  int sync_ms = 1000;  ///< Between two exchanges.
  bool room = false;   ///< See StoreOptions.

  bool operator==(const ReplicaSpec&) const = default;

  /// The name of its space in the visitor table.
  [[nodiscard]] std::string space_name() const;
  /// The space that keeps whom to forget, and when that was asked for.
  [[nodiscard]] std::string gone_space_name() const;
};

/// How the exchange of one replica goes. Counted by whoever exchanges; read by anybody.
struct ReplicaState {
  std::atomic<std::uint64_t> changes;  ///< Counted up after each change that the store is to be told of.
  std::atomic<std::int64_t> last_use;  ///< Unix time of the last call of any process, to some seconds.
  std::atomic<std::int64_t>
      held_since;  ///< All that the store knew from this time on has been brought here; 0: nothing.
  std::atomic<std::int64_t> last_pull;        ///< Unix time; 0: never.
  std::atomic<std::int64_t> last_push;        ///< Unix time; 0: never.
  std::atomic<std::uint64_t> pulled;          ///< Visitors that were new here or had a later time.
  std::atomic<std::uint64_t> pushed;          ///< Visitors sent.
  std::atomic<std::uint32_t> waiting;         ///< Visitors not yet sent, as of the last attempt.
  std::atomic<std::uint32_t> failures;        ///< In a row.
  std::atomic<std::int64_t> count;            ///< Of the window, where the store tells no ids.
  std::atomic<std::int64_t> last_error_time;  ///< 0: never.
  SharedText<256> last_error;

  void failed(std::string_view message, UnixTime now);
  [[nodiscard]] std::string error_text() const { return last_error.load(); }
};

/// The replicas of a segment. Append-only: a replica keeps its number. The segment holds DSNs with their passwords for
/// the same reason as TargetTable does.
class ReplicaTable {
 public:
  static constexpr std::uint32_t kReplicas = 512;
  static constexpr std::size_t kDsnMax = 1024;
  static constexpr std::size_t kKeyMax = 200;

  static SectionSpec section();

  explicit ReplicaTable(const Segment& segment);

  [[nodiscard]] bool valid() const { return !records_.empty(); }

  /// The number of a replica, new if need be. None if the table is full or the DSN too long.
  [[nodiscard]] std::optional<std::uint32_t> find_or_add(const ReplicaSpec& spec) const;

  /// Numbers in use are below this.
  [[nodiscard]] std::uint32_t used() const;
  /// None for a number that is not in use, or whose writer was killed.
  [[nodiscard]] std::optional<ReplicaSpec> spec(std::uint32_t number) const;
  /// Only for a number below used().
  [[nodiscard]] ReplicaState& state(std::uint32_t number) const;

 private:
  struct Record;
  struct Header;

  Header* header_ = nullptr;
  std::span<Record> records_;
};

}  // namespace presence
