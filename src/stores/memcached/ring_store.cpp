#include "stores/memcached/ring_store.h"

#ifdef PRESENCE_HAVE_MEMCACHED

#include <algorithm>
#include <utility>

#include "base/sha256.h"
#include "stores/memcached/php_values.h"

namespace presence {
namespace {

constexpr std::size_t kMaxKey = 250;
// Only as many processes as enter a slot's counter first, at its beginning, can get into each other's way.
constexpr int kAttempts = 50;

Error unsupported(std::string_view what) {
  return {ErrorCode::unsupported, "the strategy \"ring\" of memcached: " + std::string(what) +
                                      "; use the strategy \"table\" of memcached:, or \"zset\" of redis:"};
}

bool fits_key(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte > 0x20 && byte != 0x7F;
}

/// What a counter's flags say of its slot; never 0.
std::uint32_t mark_of(std::int64_t slot) {
  const std::int64_t rest = slot % 65535;
  return static_cast<std::uint32_t>(rest < 0 ? rest + 65535 : rest) + 1;
}

bool belongs_to(const MemcachedReply& counter, std::int64_t slot) {
  const std::uint32_t mark = php_values::user_flags(counter.flags);
  return counter.kind == MemcachedReply::Kind::value && (mark == 0 || mark == mark_of(slot));
}

Error refused(std::string_view key, const MemcachedReply& reply) {
  if (reply.data.starts_with("cannot increment")) {
    return {ErrorCode::damaged,
            "Memcached's key \"" + std::string(key) + "\" holds no counter; choose another key, or delete it"};
  }
  if (reply.data.starts_with("out of memory")) {
    return {ErrorCode::no_space, "Memcached has no memory left for its key \"" + std::string(key) +
                                     "\"; start it with more (-m), or without -M"};
  }
  return {ErrorCode::transient, "Memcached did not change its key \"" + std::string(key) + "\": " + reply.data};
}

}  // namespace

MemcachedRingStore::MemcachedRingStore(std::shared_ptr<MemcachedServerList> servers, StoreOptions options, int refresh)
    : servers_(std::move(servers)),
      options_(std::move(options)),
      window_(60 * std::int64_t{options_.window}),
      refresh_(refresh),
      counters_(window_ / refresh_ + 1) {}

std::int64_t MemcachedRingStore::slot_of(UnixTime now) const {
  return now >= 0 ? now / refresh_ : -((-now + refresh_ - 1) / refresh_);
}

std::string MemcachedRingStore::counter_key(std::int64_t slot) const {
  const std::int64_t index = slot % counters_;
  return options_.key + ':' + std::to_string(index < 0 ? index + counters_ : index);
}

std::string MemcachedRingStore::session_key(std::string_view visitor) const {
  std::string key = options_.key + ":session:";
  const bool as_it_is = key.size() + visitor.size() <= kMaxKey && visitor.front() != '#' &&
                        std::all_of(visitor.begin(), visitor.end(), fits_key);
  if (as_it_is) {
    key += visitor;
  } else {
    key += '#' + sha256_hex(visitor, 32);
  }
  return key;
}

Status MemcachedRingStore::check_window(const Window& window) const {
  if (window.minutes != options_.window) {
    return unsupported("it knows its own window of " + std::to_string(options_.window) + " minutes only, not one of " +
                       std::to_string(window.minutes));
  }
  return {};
}

Status MemcachedRingStore::record(std::string_view visitor, UnixTime now) { return enter({&visitor, 1}, now); }

Status MemcachedRingStore::record_all(std::span<const Seen> seen, UnixTime now) {
  std::vector<std::string_view> visitors;
  for (const Seen& one : seen) {
    // An older slot's counter is shown already and must not change.
    if (one.time > now - window_) {
      visitors.push_back(one.visitor);
    }
  }
  return visitors.empty() ? Status() : enter(visitors, now);
}

Status MemcachedRingStore::enter(std::span<const std::string_view> visitors, UnixTime now) {
  const Deadline deadline(options_.timeout);
  const std::int64_t slot = slot_of(now);
  const std::string slot_text = std::to_string(slot);
  MemcachedBatch batch;
  for (const std::string_view visitor : visitors) {
    batch.add(session_key(visitor), php_values::kInteger, memcached_ttl(window_), slot_text);
  }
  const std::size_t counter = batch.get(counter_key(slot));
  if (Status status = servers_->run(batch, deadline); !status) {
    return status;
  }
  std::vector<std::string_view> fresh;
  Status status;
  for (std::size_t i = 0; i < visitors.size(); ++i) {
    const MemcachedReply& reply = batch.reply(i);
    if (reply.kind == MemcachedReply::Kind::done) {
      fresh.push_back(visitors[i]);
    } else if (reply.kind == MemcachedReply::Kind::refused) {
      status = refused(session_key(visitors[i]), reply);
    }
  }
  if (fresh.empty()) {
    return status;
  }
  Status counted =
      add_to_counter(static_cast<std::int64_t>(fresh.size()), now, std::move(batch.reply(counter)), deadline);
  if (!counted) {
    // So that they are new again the next time, and counted then.
    MemcachedBatch undo;
    for (const std::string_view visitor : fresh) {
      undo.remove(session_key(visitor));
    }
    static_cast<void>(servers_->run(undo, deadline));
    return counted;
  }
  return status;
}

Status MemcachedRingStore::add_to_counter(std::int64_t by, UnixTime now, MemcachedReply reply,
                                          const Deadline& deadline) {
  const std::int64_t slot = slot_of(now);
  const std::string key = counter_key(slot);
  const std::uint32_t flags = php_values::with_user_flags(php_values::kInteger, mark_of(slot));
  const std::int64_t ttl = memcached_ttl((slot + counters_) * refresh_ - now);
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    MemcachedBatch batch;
    if (belongs_to(reply, slot)) {
      batch.change(key, by);
    } else if (reply.kind == MemcachedReply::Kind::value) {
      batch.cas(key, flags, ttl, std::to_string(by), reply.cas);
    } else {
      batch.add(key, flags, ttl, std::to_string(by));
    }
    const std::size_t again = batch.get(key);
    if (Status status = servers_->run(batch, deadline); !status) {
      return status;
    }
    switch (batch.reply(0).kind) {
      case MemcachedReply::Kind::done:
      case MemcachedReply::Kind::number: return {};
      case MemcachedReply::Kind::refused: return refused(key, batch.reply(0));
      default: break;
    }
    reply = std::move(batch.reply(again));
  }
  return Error{ErrorCode::transient, "Memcached's key \"" + key + "\" changes all the time; see who else writes it"};
}

