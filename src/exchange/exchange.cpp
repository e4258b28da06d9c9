#include "exchange/exchange.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "base/stop_points.h"

namespace presence {
namespace {

constexpr auto relaxed = std::memory_order_relaxed;

/// Whether what was asked for is among what the store cannot do.
bool unsupported(const Status& status) { return !status && status.error().code == ErrorCode::unsupported; }

}  // namespace

Exchange::Exchange(const VisitorTable& table, ReplicaSpec spec, ReplicaState& state, Store& remote, KnownSlots& known)
    : table_(table),
      spec_(std::move(spec)),
      state_(state),
      remote_(remote),
      visitors_(table.space_key(spec_.space_name())),
      gone_(table.space_key(spec_.gone_space_name())),
      known_(known) {}

Status Exchange::run(UnixTime now) {
  Status done = pull(now);
  // Acquire: what was changed before it was counted is seen by the scans. One who was killed before he could count
  // leaves it to the next who does, or to the scan that comes in any case.
  const std::uint64_t changes = state_.changes.load(std::memory_order_acquire);
  const bool due = changes != sent_changes_ || now - sent_all_ >= kPullAll || sent_all_ > now;
  if (done && due) {
    done = send_gone(now);
  }
  if (done && due) {
    done = push(now);
  }
  if (!done) {
    state_.waiting.store(static_cast<std::uint32_t>(unsent(visitors_, now).size()), relaxed);
    state_.failed(done.error().message, now);
    return done;
  }
  if (due) {
    sent_changes_ = changes;
    sent_all_ = now;
  }
  state_.failures.store(0, relaxed);
  return {};
}

Status Exchange::pull(const VisitorTable& table, const ReplicaSpec& spec, ReplicaState& state, Store& remote,
                      UnixTime since, UnixTime now) {
  const Result<Taken> taken = take_in(table, spec, remote, since, now);
  if (!taken) {
    return taken.error();
  }
  pulled(state, *taken, since, now);
  return {};
}

void Exchange::pulled(ReplicaState& state, const Taken& taken, UnixTime since, UnixTime now) {
  state.pulled.fetch_add(taken.news, relaxed);
  state.last_pull.store(now, relaxed);
  const UnixTime held = state.held_since.load(relaxed);
  if (held == 0 || since < held) {
    state.held_since.store(since, relaxed);
  }
}

Status Exchange::pull(UnixTime now) {
  // A clock that was set back has pulled from a time that is yet to come: all is asked for again.
  const bool all = pulled_until_ == 0 || pulled_until_ > now || now - pulled_all_ >= pull_all_pause_ ||
                   pulled_all_ > now || state_.failures.load(relaxed) > 0;
  const UnixTime since = all ? retained_since(now) : pulled_until_ - kSkew;
  known_.resize(table_.slots());
  const std::function<bool(std::uint32_t)> just_sent = [this](std::uint32_t slot) { return just_sent_.contains(slot); };
  const Memory memory{known_, just_sent};
  const Result<Taken> taken = take_in(table_, spec_, remote_, since, now, &memory);
  if (!taken && taken.error().code == ErrorCode::unsupported) {
    const Result<std::int64_t> count = remote_.count({now, spec_.window});
    if (!count) {
      return count.error();
    }
    state_.count.store(*count, relaxed);
    state_.last_pull.store(now, relaxed);
    return {};
  }
  if (!taken) {
    return taken.error();
  }
  pulled(state_, *taken, since, now);
  stop_point("exchange.pulled");
  just_sent_.clear();
  pulled_until_ = now;
  if (all) {
    pulled_all_ = now;
    pull_all_pause_ = kPullAll + static_cast<UnixTime>(taken->told) / kPullAllShare;
  }
  return forget_there(taken->stale, now);
}

Status Exchange::forget_there(const std::vector<SeenCopy>& gone, UnixTime now) {
  std::vector<Seen> batch;
  for (const auto& [visitor, time] : gone) {
    batch.push_back({visitor, time});
  }
  Status sent = batch.empty() ? Status() : remote_.forget_all(batch, now);
  return unsupported(sent) ? Status() : sent;
}

template <class Send>
Status Exchange::send_in_batches(const Unsent& unsent, Send send) {
  std::vector<Seen> batch;
  for (std::size_t next = 0; next < unsent.size(); next += batch.size()) {
    batch.clear();
    for (std::size_t i = next; i < std::min(unsent.size(), next + kBatch); ++i) {
      batch.push_back({unsent[i].second, unsent[i].first.word.time()});
    }
    if (Status sent = send(batch, unsent.size() - next); !sent) {
      return sent;
    }
    for (std::size_t i = next; i < next + batch.size(); ++i) {
      known_[unsent[i].first.slot] = unsent[i].first.word;
    }
  }
  return {};
}

Status Exchange::send_gone(UnixTime now) {
  const Unsent gone = unsent(gone_, now);
  const std::optional<Space> visitors = table_.find_space(visitors_);
  for (const auto& [match, id] : gone) {
    // Still here only if whoever noted it was killed before he could take it out. Who came back since then stays.
    const std::optional<UnixTime> back = visitors ? table_.last_seen(*visitors, id) : std::nullopt;
    if (back && *back <= static_cast<UnixTime>(match.word.time())) {
      table_.forget(*visitors, id);
      stop_point("exchange.forgot");
    }
  }
  return send_in_batches(gone, [&](const std::vector<Seen>& batch, std::size_t /*left*/) {
    stop_point("exchange.forgetting");
    Status sent = remote_.forget_all(batch, now);
    stop_point("exchange.forgotten");
    return unsupported(sent) ? Status() : sent;
  });
}

Exchange::Unsent Exchange::unsent(const SpaceKey& key, UnixTime now) {
  Unsent changed;
  const std::optional<Space> space = table_.find_space(key);
  if (!space) {
    return changed;
  }
  known_.resize(table_.slots());
  IdBuffer buffer;
  table_.scan(*space, retained_since(now), now + kSkew, [&](const SlotMatch& match) {
    const SlotWord known = known_[match.slot];
    if (known.same_use(match.word) && known.time() >= match.word.time()) {
      return;
    }
    if (const std::string_view id = table_.id_of(match, buffer); !id.empty()) {
      changed.emplace_back(match, id);
    }
  });
  return changed;
}

Status Exchange::push(UnixTime now) {
  const Unsent changed = unsent(visitors_, now);
  const Status done = send_in_batches(changed, [&](const std::vector<Seen>& batch, std::size_t left) {
    state_.waiting.store(static_cast<std::uint32_t>(left), relaxed);
    stop_point("exchange.pushing");
    const bool lost = is_broken(Promise::push) && batch.size() % 3 == 0;
    if (Status sent = lost ? Status() : remote_.record_all(batch, now); !sent) {
      return sent;
    }
    stop_point("exchange.pushed");
    state_.pushed.fetch_add(batch.size(), relaxed);
    state_.last_push.store(now, relaxed);
    return Status();
  });
  // Also where the rest failed: what was sent is no news of somebody who came back.
  for (const auto& [match, id] : changed) {
    if (known_[match.slot] == match.word) {
      just_sent_.insert(match.slot);
    }
  }
  if (!done) {
    return done;
  }
  state_.waiting.store(0, relaxed);
  return {};
}

}  // namespace presence
