#include "runtime/direct_adds.h"

#include <sys/random.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>
#include <span>
#include <utility>

#include "flusher/spool_notes.h"
#include "runtime/settings.h"

namespace presence {
namespace {

/// Seconds in which a database that failed is not asked again.
constexpr UnixTime kPause = 5;
/// Seconds after which the spool's size is looked up again; others put files there, too.
constexpr double kRoomFresh = 2;

std::string random_source() {
  std::array<std::uint64_t, 2> random{};
  static_cast<void>(getrandom(random.data(), sizeof random, 0));
  std::array<char, 33> text{};
  std::snprintf(text.data(), text.size(), "%016llx%016llx", static_cast<unsigned long long>(random[0]),
                static_cast<unsigned long long>(random[1]));
  return text.data();
}

}  // namespace

/// A refused row is set aside right away. What an attempt expects is only kept in memory: an add that is killed has not
/// returned.
class DirectAdds::Notes final : public BatchNotes {
 public:
  Notes(Attachment& attachment, const SpoolEntry& entry, std::span<const CounterRow> rows)
      : attachment_(attachment), entry_(entry), rows_(rows) {}

  Status before_commit(std::span<const RefusedRow> refused, std::span<const StoredSums> expected) override {
    expected_.assign(expected.begin(), expected.end());
    if (refused.empty()) {
      return {};
    }
    const Result<Spool> spool = Spool::open(attachment_.data_folder());
    return spool ? SpoolNotes(*spool, entry_, rows_, attachment_.settings().spool_max).before_commit(refused, {})
                 : Status(spool.error());
  }

  [[nodiscard]] const std::vector<StoredSums>& expected() const { return expected_; }

 private:
  Attachment& attachment_;
  const SpoolEntry& entry_;
  std::span<const CounterRow> rows_;
  std::vector<StoredSums> expected_;
};

void DirectAdds::forget_parent() {
  direct_ = {};
  spooled_ = {};
  warned_ = false;
}

BatchId DirectAdds::next(BatchId& last) {
  if (last.source.empty()) {
    last.source = random_source();
  }
  ++last.number;
  return last;
}

Status DirectAdds::add(const CounterRow& row, const Result<Sink*>& sink, const std::string& fingerprint,
                       bool can_wait) {
  const UnixTime now = clock::now();
  // A pause that is longer than it can be means that the clock was moved.
  if (can_wait && now < again_ && again_ - now <= kPause) {
    spool({next(spooled_), fingerprint, 0, 0}, row, {}, {ErrorCode::unavailable, "the database failed a moment ago"},
          Survives::power_cuts);
    return {};
  }
  const SpoolEntry entry{can_wait ? next(direct_) : BatchId(), fingerprint, 0, 0};
  Notes notes(attachment_, entry, {&row, 1});
  BatchNotes none;
  const Result<WriteReport> written =
      sink ? (*sink)->write(can_wait ? ledger_id(entry) : entry.id, {&row, 1}, can_wait ? notes : none)
           : Result<WriteReport>(sink.error());
  if (!can_wait) {
    if (written && !written->refused.empty()) {
      return Error{ErrorCode::rejected, written->refused.front().reason};
    }
    return written ? Status() : Status(written.error());
  }
  if (written) {
    SharedState* const shared = written->refused.empty() ? nullptr : attachment_.shared();
    if (DeliveryRecord* const delivery = shared == nullptr ? nullptr : shared->targets().delivery(fingerprint)) {
      delivery->rows_refused.fetch_add(1, std::memory_order_relaxed);
    }
    return {};
  }
  again_ = now + kPause;
  // Under the same number, since maybe only the answer got lost. Whatever is written at once from here on needs another
  // source: the ledger would take this one for old.
  spooled_ = std::exchange(direct_, {});
  const bool maybe_committed = written.error().code == ErrorCode::unanswered;
  spool(entry, row, maybe_committed ? notes.expected() : std::vector<StoredSums>(), written.error(),
        Survives::power_cuts);
  return {};
}

void DirectAdds::keep(const CounterRow& row, const std::string& fingerprint) {
  spool({next(spooled_), fingerprint, 0, 0}, row, {},
        {ErrorCode::unavailable, "the connection in Counters::$db is used at the end of the request only"},
        Survives::kills);
}

void DirectAdds::spool(const SpoolEntry& entry, const CounterRow& row, const std::vector<StoredSums>& expected,
                       const Error& why, Survives what) {
  if (Status kept = put(entry, row, expected, what); !kept) {
    refuse(why, kept.error());
  }
}

Status DirectAdds::put(const SpoolEntry& entry, const CounterRow& row, const std::vector<StoredSums>& expected,
                       Survives what) {
  const Result<Spool> spool = Spool::open(attachment_.data_folder());
  if (!spool) {
    return spool.error();
  }
  const Result<std::uint64_t> left = room(*spool);
  if (!left) {
    return left.error();
  }
  // First, since a batch without it would be sent again by whoever comes.
  if (!expected.empty()) {
    if (Status noted = spool->write_beside(entry, Beside::attempt, encode_attempt(expected)); !noted) {
      return noted;
    }
  }
  const Result<std::uint64_t> taken = spool->put(entry, {&row, 1}, *left, what);
  if (!taken) {
    return taken.error();
  }
  room_ -= std::min(room_, *taken);
  return {};
}

/// Bytes that may still be put into the spool.
Result<std::uint64_t> DirectAdds::room(const Spool& spool) {
  const double now = clock::monotonic();
  if (room_time_ == 0 || now - room_time_ > kRoomFresh) {
    const Result<std::vector<SpoolEntry>> entries = spool.list();
    if (!entries) {
      return entries.error();
    }
    const std::uint64_t most = attachment_.settings().spool_max;
    room_ = most - std::min(most, usage_of(*entries).bytes);
    room_time_ = now;
  }
  return room_;
}

void DirectAdds::refuse(const Error& why, const Error& why_not_kept) {
  if (SharedState* const shared = attachment_.shared()) {
    shared->minutes().statistics().refused_adds.fetch_add(1, std::memory_order_relaxed);
  } else {
    ++refused_;
  }
  if (!std::exchange(warned_, true)) {
    attachment_.warn("values are being lost, Counters::status() counts how many (refused_adds): " + why.message +
                     "; and " + why_not_kept.message);
  }
}

}  // namespace presence