Result<std::int64_t> MemcachedRingStore::count(const Window& window) {
  if (Status known = check_window(window); !known) {
    return std::move(known).error();
  }
  const std::int64_t slot = slot_of(window.now);
  MemcachedBatch batch;
  for (std::int64_t back = 1; back < counters_; ++back) {
    batch.get(counter_key(slot - back));
  }
  if (Status status = servers_->run(batch, Deadline(options_.timeout)); !status) {
    return std::move(status).error();
  }
  std::int64_t sum = 0;
  for (std::int64_t back = 1; back < counters_; ++back) {
    const MemcachedReply& reply = batch.reply(static_cast<std::size_t>(back - 1));
    if (reply.kind == MemcachedReply::Kind::refused) {
      return refused(counter_key(slot - back), reply);
    }
    if (!belongs_to(reply, slot - back)) {
      continue;
    }
    const auto value = php_values::parse_integer(reply.flags, reply.data);
    if (!value) {
      return Error{ErrorCode::damaged, "Memcached's key \"" + counter_key(slot - back) +
                                           "\" holds no counter; choose another key, or delete it"};
    }
    sum += *value;
  }
  return sum;
}

Status MemcachedRingStore::online(std::span<const std::string_view> visitors, const Window& window,
                                  std::span<bool> answers) {
  if (Status known = check_window(window); !known) {
    return known;
  }
  MemcachedBatch batch;
  for (const std::string_view visitor : visitors) {
    batch.get(session_key(visitor));
  }
  if (batch.empty()) {
    return {};
  }
  if (Status status = servers_->run(batch, Deadline(options_.timeout)); !status) {
    return status;
  }
  for (std::size_t i = 0; i < visitors.size(); ++i) {
    if (batch.reply(i).kind == MemcachedReply::Kind::refused) {
      return refused(session_key(visitors[i]), batch.reply(i));
    }
    answers[i] = batch.reply(i).kind == MemcachedReply::Kind::value;
  }
  return {};
}

Status MemcachedRingStore::forget(std::string_view visitor, UnixTime now) {
  const Deadline deadline(options_.timeout);
  MemcachedBatch asking;
  asking.get(session_key(visitor));
  if (Status status = servers_->run(asking, deadline); !status) {
    return status;
  }
  const MemcachedReply& session = asking.reply(0);
  if (session.kind != MemcachedReply::Kind::value) {
    return {};
  }
  const auto slot = php_values::parse_integer(session.flags, session.data);
  const bool in_use = slot && *slot <= slot_of(now) && *slot > slot_of(now) - counters_;
  MemcachedBatch removing;
  removing.remove(session_key(visitor));
  const std::size_t counter = removing.get(counter_key(in_use ? *slot : 0));
  if (Status status = servers_->run(removing, deadline); !status) {
    return status;
  }
  // Only who took the session out takes it off the counter.
  if (removing.reply(0).kind == MemcachedReply::Kind::done && in_use && belongs_to(removing.reply(counter), *slot)) {
    MemcachedBatch taking;
    taking.change(counter_key(*slot), -1);
    return servers_->run(taking, deadline);
  }
  return {};
}

Result<std::vector<std::string>> MemcachedRingStore::ids(const Window& /*window*/) {
  return unsupported("it keeps no list of ids, only counts");
}

Result<UnixTime> MemcachedRingStore::last_seen(std::string_view /*visitor*/, UnixTime /*now*/) {
  return unsupported("it keeps no times of visits");
}

Status MemcachedRingStore::replaces() const { return unsupported("it cannot make one visitor of another"); }

Status MemcachedRingStore::replace(std::string_view /*from*/, std::string_view /*to*/, UnixTime /*now*/) {
  return replaces();
}

Status MemcachedRingStore::purge(UnixTime /*now*/) { return {}; }

}  // namespace presence

#endif
