#include "stores/redis/bitmap_store.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <map>
#include <numeric>
#include <set>

#include "stores/redis/bitmap_lookup.h"
#include "stores/redis/bitmap_scripts.h"

namespace presence {
namespace {

constexpr unsigned kChunkBits = 16;

bool is_set(std::string_view bits, std::size_t bit) {
  return bit / 8 < bits.size() && (static_cast<unsigned char>(bits[bit / 8]) >> (7 - bit % 8) & 1) != 0;
}

unsigned char byte_at(std::string_view bits, std::size_t byte) {
  return byte < bits.size() ? static_cast<unsigned char>(bits[byte]) : static_cast<unsigned char>(0);
}

}  // namespace

std::int64_t BitmapStore::block_of(UnixTime time) const {
  const std::int64_t size = bitmap_.window_size;
  return time >= 0 ? time / size : -((-time + size - 1) / size);
}

std::string BitmapStore::key(std::int64_t block, std::uint64_t chunk) const {
  return bitmap_.chunked ? block_key(block) + ':' + std::to_string(chunk) : block_key(block);
}

Result<BitmapStore::Place> BitmapStore::place(std::string_view visitor) const {
  const Result<std::uint64_t> id = bitmap_id(visitor, bitmap_.max_id);
  if (!id) {
    return id.error();
  }
  return bitmap_.chunked ? Place{*id >> kChunkBits, *id & ((1U << kChunkBits) - 1)} : Place{0, *id};
}

Status BitmapStore::check(const Window& window) const {
  if (window.minutes == bitmap_.minutes()) {
    return {};
  }
  return Error{ErrorCode::unsupported, "strategy=bitmap with blocks of " + std::to_string(bitmap_.window_size) +
                                           " seconds answers for a window of " + std::to_string(bitmap_.minutes()) +
                                           " minutes only, " + std::to_string(window.minutes) +
                                           " asked; strategy=zset answers for any"};
}

void BitmapStore::add_expiry(RedisCommands& commands, const std::string& key) const {
  commands.add("EXPIRE", key, 2 * bitmap_.window_size);
}

Status BitmapStore::record(std::string_view visitor, UnixTime now) {
  const Result<Place> place = this->place(visitor);
  if (!place) {
    return place.error();
  }
  const std::string key = this->key(block_of(now), place->chunk);
  RedisCommands commands(key);
  // One transaction: a key that is made always ends.
  commands.multi();
  commands.add("SETBIT", key, place->bit, 1);
  add_expiry(commands, key);
  if (bitmap_.chunked) {
    const std::string index = index_key(block_of(now));
    commands.add("SADD", index, place->chunk);
    add_expiry(commands, index);
  }
  commands.exec();
  return write(commands);
}

Status BitmapStore::record_all(std::span<const Seen> seen, UnixTime now) {
  std::map<std::pair<std::int64_t, std::uint64_t>, std::vector<std::uint64_t>> bitmaps;
  for (const Seen& one : seen) {
    const Result<Place> place = this->place(one.visitor);
    if (!place) {
      return place.error();
    }
    if (const std::int64_t block = block_of(one.time); block >= block_of(now) - 1) {
      bitmaps[{block, place->chunk}].push_back(place->bit);
    }
  }
  if (bitmaps.empty()) {
    return {};
  }
  RedisCommands commands(block_key(block_of(now)));
  for (const auto& [where, bits] : bitmaps) {
    const auto& [block, chunk] = where;
    const std::string key = this->key(block, chunk);
    commands.multi();
    in_batches(bits, [&](std::span<const std::uint64_t> batch) {
      commands.command("BITFIELD", 1 + 4 * batch.size()).arg(key);
      for (const std::uint64_t bit : batch) {
        commands.arg("SET").arg("u1").arg(bit).arg(1);
      }
    });
    add_expiry(commands, key);
    if (bitmap_.chunked) {
      commands.add("SADD", index_key(block), chunk);
      add_expiry(commands, index_key(block));
    }
    commands.exec();
  }
  return write(commands);
}

Result<std::int64_t> BitmapStore::count(const Window& window) {
  if (Status answerable = check(window); !answerable) {
    return std::move(answerable).error();
  }
  const std::int64_t block = block_of(window.now);
  const std::string newer = block_key(block);
  const std::string older = block_key(block - 1);
  const std::string made = prefix_ + ":union~";
  RedisCommands commands(newer);
  if (bitmap_.chunked) {
    commands.add("EVAL", bitmap_scripts::kCountChunks, 3, made, index_key(block), index_key(block - 1), newer + ':',
                 older + ':');
  } else {
    commands.add("EVAL", bitmap_scripts::kCount, 3, made, newer, older);
  }
  const Result<RedisReplies> replies = run(commands);
  return replies ? Result<std::int64_t>((*replies)[0]->integer) : replies.error();
}

void BitmapStore::ask_blocks(RedisCommands& commands, UnixTime now) const {
  const std::int64_t block = block_of(now);
  const std::string newer = block_key(block);
  const std::string older = block_key(block - 1);
  if (bitmap_.chunked) {
    commands.add("EVAL", bitmap_scripts::kReadChunks, 2, index_key(block), index_key(block - 1), newer + ':',
                 older + ':');
  } else {
    commands.add("GET", newer);
    commands.add("GET", older);
  }
}

template <class Each>
void BitmapStore::tell_blocks(std::span<const RedisReply> replies, Each each) const {
  if (!bitmap_.chunked) {
    each(Bits{0, {text_of(*replies[0]), text_of(*replies[1])}});
    return;
  }
  const ReplyElements parts(*replies[0]);
  for (std::size_t i = 0; i + 2 < parts.size; i += 3) {
    const std::string_view number = text_of(parts[i]);
    std::uint64_t chunk = 0;
    std::from_chars(number.data(), number.data() + number.size(), chunk);
    each(Bits{chunk, {text_of(parts[i + 1]), text_of(parts[i + 2])}});
  }
}

Result<std::vector<std::string>> BitmapStore::ids(const Window& window) {
  if (Status answerable = check(window); !answerable) {
    return std::move(answerable).error();
  }
  RedisCommands commands(block_key(block_of(window.now)));
  ask_blocks(commands, window.now);
  const Result<RedisReplies> replies = run(commands);
  if (!replies) {
    return replies.error();
  }
  std::vector<std::string> ids;
  tell_blocks(*replies, [&ids](const Bits& bits) {
    const std::size_t bytes = std::max(bits.blocks[0].size(), bits.blocks[1].size());
    for (std::size_t byte = 0; byte < bytes; ++byte) {
      auto set = static_cast<unsigned char>(byte_at(bits.blocks[0], byte) | byte_at(bits.blocks[1], byte));
      while (set != 0) {
        const int from_left = std::countl_zero(set);
        ids.push_back(std::to_string((bits.chunk << kChunkBits) + byte * 8 + static_cast<unsigned>(from_left)));
        set = static_cast<unsigned char>(set & ~(0x80U >> from_left));
      }
    }
  });
  return ids;
}

Status BitmapStore::online(std::span<const std::string_view> visitors, const Window& window, std::span<bool> answers) {
  if (Status answerable = check(window); !answerable) {
    return answerable;
  }
  if (visitors.empty()) {
    return {};
  }
  std::vector<Place> places;
  places.reserve(visitors.size());
  for (const std::string_view visitor : visitors) {
    const Result<Place> place = this->place(visitor);
    if (!place) {
      return place.error();
    }
    places.push_back(*place);
  }
  std::vector<std::size_t> order(places.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return places[a] < places[b]; });
  std::vector<std::uint64_t> bits;
  bits.reserve(order.size());
  for (const std::size_t i : order) {
    bits.push_back(places[i].bit);
  }

