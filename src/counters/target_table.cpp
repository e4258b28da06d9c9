#include "counters/target_table.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "base/stop_points.h"

namespace presence {
namespace {

constexpr std::uint32_t kTargetsVersion = 3;
constexpr UnixTime kPauseMax = 60;
constexpr auto relaxed = std::memory_order_relaxed;

}  // namespace

struct alignas(64) TargetTable::Header {
  std::atomic<std::uint32_t> used;
  std::atomic<std::uint64_t> ranks;  ///< Given so far.
};

struct alignas(64) TargetTable::Record {
  std::atomic<std::uint32_t> ready;  ///< 1 once the fields below are written; they never change after.
  std::uint32_t dsn_size;
  std::atomic<std::uint64_t> rank;  ///< The greater, the later a process began to use it.
  std::array<char, kFingerprint> fingerprint;
  std::array<char, kDsnMax> dsn;
  DeliveryRecord delivery;

  [[nodiscard]] bool is_ready() const { return ready.load(std::memory_order_acquire) == 1; }
  [[nodiscard]] std::string_view fingerprint_view() const { return {fingerprint.data(), fingerprint.size()}; }
  [[nodiscard]] std::string_view dsn_view() const { return {dsn.data(), std::min<std::size_t>(dsn_size, dsn.size())}; }
};

void DeliveryRecord::note(std::string_view message, UnixTime now) {
  last_error.store(message);
  last_error_time.store(now, relaxed);
}

void DeliveryRecord::failed(std::string_view message, UnixTime now) {
  note(message, now);
  const std::uint32_t in_a_row = failures.load(relaxed);
  failures.store(in_a_row + 1, relaxed);
  next_attempt.store(now + std::min<UnixTime>(kPauseMax, UnixTime{1} << std::min(in_a_row, 6U)), relaxed);
}

void DeliveryRecord::succeeded(std::uint64_t rows, UnixTime now) {
  failures.store(0, relaxed);
  next_attempt.store(0, relaxed);
  last_flush.store(now, relaxed);
  rows_written.fetch_add(rows, relaxed);
  batches_written.fetch_add(1, relaxed);
}

bool DeliveryRecord::may_try(UnixTime now) const {
  const UnixTime next = next_attempt.load(relaxed);
  return now >= next || next - now > kPauseMax;
}

SectionSpec TargetTable::section() {
  return {SectionId::targets, kTargetsVersion, sizeof(Header) + kTargets * sizeof(Record), {}};
}

TargetTable::TargetTable(const Segment& segment) {
  const std::span<std::byte> bytes = segment.section(SectionId::targets);
  if (bytes.size() >= sizeof(Header) + kTargets * sizeof(Record)) {
    header_ = reinterpret_cast<Header*>(bytes.data());
    records_ = {reinterpret_cast<Record*>(bytes.data() + sizeof(Header)), kTargets};
  }
}

std::uint32_t TargetTable::used() const { return std::min(header_->used.load(std::memory_order_acquire), kTargets); }

std::optional<TargetIndex> TargetTable::find_or_add(std::string_view fingerprint, std::string_view dsn) const {
  if (fingerprint.size() != kFingerprint || dsn.size() > kDsnMax) {
    return std::nullopt;
  }
  const std::uint32_t known = used();
  for (std::uint32_t i = 0; i < known; ++i) {
    if (records_[i].is_ready() && records_[i].fingerprint_view() == fingerprint && records_[i].dsn_view() == dsn) {
      come_first(records_[i]);
      return i;
    }
  }
  // Two processes that add the same target at once get two numbers, which does no harm: rows are put together by
  // fingerprint. A kill before `ready` wastes one place.
  std::uint32_t number = header_->used.load(relaxed);
  do {
    if (number >= kTargets) {
      return std::nullopt;
    }
  } while (!header_->used.compare_exchange_weak(number, number + 1, std::memory_order_acq_rel));
  stop_point("target.taken");
  Record& record = records_[number];
  record.dsn_size = static_cast<std::uint32_t>(dsn.size());
  std::copy(fingerprint.begin(), fingerprint.end(), record.fingerprint.begin());
  std::copy(dsn.begin(), dsn.end(), record.dsn.begin());
  record.rank.store(header_->ranks.fetch_add(1, relaxed) + 1, relaxed);
  stop_point("target.written");
  record.ready.store(1, std::memory_order_release);
  stop_point("target.ready");
  return number;
}

std::string TargetTable::fingerprint(TargetIndex target) const {
  if (target >= used() || !records_[target].is_ready()) {
    return {};
  }
  return std::string(records_[target].fingerprint_view());
}

void TargetTable::come_first(Record& record) const {
  // Only if another one is: the line is read by all.
  if (record.rank.load(relaxed) != header_->ranks.load(relaxed)) {
    record.rank.store(header_->ranks.fetch_add(1, relaxed) + 1, relaxed);
  }
}

std::string TargetTable::dsn_of(std::string_view fingerprint, std::uint32_t failures) const {
  std::vector<std::pair<std::uint64_t, std::string_view>> candidates;
  const std::uint32_t known = used();
  for (std::uint32_t i = 0; i < known; ++i) {
    const Record& record = records_[i];
    if (record.is_ready() && record.fingerprint_view() == fingerprint && record.dsn_size != 0) {
      candidates.emplace_back(record.rank.load(relaxed), record.dsn_view());
    }
  }
  if (candidates.empty()) {
    return {};
  }
  std::sort(candidates.rbegin(), candidates.rend());
  return std::string(candidates[failures % candidates.size()].second);
}

DeliveryRecord* TargetTable::delivery(std::string_view fingerprint) const {
  // Always the oldest, so that all readers and writers mean the same one.
  const std::uint32_t known = used();
  for (std::uint32_t i = 0; i < known; ++i) {
    if (records_[i].is_ready() && records_[i].fingerprint_view() == fingerprint) {
      return &records_[i].delivery;
    }
  }
  return nullptr;
}

}  // namespace presence
