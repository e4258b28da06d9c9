#include "stores/memcached/table_parts.h"

#ifdef PRESENCE_HAVE_MEMCACHED

#include <time.h>

#include <algorithm>
#include <random>
#include <utility>

#include "base/crc32.h"
#include "stores/memcached/php_values.h"

namespace presence {
namespace {

// Each round of losers has a winner, so that at least this many processes may write one part at once.
constexpr int kAttempts = 100;

/// Waits a little, at most longer each time, and not as long as the others, so that losers do not meet again.
void back_off(int attempt, const Deadline& deadline) {
  thread_local std::minstd_rand random{std::random_device{}()};
  const int longest = std::min(200 << std::min(attempt, 5), 5000);
  const int microseconds = std::uniform_int_distribution<int>(50, longest)(random);
  if (deadline.remaining() * 1e6 > microseconds) {
    const timespec pause{0, microseconds * 1000L};
    nanosleep(&pause, nullptr);
  }
}

}  // namespace

std::size_t MemcachedTableParts::part_of(std::string_view visitor) const {
  return crc32(visitor) % static_cast<std::uint32_t>(layout_.parts);
}

std::vector<std::size_t> MemcachedTableParts::all() const {
  std::vector<std::size_t> parts(static_cast<std::size_t>(layout_.parts));
  for (std::size_t i = 0; i < parts.size(); ++i) {
    parts[i] = i;
  }
  return parts;
}

std::string MemcachedTableParts::key_of(std::size_t part) const {
  if (part == gone()) {
    return layout_.key + ":gone";
  }
  return layout_.parts == 1 ? layout_.key : layout_.key + ':' + std::to_string(part);
}

Result<MemcachedTableParts::Part> MemcachedTableParts::parse(std::size_t index, MemcachedReply& reply) const {
  Part part;
  part.index = index;
  if (reply.kind == MemcachedReply::Kind::missing) {
    return part;
  }
  const auto about = [&](const Error& error) {
    return Error{error.code, "The value of Memcached's key \"" + key_of(index) + "\" cannot be used: " + error.message};
  };
  if (reply.kind != MemcachedReply::Kind::value) {
    return about({ErrorCode::transient, "the server answers " + reply.data});
  }
  part.cas = reply.cas;
  Result<std::string> text = php_values::serialized_text(reply.flags, std::move(reply.data));
  if (!text) {
    return about(text.error());
  }
  part.text = std::move(*text);
  return part;
}

Result<std::vector<MemcachedTablePart>> MemcachedTableParts::read(std::span<const std::size_t> parts,
                                                                  const Deadline& deadline) {
  MemcachedBatch batch;
  for (const std::size_t part : parts) {
    batch.get(key_of(part));
  }
  if (Status status = servers_->run(batch, deadline); !status) {
    return std::move(status).error();
  }
  std::vector<Part> read;
  read.reserve(parts.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    Result<Part> part = parse(parts[i], batch.reply(i));
    if (!part) {
      return std::move(part).error();
    }
    read.push_back(std::move(*part));
  }
  // Only now, as a short text moves with its string.
  for (Part& part : read) {
    if (!part.cas) {
      continue;
    }
    Result<std::vector<Seen>> entries = php_values::parse_times(part.text);
    if (!entries) {
      return Error{entries.error().code, "The value of Memcached's key \"" + key_of(part.index) +
                                             "\" cannot be used: " + entries.error().message +
                                             "; choose another key, or delete it"};
    }
    part.entries = std::move(*entries);
  }
  return read;
}

void MemcachedTableParts::write(MemcachedBatch& batch, const Part& part) const {
  const std::string text = php_values::serialize_times(part.entries);
  const std::string key = key_of(part.index);
  // Half a minute more than needed, as the server counts whole seconds on its own clock.
  const std::int64_t ttl = memcached_ttl(60 * std::int64_t{layout_.retention} + 30);
  if (part.cas) {
    batch.cas(key, php_values::kSerialized, ttl, text, *part.cas);
  } else {
    batch.add(key, php_values::kSerialized, ttl, text);
  }
}

Result<bool> MemcachedTableParts::written(const Part& part, const MemcachedReply& reply) const {
  switch (reply.kind) {
    case MemcachedReply::Kind::done: return true;
    case MemcachedReply::Kind::changed:
    case MemcachedReply::Kind::not_stored:
    case MemcachedReply::Kind::missing: return false;
    default: break;
  }
  if (reply.data.starts_with("object too large")) {
    return Error{ErrorCode::no_space,
                 std::to_string(part.entries.size()) + " visitors are more than Memcached's key \"" +
                     key_of(part.index) + "\" can hold; raise the option \"parts\" (now " +
                     std::to_string(layout_.parts) + "), lower the retention, or start the server with a larger -I"};
  }
  if (reply.data.starts_with("out of memory")) {
    return Error{ErrorCode::no_space, "Memcached has no memory left for its key \"" + key_of(part.index) +
                                          "\"; start it with more (-m), or without -M"};
  }
  return Error{ErrorCode::transient, "Memcached did not store its key \"" + key_of(part.index) + "\": " + reply.data};
}

Error MemcachedTableParts::crowded() const {
  return {ErrorCode::transient, "Too many processes change the visitors of \"" + layout_.key +
                                    "\" in Memcached at once; raise the option \"parts\" (now " +
                                    std::to_string(layout_.parts) + "), the throttle or the timeout"};
}

Result<MemcachedTableParts::Outcome> MemcachedTableParts::update(std::vector<std::size_t> parts, const Change& change,
                                                                 bool take_lease, const Deadline& deadline) {
  Outcome outcome;
  for (int attempt = 0; !parts.empty(); ++attempt) {
    if (attempt > 0) {
      back_off(attempt, deadline);
      if (attempt == kAttempts || deadline.passed()) {
        return crowded();
      }
    }
    Result<std::vector<Part>> current = read(parts, deadline);
    if (!current) {
      return std::move(current).error();
    }
    MemcachedBatch batch;
    std::vector<const Part*> changed;
    for (Part& part : *current) {
      if (change(part)) {
        write(batch, part);
        changed.push_back(&part);
      }
    }
    if (changed.empty()) {
      break;
    }
    std::optional<std::size_t> lease;
    if (take_lease && attempt == 0) {
      lease = batch.add(layout_.key + ":sweep", php_values::kInteger, layout_.lease, "1");
      batch.make_optional(*lease);
    }
    if (Status status = servers_->run(batch, deadline); !status) {
      return std::move(status).error();
    }
    outcome.lease = outcome.lease || (lease && batch.reply(*lease).kind == MemcachedReply::Kind::done);
    parts.clear();
    for (std::size_t i = 0; i < changed.size(); ++i) {
      const Result<bool> done = written(*changed[i], batch.reply(i));
      if (!done) {
        return done.error();
      }
      outcome.written = outcome.written || *done;
      if (!*done) {
        parts.push_back(changed[i]->index);
      }
    }
  }
  return outcome;
}

}  // namespace presence

#endif
