#include "flusher/delivery.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/dsn.h"
#include "base/stop_points.h"
#include "flusher/spool_notes.h"

namespace presence {
namespace {

constexpr auto relaxed = std::memory_order_relaxed;

}  // namespace

/// The notes of a batch that is not on disk. Its refused rows go to a file all the same; of an attempt only the number
/// is kept, in shared memory, so that it is not made twice.
class Delivery::MemoryNotes final : public BatchNotes {
 public:
  MemoryNotes(const Spool* spool, const SpoolEntry& entry, std::span<const CounterRow> rows, std::uint64_t max_aside,
              DeliveryRecord* delivery)
      : number_(entry.id.number), delivery_(delivery) {
    if (spool != nullptr) {
      on_disk_.emplace(*spool, entry, rows, max_aside);
    }
  }

  Status before_commit(std::span<const RefusedRow> refused, std::span<const StoredSums> expected) override {
    if (!refused.empty()) {
      if (!on_disk_) {
        return Error{ErrorCode::no_space, "the database refuses a row that can be set aside nowhere (" +
                                              refused.front().reason + "): make presence.data_dir usable"};
      }
      if (Status kept = on_disk_->before_commit(refused, {}); !kept) {
        return kept;
      }
    }
    if (delivery_ != nullptr && !expected.empty()) {
      delivery_->unanswered.store(number_, relaxed);
    }
    return {};
  }

  void not_committed() override {
    if (delivery_ != nullptr) {
      delivery_->unanswered.store(0, relaxed);
    }
  }

