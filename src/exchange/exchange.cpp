#include "exchange/exchange.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace presence {
namespace {

constexpr auto relaxed = std::memory_order_relaxed;

/// Whether what was asked for is among what the store cannot do.
bool unsupported(const Status& status) { return !status && status.error().code == ErrorCode::unsupported; }

/// A visitor of another server comes in, unless it was forgotten here since. Returns whether that told us something
/// new.
bool take(const VisitorTable& table, Space visitors, const std::optional<Space>& gone, const Seen& seen, UnixTime now) {
  if (gone) {
    const std::optional<UnixTime> forgotten = table.last_seen(*gone, seen.visitor);
    if (forgotten && *forgotten >= seen.time) {
      return false;
    }
  }
  const std::optional<UnixTime> known = table.last_seen(visitors, seen.visitor);
  return (!known || *known < seen.time) && table.adopt(visitors, seen.visitor, seen.time, now) == Recorded::yes;
}

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
    state_.waiting.store(static_cast<std::uint32_t>(unsent(now).size()), relaxed);
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
                      UnixTime since, UnixTime now, const Received& received) {
  const std::optional<Space> visitors =
      table.open_space(table.space_key(spec.space_name()), static_cast<std::uint32_t>(spec.retention) * 60, now);
  if (!visitors) {
    return Error{ErrorCode::no_space,
                 "the visitor table has no space left for another key; raise presence.max_visitors"};
  }
  const std::optional<Space> gone = table.find_space(table.space_key(spec.gone_space_name()));
  std::uint64_t news = 0;
  Status pulled = remote.changes(since, now, [&](const Seen& seen) {
    news += take(table, *visitors, gone, seen, now) ? 1 : 0;
    if (received) {
      received(*visitors, seen);
    }
  });
  if (!pulled) {
    return pulled;
  }
  state.pulled.fetch_add(news, relaxed);
  state.last_pull.store(now, relaxed);
  const UnixTime held = state.held_since.load(relaxed);
  if (held == 0 || since < held) {
    state.held_since.store(since, relaxed);
  }
  return {};
}

Status Exchange::pull(UnixTime now) {
  // A clock that was set back has pulled from a time that is yet to come: all is asked for again.
  const bool all = pulled_until_ == 0 || pulled_until_ > now || now - pulled_all_ >= pull_all_pause_ ||
                   pulled_all_ > now || state_.failures.load(relaxed) > 0;
  const UnixTime since = all ? retained_since(now) : pulled_until_ - kSkew;
  known_.resize(table_.slots());
  UnixTime received = 0;
  const Status pulled = pull(table_, spec_, state_, remote_, since, now, [&](Space visitors, const Seen& seen) {
    ++received;
    const std::optional<SlotMatch> match = table_.find(visitors, seen.visitor);
    if (match && static_cast<UnixTime>(match->word.time()) <= seen.time) {
      known_[match->slot] = match->word;
    }
  });
  if (unsupported(pulled)) {
    const Result<std::int64_t> count = remote_.count({now, spec_.window});
    if (!count) {
      return count.error();
    }
    state_.count.store(*count, relaxed);
    state_.last_pull.store(now, relaxed);
    return {};
  }
  if (!pulled) {
    return pulled;
  }
  pulled_until_ = now;
  if (all) {
    pulled_all_ = now;
    pull_all_pause_ = kPullAll + received / kPullAllShare;
  }
  return {};
}

Status Exchange::send_gone(UnixTime now) {
  const std::optional<Space> gone = table_.find_space(gone_);
  const std::optional<Space> visitors = table_.find_space(visitors_);
  if (!gone) {
    return {};
  }
  IdBuffer buffer;
  Status sent;
  // Those of the second in which the last look took place are sent again: some may have come after it.
  table_.scan(*gone, std::min(gone_until_, now), now + kSkew, [&](const SlotMatch& match) {
    const std::string_view id = sent ? table_.id_of(match, buffer) : std::string_view();
    if (id.empty()) {
      return;
    }
    // Who came back since then stays.
    const std::optional<UnixTime> back = visitors ? table_.last_seen(*visitors, id) : std::nullopt;
    if (!back || *back < static_cast<UnixTime>(match.word.time())) {
      // Still here only if whoever noted it was killed before he could take it out.
      if (back) {
        table_.forget(*visitors, id);
      }
      sent = remote_.forget(id, now);
      sent = unsupported(sent) ? Status() : std::move(sent);
    }
  });
  if (sent) {
    gone_until_ = now;
  }
  return sent;
}

std::vector<std::pair<SlotMatch, std::string>> Exchange::unsent(UnixTime now) {
  std::vector<std::pair<SlotMatch, std::string>> changed;
  const std::optional<Space> visitors = table_.find_space(visitors_);
  if (!visitors) {
    return changed;
  }
  known_.resize(table_.slots());
  IdBuffer buffer;
  table_.scan(*visitors, retained_since(now), now + kSkew, [&](const SlotMatch& match) {
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
  const std::vector<std::pair<SlotMatch, std::string>> changed = unsent(now);
  std::vector<Seen> batch;
  for (std::size_t next = 0; next < changed.size(); next += batch.size()) {
    state_.waiting.store(static_cast<std::uint32_t>(changed.size() - next), relaxed);
    batch.clear();
    for (std::size_t i = next; i < std::min(changed.size(), next + kBatch); ++i) {
      batch.push_back({changed[i].second, changed[i].first.word.time()});
    }
    if (Status sent = remote_.record_all(batch, now); !sent) {
      return sent;
    }
    for (std::size_t i = next; i < next + batch.size(); ++i) {
      known_[changed[i].first.slot] = changed[i].first.word;
    }
    state_.pushed.fetch_add(batch.size(), relaxed);
    state_.last_push.store(now, relaxed);
  }
  state_.waiting.store(0, relaxed);
  return {};
}

}  // namespace presence
