#include "stores/memcached/table_store.h"

#ifdef PRESENCE_HAVE_MEMCACHED

#include <algorithm>
#include <array>
#include <limits>
#include <set>
#include <unordered_map>
#include <utility>

#include "stores/memcached/php_values.h"

namespace presence {
namespace {

constexpr int kDefaultThrottle = 120;  ///< Seconds: that of the recipe.

/// So many of those who were forgotten last are kept: half a megabyte of the longest ids.
constexpr std::size_t kGoneMax = 2048;

/// The throttle that goes with a window of that many minutes, where none is asked for: who stays must not seem to
/// leave.
int default_throttle(int window) { return std::min(kDefaultThrottle, window * 60 / 2); }

/// Where the visitor is; past the end if it is not there.
std::size_t place_of(const MemcachedTablePart& part, std::string_view visitor) {
  const auto entry =
      std::find_if(part.entries.begin(), part.entries.end(), [&](const Seen& one) { return one.visitor == visitor; });
  return static_cast<std::size_t>(entry - part.entries.begin());
}

/// Takes the entry at that place out; the order of entries means nothing.
void erase_at(MemcachedTablePart& part, std::size_t place) {
  part.entries[place] = part.entries.back();
  part.entries.pop_back();
}

}  // namespace

MemcachedTableStore::MemcachedTableStore(std::shared_ptr<MemcachedServerList> servers, StoreOptions options,
                                         MemcachedTableOptions table)
    : servers_(std::move(servers)),
      options_(std::move(options)),
      table_(table),
      parts_(servers_, {options_.key, table.parts, options_.retention, table.sweep}),
      throttle_(options_.throttle.value_or(default_throttle(options_.window))) {}

std::int64_t MemcachedTableStore::in_window(const Part& part, UnixTime now) const {
  const UnixTime since = Window{now, options_.window}.since();
  return std::count_if(part.entries.begin(), part.entries.end(),
                       [&](const Seen& entry) { return entry.time >= since; });
}

Status MemcachedTableStore::update(std::vector<std::size_t> parts, UnixTime now,
                                   const MemcachedTableParts::Change& change, const Deadline& deadline) {
  std::vector<std::int64_t> more(static_cast<std::size_t>(table_.parts));  // online than before, for each part
  const auto change_and_sweep = [&](Part& part) {
    const std::int64_t before = in_window(part, now);
    if (!change(part)) {
      return false;
    }
    std::erase_if(part.entries, [&](const Seen& entry) { return entry.time < expiry(now); });
    if (part.index != parts_.gone()) {
      more[part.index] = in_window(part, now) - before;
    }
    return true;
  };
  const auto outcome = parts_.update(std::move(parts), change_and_sweep, table_.sweep > 0, deadline);
  if (!outcome) {
    return outcome.error();
  }
  // What follows concerns the count only: the change itself is done, whatever becomes of it.
  if (outcome->written && (outcome->lease || table_.sweep == 0)) {
    static_cast<void>(sweep(now, deadline));
  } else if (outcome->written) {
    std::int64_t sum = 0;
    for (const std::int64_t one : more) {
      sum += one;
    }
    if (sum != 0) {
      MemcachedBatch batch;
      batch.change_quietly(options_.key + ":count", sum);
      static_cast<void>(servers_->run(batch, deadline));
    }
  }
  return {};
}

bool MemcachedTableStore::enter(Part& part, std::size_t place, const Seen& seen, UnixTime now) const {
  if (seen.time < expiry(now)) {
    return false;
  }
  if (place == part.entries.size()) {
    part.entries.push_back(seen);
    return true;
  }
  // A time after now comes from a clock that was wrong, and must not keep the visitor online for longer than it stays.
  UnixTime& time = part.entries[place].time;
  const bool from_future = time > now;
  if (!from_future && (time >= seen.time || seen.time - time < throttle_)) {
    return false;
  }
  time = seen.time;
  return true;
}

Status MemcachedTableStore::record(std::string_view visitor, UnixTime now) {
  const auto change = [&](Part& part) { return enter(part, place_of(part, visitor), {visitor, now}, now); };
  return update({parts_.part_of(visitor)}, now, change, Deadline(options_.timeout));
}

Status MemcachedTableStore::record_all(std::span<const Seen> seen, UnixTime now) {
  std::vector<std::vector<Seen>> by_part(static_cast<std::size_t>(table_.parts));
  for (const Seen& one : seen) {
    by_part[parts_.part_of(one.visitor)].push_back(one);
  }
  std::vector<std::size_t> parts = parts_.all();
  std::erase_if(parts, [&](std::size_t part) { return by_part[part].empty(); });
  const auto change = [&](Part& part) {
    std::unordered_map<std::string_view, std::size_t> places;
    for (std::size_t i = 0; i < part.entries.size(); ++i) {
      places.emplace(part.entries[i].visitor, i);
    }
    bool changed = false;
    for (const Seen& one : by_part[part.index]) {
      const auto known = places.find(one.visitor);
      const std::size_t place = known == places.end() ? part.entries.size() : known->second;
      if (enter(part, place, one, now)) {
        places.try_emplace(one.visitor, place);
        changed = true;
      }
    }
    return changed;
  };
  return update(std::move(parts), now, change, Deadline(options_.timeout));
}

Result<std::int64_t> MemcachedTableStore::count(const Window& window) {
  const Deadline deadline(options_.timeout);
  return window.minutes == options_.window && table_.sweep > 0 ? fresh_count(window.now, deadline)
                                                               : exact_count(window.since(), deadline);
}

Result<std::int64_t> MemcachedTableStore::fresh_count(UnixTime now, const Deadline& deadline) {
  MemcachedBatch batch;
  const std::size_t stored = batch.get(options_.key + ":count");
  const std::size_t lease = batch.get(options_.key + ":sweep");
  if (Status status = servers_->run(batch, deadline); !status) {
    return std::move(status).error();
  }
  const MemcachedReply& reply = batch.reply(stored);
  const auto count = reply.kind == MemcachedReply::Kind::value ? php_values::parse_integer(reply.flags, reply.data)
                                                               : std::optional<std::int64_t>();
  if (count && batch.reply(lease).kind == MemcachedReply::Kind::value) {
    return *count;
  }
  // Of many who find the count old one counts anew.
  MemcachedBatch taking;
  taking.add(options_.key + ":sweep", php_values::kInteger, table_.sweep, "1");
  if (Status status = servers_->run(taking, deadline); !status) {
    return std::move(status).error();
  }
  if (count && taking.reply(0).kind != MemcachedReply::Kind::done) {
    return *count;
  }
  Result<std::int64_t> exact = exact_count(Window{now, options_.window}.since(), deadline);
  if (exact) {
    MemcachedBatch storing;
    set_count(storing, *exact);
    static_cast<void>(servers_->run(storing, deadline));
  }
  return exact;
}

Result<std::int64_t> MemcachedTableStore::exact_count(UnixTime since, const Deadline& deadline) {
  const auto parts = parts_.read(parts_.all(), deadline);
  if (!parts) {
    return parts.error();
  }
  std::int64_t count = 0;
  for (const Part& part : *parts) {
    count +=
        std::count_if(part.entries.begin(), part.entries.end(), [&](const Seen& entry) { return entry.time >= since; });
  }
  return count;
}

void MemcachedTableStore::set_count(MemcachedBatch& batch, std::int64_t count) const {
  // Nobody writes for a window: nobody is online, and the count goes.
  batch.set(options_.key + ":count", php_values::kInteger, memcached_ttl(60 * std::int64_t{options_.window} + 1),
            std::to_string(count));
}

Result<std::vector<std::string>> MemcachedTableStore::ids(const Window& window) {
  std::vector<std::string> found;
  const auto parts = parts_.read(parts_.all(), Deadline(options_.timeout));
  if (!parts) {
    return parts.error();
  }
  for (const Part& part : *parts) {
    tell(part, window.since(), [&found](const Seen& one) { found.emplace_back(one.visitor); });
  }
  return found;
}

void MemcachedTableStore::tell(const Part& part, UnixTime since, const Tell& each) {
  for (const Seen& entry : part.entries) {
    if (entry.time >= since) {
      each(entry);
    }
  }
}

Status MemcachedTableStore::changes(UnixTime since, UnixTime /*now*/, const Tell& each, const Tell& gone) {
  std::vector<std::size_t> asked{parts_.gone()};
  const std::vector<std::size_t> all = parts_.all();
  asked.insert(asked.end(), all.begin(), all.end());
  const auto parts = parts_.read(asked, Deadline(options_.timeout));
  if (!parts) {
    return parts.error();
  }
  tell(parts->front(), since, gone);
  for (const Part& part : std::span(*parts).subspan(1)) {
    tell(part, since, each);
  }
  return {};
}

Status MemcachedTableStore::online(std::span<const std::string_view> visitors, const Window& window,
                                   std::span<bool> answers) {
  std::fill(answers.begin(), answers.end(), false);
  std::unordered_map<std::string_view, std::vector<std::size_t>> places;
  std::vector<std::size_t> wanted;
  for (std::size_t i = 0; i < visitors.size(); ++i) {
    places[visitors[i]].push_back(i);
    wanted.push_back(parts_.part_of(visitors[i]));
  }
  std::sort(wanted.begin(), wanted.end());
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  if (wanted.empty()) {
    return {};
  }
  const auto parts = parts_.read(wanted, Deadline(options_.timeout));
  if (!parts) {
    return parts.error();
  }
  for (const Part& part : *parts) {
    for (const Seen& entry : part.entries) {
      const auto asked = places.find(entry.visitor);
      if (asked != places.end() && entry.time >= window.since()) {
        for (const std::size_t place : asked->second) {
          answers[place] = true;
        }
      }
    }
  }
  return {};
}

Result<UnixTime> MemcachedTableStore::last_seen(std::string_view visitor, UnixTime now) {
  const std::size_t wanted = parts_.part_of(visitor);
  const auto parts = parts_.read({&wanted, 1}, Deadline(options_.timeout));
  if (!parts) {
    return parts.error();
  }
  const Part& part = parts->front();
  const std::size_t place = place_of(part, visitor);
  return place < part.entries.size() && part.entries[place].time >= expiry(now) ? part.entries[place].time
                                                                                : UnixTime{0};
}

Status MemcachedTableStore::forget(std::string_view visitor, UnixTime now) {
  const Seen forgotten{visitor, now};
  // Also one whose clock is ahead.
  return take_out({&forgotten, 1}, std::numeric_limits<UnixTime>::max(), now);
}

Status MemcachedTableStore::forget_all(std::span<const Seen> forgotten, UnixTime now) {
  return forgotten.empty() ? Status() : take_out(forgotten, std::nullopt, now);
}

bool MemcachedTableStore::note_gone(Part& part, std::span<const Seen> forgotten) {
  std::unordered_map<std::string_view, UnixTime> times;
  for (const Seen& one : part.entries) {
    times.emplace(one.visitor, one.time);
  }
  bool changed = false;
  for (const Seen& one : forgotten) {
    const auto [known, added] = times.emplace(one.visitor, one.time);
    changed = changed || added || known->second < one.time;
    known->second = std::max(known->second, one.time);
  }
  part.entries.clear();
  for (const auto& [visitor, time] : times) {
    part.entries.push_back({visitor, time});
  }
  if (part.entries.size() > kGoneMax) {
    std::nth_element(part.entries.begin(), part.entries.begin() + kGoneMax, part.entries.end(),
                     [](const Seen& a, const Seen& b) { return a.time > b.time; });
    part.entries.resize(kGoneMax);
  }
  return changed;
}

Status MemcachedTableStore::take_out(std::span<const Seen> forgotten, std::optional<UnixTime> until, UnixTime now) {
  std::unordered_map<std::string_view, UnixTime> last;
  std::set<std::size_t> parts{parts_.gone()};
  for (const Seen& one : forgotten) {
    UnixTime& time = last.emplace(one.visitor, one.time).first->second;
    time = std::max(time, until.value_or(one.time));
    parts.insert(parts_.part_of(one.visitor));
  }
  const auto change = [&](Part& part) {
    if (part.index == parts_.gone()) {
      return note_gone(part, forgotten);
    }
    return std::erase_if(part.entries, [&last](const Seen& entry) {
             const auto known = last.find(entry.visitor);
             return known != last.end() && entry.time <= known->second;
           }) > 0;
  };
  return update({parts.begin(), parts.end()}, now, change, Deadline(options_.timeout));
}

Status MemcachedTableStore::replace(std::string_view from, std::string_view to, UnixTime now) {
  if (from == to) {
    return {};
  }
  const Deadline deadline(options_.timeout);
  const std::size_t from_part = parts_.part_of(from);
  const std::size_t to_part = parts_.part_of(to);
  const std::array<std::size_t, 2> asked{from_part, parts_.gone()};
  const auto parts = parts_.read(asked, deadline);
  if (!parts) {
    return parts.error();
  }
  const Part& found = parts->front();
  const std::size_t from_place = place_of(found, from);
  if (from_place == found.entries.size() || found.entries[from_place].time < expiry(now)) {
    return {};
  }
  UnixTime seen = found.entries[from_place].time;
  // Who was forgotten and returns under the old name is seen after that.
  const Part& gone = parts->back();
  if (const std::size_t place = place_of(gone, to); place < gone.entries.size()) {
    seen = std::max(seen, gone.entries[place].time + 1);
  }
  const Seen forgotten{from, now};
  // First in, then out: whoever is cut off in between leaves the visitor twice and not gone.
  const auto put_in = [&](Part& part) {
    if (const std::size_t place = place_of(part, to); place == part.entries.size()) {
      part.entries.push_back({to, seen});
    } else if (part.entries[place].time < seen) {
      part.entries[place].time = seen;
    } else {
      return false;
    }
    return true;
  };
  const auto take = [&](Part& part) {
    if (part.index == parts_.gone()) {
      return note_gone(part, {&forgotten, 1});
    }
    const std::size_t place = place_of(part, from);
    if (place == part.entries.size()) {
      return false;
    }
    erase_at(part, place);
    return true;
  };
  if (from_part == to_part) {
    const auto both = [&](Part& part) {
      const bool in = part.index == to_part && put_in(part);
      return take(part) || in;
    };
    return update({to_part, parts_.gone()}, now, both, deadline);
  }
  if (Status status = update({to_part}, now, put_in, deadline); !status) {
    return status;
  }
  return update({from_part, parts_.gone()}, now, take, deadline);
}

Status MemcachedTableStore::purge(UnixTime now) { return sweep(now, Deadline(options_.timeout)); }

Status MemcachedTableStore::sweep(UnixTime now, const Deadline& deadline) {
  std::vector<std::int64_t> online(static_cast<std::size_t>(table_.parts));
  const auto change = [&](Part& part) {
    online[part.index] = in_window(part, now);
    return std::erase_if(part.entries, [&](const Seen& entry) { return entry.time < expiry(now); }) > 0;
  };
  const auto outcome = parts_.update(parts_.all(), change, false, deadline);
  if (!outcome) {
    return outcome.error();
  }
  std::int64_t count = 0;
  for (const std::int64_t one : online) {
    count += one;
  }
  MemcachedBatch batch;
  set_count(batch, count);
  return servers_->run(batch, deadline);
}

}  // namespace presence

#endif