 private:
  std::uint64_t number_;
  DeliveryRecord* delivery_;
  std::optional<SpoolNotes> on_disk_;
};

bool Delivery::send_file(const Spool& spool, const SpoolEntry& entry) {
  const Result<std::vector<CounterRow>> rows = spool.load(entry);
  if (!rows) {
    keep(rows.error());
    if (rows.error().code != ErrorCode::damaged || !keep(spool.set_aside(entry, rows.error().message))) {
      return false;
    }
    done_with(entry);
    return true;
  }
  SpoolNotes notes(spool, entry, *rows, options_.spool_max);
  const std::optional<WriteReport> written = send(entry, *rows, notes);
  if (!written) {
    return false;
  }
  switch (written->outcome) {
    case WriteReport::Outcome::committed:
      succeeded(entry, rows->size(), written->refused.size(),
                written->refused.empty() ? std::string() : written->refused.front().reason);
      break;
    case WriteReport::Outcome::known: succeeded(entry, rows->size(), notes.rows_refused_before(), {}); break;
    case WriteReport::Outcome::doubtful:
      if (!doubtful(&spool, entry, *rows)) {
        return false;
      }
      break;
  }
  done_with(entry);
  return keep(spool.remove(entry));
}

bool Delivery::send_from_memory(const Spool* spool, const SpoolEntry& entry, std::span<const CounterRow> rows) {
  DeliveryRecord* const delivery = record(entry.fingerprint);
  if (is_unanswered(entry.id.number, entry.fingerprint)) {
    // What the rows would hold by now was known only to the process that tried.
    if (!doubtful(spool, entry, rows)) {
      return false;
    }
    done_from_memory(*delivery, entry);
    return true;
  }
  MemoryNotes notes(spool, entry, rows, options_.spool_max, delivery);
  const std::optional<WriteReport> written = send(entry, rows, notes);
  if (!written) {
    return false;
  }
  succeeded(entry, rows.size(), written->refused.size(),
            written->refused.empty() ? std::string() : written->refused.front().reason);
  if (delivery != nullptr) {
    done_from_memory(*delivery, entry);
  }
  return true;
}

bool Delivery::is_done(std::uint64_t number, const std::string& fingerprint) const {
  const DeliveryRecord* const delivery = record(fingerprint);
  return delivery != nullptr && delivery->last_done.load(relaxed) >= number;
}

bool Delivery::is_unanswered(std::uint64_t number, const std::string& fingerprint) const {
  const DeliveryRecord* const delivery = record(fingerprint);
  return delivery != nullptr && delivery->unanswered.load(relaxed) == number;
}

bool Delivery::keep(Status status) {
  if (!status && !report.error) {
    report.error = std::move(status).error();
    return false;
  }
  return status.ok();
}

/// The same for a database's failure, which may be none of this run's business.
void Delivery::keep_of(const SpoolEntry& entry, Status status) {
  if (options_.errors_of.empty() || options_.errors_of == entry.fingerprint) {
    keep(std::move(status));
  }
}

DeliveryRecord* Delivery::record(const std::string& fingerprint) const {
  return source_ == nullptr ? nullptr : source_->targets.delivery(fingerprint);
}

Result<Sink*> Delivery::sink_for(const std::string& fingerprint) {
  if (const auto own = options_.own_sinks.find(fingerprint); own != options_.own_sinks.end()) {
    return own->second;
  }
  if (const auto open = opened_.find(fingerprint); open != opened_.end()) {
    return open->second.get();
  }
  const DeliveryRecord* const delivery = record(fingerprint);
  const std::string text =
      delivery == nullptr ? std::string() : source_->targets.dsn_of(fingerprint, delivery->failures.load(relaxed));
  if (text.empty()) {
    return nullptr;
  }
  Result<Dsn> dsn = parse_dsn(text);
  if (!dsn) {
    return std::move(dsn).error();
  }
  Result<std::unique_ptr<Sink>> sink = open_sink(*dsn, options_.sink);
  if (!sink) {
    return std::move(sink).error();
  }
  return (opened_[fingerprint] = std::move(*sink)).get();
}

/// None if it could not be sent now.
std::optional<WriteReport> Delivery::send(const SpoolEntry& entry, std::span<const CounterRow> rows,
                                          BatchNotes& notes) {
  DeliveryRecord* const delivery = record(entry.fingerprint);
  if (delivery != nullptr && !options_.even_if_put_off && !delivery->may_try(now_)) {
    put_off(*delivery);
    return std::nullopt;
  }
  Result<Sink*> sink = sink_for(entry.fingerprint);
  if (sink && *sink == nullptr) {
    unreachable_.insert(entry.fingerprint);
    return std::nullopt;
  }
  stop_point("send.connected");
  Result<WriteReport> written =
      sink ? (*sink)->write(ledger_id(entry), rows, notes) : Result<WriteReport>(std::move(sink).error());
  stop_point("send.answered");
  if (written) {
    return std::move(*written);
  }
  if (delivery != nullptr) {
    delivery->failed(written.error().message, now_);
    put_off(*delivery);
  }
  keep_of(entry, std::move(written).error());
  return std::nullopt;
}

/// Nobody will send these rows again. False if they could not be kept either.
bool Delivery::doubtful(const Spool* spool, const SpoolEntry& entry, std::span<const CounterRow> rows) {
  if (spool != nullptr && !keep(SpoolNotes(*spool, entry, rows, options_.spool_max).set_aside_as_doubtful())) {
    return false;
  }
  if (DeliveryRecord* const delivery = record(entry.fingerprint)) {
    delivery->batches_doubtful.fetch_add(1, relaxed);
    delivery->note("a commit went unanswered, and nobody can tell whether it took place: " +
                       (spool == nullptr ? "the rows are lost if it did not"
                                         : "the rows are in a file in " + spool->folder() + "/set-aside"),
                   now_);
  }
  return true;
}

void Delivery::succeeded(const SpoolEntry& entry, std::size_t rows, std::uint64_t refused, const std::string& reason) {
  const std::uint64_t accepted = rows - std::min<std::uint64_t>(refused, rows);
  report.rows_written += static_cast<std::int64_t>(accepted);
  DeliveryRecord* const delivery = record(entry.fingerprint);
  if (delivery == nullptr) {
    return;
  }
  delivery->succeeded(accepted, now_);
  if (refused > 0) {
    delivery->rows_refused.fetch_add(refused, relaxed);
    delivery->note(std::to_string(refused) + " rows refused and set aside; " + reason, now_);
  }
}

/// In this order: a kill in between must not make the next run take it for doubtful, or send it again.
void Delivery::done_from_memory(DeliveryRecord& delivery, const SpoolEntry& entry) {
  delivery.last_done.store(entry.id.number, relaxed);
  delivery.unanswered.store(0, std::memory_order_release);
}

void Delivery::done_with(const SpoolEntry& entry) {
  DeliveryRecord* const delivery = record(entry.fingerprint);
  if (delivery != nullptr && entry.id.source == source_->segment.identity()) {
    delivery->last_done.store(std::max(delivery->last_done.load(relaxed), entry.id.number), relaxed);
  }
}

/// If nothing else waits, the next run comes when the first database that failed may be tried again.
void Delivery::put_off(const DeliveryRecord& delivery) {
  const UnixTime until = delivery.next_attempt.load(relaxed);
  put_off_until_ = put_off_until_ == 0 ? until : std::min(put_off_until_, until);
}

}  // namespace presence
