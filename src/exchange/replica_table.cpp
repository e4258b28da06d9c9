#include "exchange/replica_table.h"

#include <algorithm>

#include "base/stop_points.h"

namespace presence {
namespace {

constexpr std::uint32_t kLayoutVersion = 2;
constexpr auto relaxed = std::memory_order_relaxed;

}  // namespace

std::string ReplicaSpec::space_name() const {
  // NUL separates, since neither part holds one.
  return dsn + '\0' + key + '\0' + std::to_string(retention);
}

std::string ReplicaSpec::gone_space_name() const { return space_name() + '\0' + "gone"; }

void ReplicaState::failed(std::string_view message, UnixTime now) {
  last_error.store(message);
  last_error_time.store(now, relaxed);
  failures.fetch_add(1, relaxed);
}

struct alignas(64) ReplicaTable::Header {
  std::atomic<std::uint32_t> used;
};

struct alignas(64) ReplicaTable::Record {
  std::atomic<std::uint32_t> ready;  ///< 1 once the fields up to the state are written; they never change after.
  std::uint32_t dsn_size;
  std::uint32_t key_size;
  std::int32_t window;
  std::int32_t retention;
  std::int32_t throttle;
  std::int32_t sync_ms;
  std::int32_t room;
  std::array<char, kKeyMax> key;
  std::array<char, kDsnMax> dsn;
  ReplicaState state;

  [[nodiscard]] bool is_ready() const { return ready.load(std::memory_order_acquire) == 1; }

  [[nodiscard]] ReplicaSpec spec() const {
    ReplicaSpec spec;
    spec.dsn.assign(dsn.data(), std::min<std::size_t>(dsn_size, dsn.size()));
    spec.key.assign(key.data(), std::min<std::size_t>(key_size, key.size()));
    spec.window = window;
    spec.retention = retention;
    spec.throttle = throttle;
    spec.sync_ms = sync_ms;
    spec.room = room != 0;
    return spec;
  }
};

SectionSpec ReplicaTable::section() {
  return {SectionId::replicas, kLayoutVersion, sizeof(Header) + kReplicas * sizeof(Record), {}};
}

ReplicaTable::ReplicaTable(const Segment& segment) {
  const std::span<std::byte> bytes = segment.section(SectionId::replicas);
  if (bytes.size() >= sizeof(Header) + kReplicas * sizeof(Record)) {
    header_ = reinterpret_cast<Header*>(bytes.data());
    records_ = {reinterpret_cast<Record*>(bytes.data() + sizeof(Header)), kReplicas};
  }
}

std::uint32_t ReplicaTable::used() const { return std::min(header_->used.load(std::memory_order_acquire), kReplicas); }

std::optional<ReplicaSpec> ReplicaTable::spec(std::uint32_t number) const {
  if (number >= used() || !records_[number].is_ready()) {
    return std::nullopt;
  }
  return records_[number].spec();
}

ReplicaState& ReplicaTable::state(std::uint32_t number) const { return records_[number].state; }

std::optional<std::uint32_t> ReplicaTable::find_or_add(const ReplicaSpec& spec) const {
  if (spec.dsn.size() > kDsnMax || spec.key.size() > kKeyMax) {
    return std::nullopt;
  }
  const std::uint32_t known = used();
  for (std::uint32_t number = 0; number < known; ++number) {
    if (records_[number].is_ready() && records_[number].spec() == spec) {
      return number;
    }
  }
  // Two processes that add the same replica at once get two numbers; both exchange the same space of the visitor table,
  // which does no harm. A kill before `ready` wastes one place.
  std::uint32_t number = header_->used.load(relaxed);
  do {
    if (number >= kReplicas) {
      return std::nullopt;
    }
  } while (!header_->used.compare_exchange_weak(number, number + 1, std::memory_order_acq_rel));
  stop_point("replica.taken");
  Record& record = records_[number];
  record.dsn_size = static_cast<std::uint32_t>(spec.dsn.size());
  record.key_size = static_cast<std::uint32_t>(spec.key.size());
  record.window = spec.window;
  record.retention = spec.retention;
  record.throttle = spec.throttle;
  record.sync_ms = spec.sync_ms;
  record.room = spec.room ? 1 : 0;
  std::copy(spec.key.begin(), spec.key.end(), record.key.begin());
  std::copy(spec.dsn.begin(), spec.dsn.end(), record.dsn.begin());
  stop_point("replica.written");
  // Release: whoever sees it ready sees the fields.
  record.ready.store(1, std::memory_order_release);
  return number;
}

}  // namespace presence
