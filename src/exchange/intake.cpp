#include "exchange/intake.h"

#include <map>
#include <utility>

#include "base/stop_points.h"

namespace presence {
namespace {

/// One look at a store.
class Intake {
 public:
  Intake(const VisitorTable& table, const ReplicaSpec& spec, Space visitors, UnixTime unit, UnixTime now,
         const Memory* memory)
      : table_(table),
        visitors_(visitors),
        gone_key_(table.space_key(spec.gone_space_name())),
        gone_(table.find_space(gone_key_)),
        retention_(static_cast<std::uint32_t>(spec.retention) * 60),
        unit_(unit),
        now_(now),
        memory_(memory) {}

  /// Comes before all who were seen.
  void gone(const Seen& forgotten) {
    ++told_;
    if (!gone_) {
      gone_ = table_.open_space(gone_key_, retention_, now_);
    }
    // Kept here as well: whoever is told later with an older time does not come back.
    if (gone_ && table_.adopt(*gone_, forgotten.visitor, forgotten.time, now_) == Recorded::yes) {
      has(*gone_, forgotten);
    }
    pending_[std::string(forgotten.visitor)] = forgotten.time;
    stop_point("intake.noted");
  }

  void seen(const Seen& seen) {
    ++told_;
    const std::optional<SlotMatch> here = table_.find(visitors_, seen.visitor);
    if (is_gone(seen, here)) {
      return;
    }
    if (const auto found = stale_.find(seen.visitor); found != stale_.end()) {
      stale_.erase(found);
    }
    if (const auto found = pending_.find(seen.visitor); found != pending_.end()) {
      pending_.erase(found);
    }
    if (!here || static_cast<UnixTime>(here->word.time()) < seen.time) {
      news_ += table_.adopt(visitors_, seen.visitor, seen.time, now_) == Recorded::yes ? 1 : 0;
      stop_point("intake.adopted");
    }
    has(visitors_, seen);
  }

  /// Takes out whoever was forgotten and not seen since.
  Taken finish() {
    for (const auto& [visitor, forgotten] : pending_) {
      const std::optional<SlotMatch> here = table_.find(visitors_, visitor);
      if (!here) {
        continue;
      }
      if (static_cast<UnixTime>(here->word.time()) <= forgotten) {
        table_.forget(visitors_, visitor);
        stop_point("intake.forgot");
      } else if (memory_ != nullptr) {
        memory_->known[here->slot] = SlotWord();  // was seen here since: is sent, if need be once more
      }
    }
    return {told_, news_, {stale_.begin(), stale_.end()}};
  }

 private:
  /// Whether the visitor was forgotten later than what is told of it.
  bool is_gone(const Seen& seen, const std::optional<SlotMatch>& here) {
    const std::optional<SlotMatch> mark = gone_ ? table_.find(*gone_, seen.visitor) : std::nullopt;
    if (!mark || static_cast<UnixTime>(mark->word.time()) < seen.time) {
      return false;
    }
    const auto forgotten = static_cast<UnixTime>(mark->word.time());
    if (!store_knows(seen.visitor, *mark)) {
      return true;  // and about to be told
    }
    // In the same second, or minute or block where the store knows no more, whoever stands in the store came back,
    // since forgetting takes out and was told first; unless this server sent it just then, not yet knowing.
    const bool older = forgotten >= seen.time + unit_;
    const bool sent_late = here && static_cast<UnixTime>(here->word.time()) <= forgotten && memory_ != nullptr &&
                           memory_->just_sent(here->slot);
    if (older || sent_late) {
      stale_.emplace(seen.visitor, forgotten);
    }
    return older || sent_late;
  }

  [[nodiscard]] bool store_knows(std::string_view visitor, const SlotMatch& mark) const {
    if (memory_ != nullptr) {
      const SlotWord known = memory_->known[mark.slot];
      return known.same_use(mark.word) && known.time() >= mark.word.time();
    }
    const auto told = pending_.find(visitor);
    return told != pending_.end() && told->second >= static_cast<UnixTime>(mark.word.time());
  }

  /// The store has the visitor with that time.
  void has(Space space, const Seen& seen) const {
    if (memory_ == nullptr) {
      return;
    }
    const std::optional<SlotMatch> match = table_.find(space, seen.visitor);
    if (match && static_cast<UnixTime>(match->word.time()) <= seen.time) {
      memory_->known[match->slot] = match->word;
    }
  }

  const VisitorTable& table_;
  const Space visitors_;
  const SpaceKey gone_key_;
  std::optional<Space> gone_;
  const std::uint32_t retention_;
  const UnixTime unit_;
  const UnixTime now_;
  const Memory* memory_;
  std::uint64_t told_ = 0;
  std::uint64_t news_ = 0;
  std::map<std::string, UnixTime, std::less<>> stale_;
  std::map<std::string, UnixTime, std::less<>> pending_;  ///< Told to be gone, and not found in the store.
};

}  // namespace

Result<Taken> take_in(const VisitorTable& table, const ReplicaSpec& spec, Store& remote, UnixTime since, UnixTime now,
                      const Memory* memory) {
  const std::optional<Space> visitors =
      table.open_space(table.space_key(spec.space_name()), static_cast<std::uint32_t>(spec.retention) * 60, now);
  if (!visitors) {
    return Error{ErrorCode::no_space,
                 "the visitor table has no space left for another key; raise presence.max_visitors"};
  }
  Intake intake(table, spec, *visitors, remote.time_unit(), now, memory);
  if (Status told = remote.changes(
          since, now, [&intake](const Seen& seen) { intake.seen(seen); },
          [&intake](const Seen& forgotten) { intake.gone(forgotten); });
      !told) {
    return std::move(told).error();
  }
  return intake.finish();
}

}  // namespace presence