  const std::int64_t block = block_of(window.now);
  RedisCommands commands(block_key(block));
  struct Part {
    std::size_t begin, size;
    BitmapLookup lookup;
  };
  std::vector<Part> parts;
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin + 1;
    while (end < order.size() && places[order[end]].chunk == places[order[begin]].chunk) {
      ++end;
    }
    const Part& part = parts.emplace_back(Part{begin, end - begin, BitmapLookup({bits.data() + begin, end - begin})});
    part.lookup.add_to(commands, key(block, places[order[begin]].chunk));
    part.lookup.add_to(commands, key(block - 1, places[order[begin]].chunk));
    begin = end;
  }
  const Result<RedisReplies> replies = run(commands);
  if (!replies) {
    return replies.error();
  }
  const auto sorted = std::make_unique<bool[]>(order.size());
  for (std::size_t i = 0; i < replies->size(); ++i) {
    const Part& part = parts[i / 2];
    if (!part.lookup.read(*(*replies)[i], {sorted.get() + part.begin, part.size})) {
      return unexpected_answer();
    }
  }
  for (std::size_t i = 0; i < order.size(); ++i) {
    answers[order[i]] = sorted[i];
  }
  return {};
}

Result<UnixTime> BitmapStore::last_seen(std::string_view /*visitor*/, UnixTime /*now*/) {
  return Error{ErrorCode::unsupported, "strategy=bitmap keeps no times; strategy=zset does"};
}

