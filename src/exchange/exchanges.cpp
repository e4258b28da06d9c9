#include "exchange/exchanges.h"

#include <string>
#include <utility>

#include "base/dsn.h"

namespace presence {
namespace {

constexpr auto relaxed = std::memory_order_relaxed;

}  // namespace

Result<Exchange*> Exchanges::exchange(std::uint32_t number) {
  Entry& entry = entries_[number];
  if (!entry.exchange) {
    std::optional<ReplicaSpec> spec = replicas_.spec(number);
    if (!spec) {
      return Error{ErrorCode::invalid_argument, "there is no replica of that number"};
    }
    const Result<Dsn> dsn = parse_dsn(spec->dsn);
    if (!dsn) {
      return dsn.error();
    }
    Result<std::unique_ptr<Store>> store =
        stores_.open(*dsn, {spec->key, spec->window, spec->retention, spec->throttle, timeout_, spec->room});
    if (!store) {
      return std::move(store).error();
    }
    entry.store = std::move(*store);
    entry.exchange =
        std::make_unique<Exchange>(table_, std::move(*spec), replicas_.state(number), *entry.store, known_);
  }
  return entry.exchange.get();
}

bool Exchanges::in_use(std::uint32_t number, UnixTime now) const {
  const std::optional<ReplicaSpec> spec = replicas_.spec(number);
  return spec && now - replicas_.state(number).last_use.load(relaxed) <= 60 * static_cast<UnixTime>(spec->retention);
}

Status Exchanges::run(std::uint32_t number, UnixTime now) {
  const Result<Exchange*> exchange = this->exchange(number);
  if (!exchange) {
    replicas_.state(number).failed(exchange.error().message, now);
    return exchange.error();
  }
  return (*exchange)->run(now);
}

void Exchanges::run_due(UnixTime now, double monotonic) {
  for (std::uint32_t number = 0; number < replicas_.used(); ++number) {
    Entry& entry = entries_[number];
    if (monotonic < entry.next || !in_use(number, now)) {
      continue;
    }
    (void)run(number, now);  // What went wrong is in the replica's state.
    const double pause = entry.exchange ? entry.exchange->spec().sync_ms / 1000.0 : 60.0;
    entry.next = monotonic + pause;
  }
}

void Exchanges::run_all(UnixTime now) {
  for (std::uint32_t number = 0; number < replicas_.used(); ++number) {
    if (in_use(number, now)) {
      (void)run(number, now);
    }
  }
}

bool Exchanges::waiting(UnixTime now) const {
  for (std::uint32_t number = 0; number < replicas_.used(); ++number) {
    if (in_use(number, now) && replicas_.state(number).waiting.load(relaxed) > 0) {
      return true;
    }
  }
  return false;
}

}  // namespace presence
