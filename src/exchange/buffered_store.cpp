#include "exchange/buffered_store.h"

#include <utility>

#include "base/stop_points.h"
#include "exchange/exchange.h"

namespace presence {
namespace {

constexpr auto relaxed = std::memory_order_relaxed;

/// Seconds for which a failed attempt to ask the store itself stands.
constexpr UnixTime kAskAgain = 10;

}  // namespace

BufferedStore::BufferedStore(const VisitorTable& table, const ReplicaSpec& spec, ReplicaState& state,
                             std::unique_ptr<Store> remote)
    : table_(table),
      spec_(spec),
      state_(state),
      remote_(std::move(remote)),
      visitors_(table, spec.space_name(), spec.retention),
      gone_(table, spec.gone_space_name(), spec.retention) {}

void BufferedStore::used(UnixTime now) {
  // Written once in some seconds: all processes read this line.
  constexpr UnixTime kCoarse = 10;
  const UnixTime last = state_.last_use.load(relaxed);
  if (now - last >= kCoarse || last > now) {
    state_.last_use.store(now, relaxed);
  }
}

Status BufferedStore::changed(Status status) {
  stop_point("buffered.changed");
  // Release: see Exchange::run().
  state_.changes.fetch_add(1, std::memory_order_release);
  return status;
}

Status BufferedStore::record(std::string_view visitor, UnixTime now) {
  if (Status accepted = remote_->accepts(visitor); !accepted) {
    return accepted;
  }
  used(now);
  const Result<UnixTime> seen = visitors_.last_seen(visitor, now);
  if (seen && *seen != 0 && *seen <= now && now - *seen < spec_.throttle) {
    return {};
  }
  return changed(visitors_.record(visitor, after_forgetting(visitor, now)));
}

UnixTime BufferedStore::after_forgetting(std::string_view visitor, UnixTime time) {
  const Result<UnixTime> forgotten = gone_.last_seen(visitor, time);
  return forgotten && *forgotten >= time ? *forgotten + 1 : time;
}

Window BufferedStore::held(const Window& window) {
  used(window.now);
  Window cut = window;
  cut.from = remote_->since(window);
  const UnixTime known_since = state_.held_since.load(relaxed);
  // Half a minute of tolerance: what was held from the retention on ages by some seconds until the next exchange.
  const bool missing = known_since == 0 || *cut.from + 30 < known_since;
  const UnixTime failed = state_.last_error_time.load(relaxed);
  if (tells_ids_ && missing && (failed == 0 || window.now - failed >= kAskAgain || failed > window.now)) {
    const Status pulled = Exchange::pull(table_, spec_, state_, *remote_, *cut.from, window.now);
    tells_ids_ = pulled.ok() || pulled.error().code != ErrorCode::unsupported;
    if (!pulled && tells_ids_) {
      state_.failed(pulled.error().message, window.now);
    }
  }
  return cut;
}

Result<std::int64_t> BufferedStore::count(const Window& window) {
  if (Status answerable = remote_->answers(window); !answerable) {
    return answerable.error();
  }
  const Window cut = held(window);
  if (tells_ids_) {
    return visitors_.count(cut);
  }
  if (window.minutes == spec_.window && state_.last_pull.load(relaxed) != 0) {
    return state_.count.load(relaxed);
  }
  return remote_->count(window);
}

Result<std::vector<std::string>> BufferedStore::ids(const Window& window) {
  if (Status answerable = remote_->answers(window); !answerable) {
    return answerable.error();
  }
  const Window cut = held(window);
  return tells_ids_ ? visitors_.ids(cut) : remote_->ids(window);
}

Status BufferedStore::online(std::span<const std::string_view> visitors, const Window& window,
                             std::span<bool> answers) {
  for (const std::string_view visitor : visitors) {
    if (Status accepted = remote_->accepts(visitor); !accepted) {
      return accepted;
    }
  }
  if (Status answerable = remote_->answers(window); !answerable) {
    return answerable.error();
  }
  const Window cut = held(window);
  return tells_ids_ ? visitors_.online(visitors, cut, answers) : remote_->online(visitors, window, answers);
}

Result<UnixTime> BufferedStore::last_seen(std::string_view visitor, UnixTime now) {
  if (Status accepted = remote_->accepts(visitor); !accepted) {
    return accepted.error();
  }
  const Window all = held({now, spec_.retention});
  return tells_ids_ ? visitors_.last_seen(visitor, all.now) : remote_->last_seen(visitor, now);
}

Status BufferedStore::forget(std::string_view visitor, UnixTime now) {
  if (Status able = remote_->forgets(); !able) {
    return able;
  }
  if (Status accepted = remote_->accepts(visitor); !accepted) {
    return accepted;
  }
  used(now);
  // First noted, then forgotten: after a kill in between the exchange does the rest.
  if (Status noted = gone_.record(visitor, now); !noted) {
    return noted;
  }
  stop_point("buffered.noted");
  return changed(visitors_.forget(visitor, now));
}

Status BufferedStore::replace(std::string_view from, std::string_view to, UnixTime now) {
  if (Status able = remote_->replaces(); !able) {
    return able;
  }
  for (const std::string_view visitor : {from, to}) {
    if (Status accepted = remote_->accepts(visitor); !accepted) {
      return accepted;
    }
  }
  held({now, spec_.retention});
  const Result<UnixTime> seen = visitors_.last_seen(from, now);
  if (!seen) {
    return seen.error();
  }
  if (*seen == 0 || from == to) {
    return {};
  }
  // Who logs in again is not gone any more, though the guest's time may lie before the logout.
  if (const Result<UnixTime> forgotten = gone_.last_seen(to, now); forgotten && *forgotten >= *seen) {
    if (Status back = visitors_.record(to, *forgotten + 1); !back) {
      return back;
    }
  }
  stop_point("buffered.back");
  if (Status noted = gone_.record(from, now); !noted) {
    return noted;
  }
  stop_point("buffered.noted");
  return changed(visitors_.replace(from, to, now));
}

Status BufferedStore::purge(UnixTime now) {
  if (Status purged = gone_.purge(now); !purged) {
    return purged;
  }
  return visitors_.purge(now);
}

StoreHealth BufferedStore::health() const {
  StoreHealth health;
  health.last_error = state_.error_text();
  health.last_error_time = state_.last_error_time.load(relaxed);
  health.exchanged = {state_.pushed.load(relaxed), state_.pulled.load(relaxed), state_.waiting.load(relaxed),
                      state_.last_push.load(relaxed), state_.last_pull.load(relaxed)};
  health.breaker_open = state_.failures.load(relaxed) > 0;
  return health;
}

}  // namespace presence