Status BitmapStore::forget(std::string_view visitor, UnixTime now) {
  const Seen forgotten{visitor, now};
  return forget_all({&forgotten, 1}, now);
}

Status BitmapStore::forget_all(std::span<const Seen> forgotten, UnixTime now) {
  const std::int64_t newest = block_of(now);
  // By the last block that they may be in: the newer, or only the older.
  std::map<std::pair<bool, std::uint64_t>, std::vector<std::uint64_t>> bits;
  for (const Seen& one : forgotten) {
    const Result<Place> place = this->place(one.visitor);
    if (!place) {
      return place.error();
    }
    if (const std::int64_t block = block_of(one.time); block >= newest - 1) {
      bits[{block >= newest, place->chunk}].push_back(place->bit);
    }
  }
  if (forgotten.empty()) {
    return {};
  }
  RedisCommands commands(block_key(newest));
  commands.multi();
  for (const auto& [where, of_chunk] : bits) {
    const bool in_newer = where.first;
    const std::uint64_t chunk = where.second;
    in_batches(of_chunk, [&](std::span<const std::uint64_t> batch) {
      commands.command("EVAL", (in_newer ? 4U : 3U) + batch.size()).arg(bitmap_scripts::kForget).arg(in_newer ? 2 : 1);
      commands.arg(key(newest - 1, chunk));
      if (in_newer) {
        commands.arg(key(newest, chunk));
      }
      for (const std::uint64_t bit : batch) {
        commands.arg(bit);
      }
    });
  }
  add_gone(commands, forgotten, now);
  commands.exec();
  return write(commands);
}

Status BitmapStore::replace(std::string_view from, std::string_view to, UnixTime now) {
  const Result<Place> before = place(from);
  if (!before) {
    return before.error();
  }
  const Result<Place> after = place(to);
  if (!after) {
    return after.error();
  }
  if (*before == *after) {
    return {};
  }
  const std::int64_t block = block_of(now);
  const Seen forgotten{from, now};
  RedisCommands commands(block_key(block));
  commands.multi();
  commands.command("EVAL", bitmap_.chunked ? 14 : 11)
      .arg(bitmap_scripts::kReplace)
      .arg(bitmap_.chunked ? 7 : 5)
      .arg(key(block, before->chunk))
      .arg(key(block - 1, before->chunk))
      .arg(key(block, after->chunk))
      .arg(key(block - 1, after->chunk))
      .arg(gone_key());
  if (bitmap_.chunked) {
    commands.arg(index_key(block)).arg(index_key(block - 1));
  }
  commands.arg(before->bit).arg(after->bit).arg(to).arg(2 * bitmap_.window_size);
  if (bitmap_.chunked) {
    commands.arg(after->chunk);
  }
  add_gone(commands, {&forgotten, 1}, now);
  commands.exec();
  return write(commands);
}

Status BitmapStore::changes(UnixTime since, UnixTime now, const Tell& each, const Tell& gone) {
  const std::int64_t newest = block_of(now);
  const std::int64_t oldest = std::max(block_of(since), newest - 1);
  RedisCommands commands(block_key(newest));
  // First who is gone: who is among the visitors after that has come back.
  ask_gone(commands, since, now);
  ask_blocks(commands, now);
  const Result<RedisReplies> replies = run(commands);
  if (!replies) {
    return replies.error();
  }
  tell_scored(*(*replies)[0], gone);
  tell_blocks({replies->data() + 1, replies->size() - 1}, [&](const Bits& bits) {
    // The older block first: what is told last about a visitor is the latest.
    for (std::int64_t block = oldest; block <= newest; ++block) {
      const std::string_view of_block = bits.blocks[static_cast<std::size_t>(newest - block)];
      for (std::size_t bit = 0; bit < of_block.size() * 8; ++bit) {
        if (is_set(of_block, bit)) {
          each({std::to_string((bits.chunk << kChunkBits) + bit), block * bitmap_.window_size});
        }
      }
    }
  });
  return {};
}

}  // namespace presence
