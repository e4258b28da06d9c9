#include "stores/shm_store.h"

#include <algorithm>

namespace presence {
namespace {

/// How often a call starts over because its space was given to another key, which takes longer than a retention of not
/// using it: once is much.
constexpr int kAttempts = 4;

}  // namespace

ShmStore::ShmStore(const VisitorTable& table, std::string_view key, int retention)
    : table_(table), key_(table.space_key(key)), retention_(static_cast<std::uint32_t>(retention) * 60) {}

template <class Answer, class Ask>
Answer ShmStore::ask(Answer nobody, Ask ask) {
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    if (!space_) {
      space_ = table_.find_space(key_);
      if (!space_) {
        return nobody;
      }
    }
    Answer answer = ask(*space_);
    if (table_.holds(*space_)) {
      return answer;
    }
    space_.reset();
  }
  return nobody;
}

template <class Write>
Status ShmStore::write(UnixTime now, Write write) {
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    if (!space_) {
      space_ = table_.open_space(key_, retention_, now);
      if (!space_) {
        break;
      }
    }
    // No room leaves this one visitor out, which status() counts; it is no reason to fail a page.
    if (write(*space_) != Recorded::no_space) {
      return {};
    }
    space_.reset();
  }
  return Error{ErrorCode::no_space,
               "The visitor table has no space left for another key or room; raise presence.max_visitors"};
}

Status ShmStore::record(std::string_view visitor, UnixTime now) {
  return write(now, [&](Space space) { return table_.record(space, visitor, now); });
}

Status ShmStore::record_all(std::span<const Seen> seen, UnixTime now) {
  for (const Seen& one : seen) {
    if (one.time < expiry(now)) {
      continue;
    }
    if (Status merged = write(now, [&](Space space) { return table_.adopt(space, one.visitor, one.time, now); });
        !merged) {
      return merged;
    }
  }
  return {};
}

Result<std::int64_t> ShmStore::count(const Window& window) {
  return ask(std::int64_t{0}, [&](Space space) { return table_.count(space, window.since(), latest(window.now)); });
}

Result<std::vector<std::string>> ShmStore::ids(const Window& window) {
  return ask(std::vector<std::string>(),
             [&](Space space) { return table_.ids(space, window.since(), latest(window.now)); });
}

Status ShmStore::online(std::span<const std::string_view> visitors, const Window& window, std::span<bool> answers) {
  const bool known = ask(false, [&](Space space) {
    for (std::size_t i = 0; i < visitors.size(); ++i) {
      const std::optional<UnixTime> seen = table_.last_seen(space, visitors[i]);
      answers[i] = seen && *seen >= window.since() && *seen <= latest(window.now);
    }
    return true;
  });
  if (!known) {
    std::fill(answers.begin(), answers.end(), false);
  }
  return {};
}

Result<UnixTime> ShmStore::last_seen(std::string_view visitor, UnixTime now) {
  const auto seen = ask(std::optional<UnixTime>(), [&](Space space) { return table_.last_seen(space, visitor); });
  return seen && *seen >= expiry(now) && *seen <= latest(now) ? *seen : UnixTime{0};
}

Status ShmStore::forget(std::string_view visitor, UnixTime /*now*/) {
  ask(true, [&](Space space) {
    table_.forget(space, visitor);
    return true;
  });
  return {};
}

Status ShmStore::replace(std::string_view from, std::string_view to, UnixTime now) {
  if (!ask(std::optional<UnixTime>(), [&](Space space) { return table_.last_seen(space, from); })) {
    return {};  // makes no space for somebody who is not there
  }
  return write(now, [&](Space space) { return table_.replace(space, from, to, expiry(now), now); });
}

Status ShmStore::purge(UnixTime now) {
  ask(true, [&](Space space) {
    table_.purge(space, expiry(now), latest(now));
    return true;
  });
  return {};
}

Status ShmStore::changes(UnixTime since, UnixTime now, const Tell& each, const Tell& /*gone*/) {
  ask(true, [&](Space space) {
    IdBuffer buffer;
    table_.scan(space, since, latest(now), [&](const SlotMatch& match) {
      if (const std::string_view id = table_.id_of(match, buffer); !id.empty()) {
        each({id, match.word.time()});
      }
    });
    return true;
  });
  return {};
}

}  // namespace presence
