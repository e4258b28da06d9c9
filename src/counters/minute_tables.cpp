#include "counters/minute_tables.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>

#include "base/hash.h"
#include "base/stop_points.h"

namespace presence {
namespace {

constexpr std::uint32_t kMinutesVersion = 3;
constexpr std::uint32_t kSeriesMin = 16;
constexpr std::uint32_t kSeriesMax = 1U << 24;
constexpr std::size_t kKeyBytesPerSeries = 64;
constexpr std::size_t kNameMax = 64;
constexpr std::size_t kArgumentMax = 250;
/// A mark in a table's batch number.
constexpr std::uint64_t kSentFromMemory = std::uint64_t{1} << 63;

constexpr auto relaxed = std::memory_order_relaxed;

std::uint64_t index_word(std::uint64_t hash, std::uint32_t entry) { return (hash & ~0xFFFFFFFFULL) | (entry + 1); }

/// Takes `amount` of a resource that only grows until the reset. Never runs past `limit`, so it cannot wrap around
/// however often a full table is asked.
std::optional<std::uint32_t> take(std::atomic<std::uint32_t>& used, std::uint32_t amount, std::size_t limit) {
  std::uint32_t before = used.load(relaxed);
  do {
    if (before > limit || limit - before < amount) {
      return std::nullopt;
    }
  } while (!used.compare_exchange_weak(before, before + amount, relaxed));
  return before;
}

}  // namespace

/// At the start of each table.
struct alignas(128) MinuteTable::Header {
  std::atomic<std::uint64_t> state;
  std::atomic<std::uint64_t> batch_number;
  /// On a line of their own: they change with each new series, the state once a minute.
  alignas(64) std::atomic<std::uint32_t> entries_used;
  std::atomic<std::uint32_t> stripes_used;
  std::atomic<std::uint32_t> key_bytes_used;
};

/// At the start of the section.
struct alignas(128) MinuteTables::Header {
  std::uint32_t max_series;
  std::atomic<std::uint64_t> batches;
  DrainRecord drains;
  CounterStatistics statistics;
};

/// Where the parts of one table are, from its start. Follows from max_series alone.
struct MinuteTables::Geometry {
  explicit Geometry(std::uint32_t max_series)
      : index_size(std::bit_ceil(std::size_t{max_series} * 2)),
        entries_at(sizeof(MinuteTable::Header) + index_size * sizeof(std::atomic<std::uint64_t>)),
        stripes_at(entries_at + max_series * sizeof(SeriesEntry)),
        keys_at(stripes_at + max_series * sizeof(Stripe)),
        table_size((keys_at + max_series * kKeyBytesPerSeries + 127) / 128 * 128) {}

  std::size_t index_size;
  std::size_t entries_at;
  std::size_t stripes_at;
  std::size_t keys_at;
  std::size_t table_size;
};

std::uint64_t SeriesKey::hash(std::uint64_t seed) const {
  const std::uint64_t named = hash_bytes(name, seed ^ target);
  return argument ? hash_bytes(*argument, named) : named;
}

MinuteTable::MinuteTable(Header* header, std::span<std::atomic<std::uint64_t>> index, std::span<SeriesEntry> entries,
                         std::span<Stripe> stripes, std::span<char> keys)
    : header_(header), state_(&header->state), index_(index), entries_(entries), stripes_(stripes), keys_(keys) {}

bool MinuteTable::change(TableState from, TableState to) const {
  std::uint64_t expected = from.word();
  // Seq_cst: a sealer's look at the lanes must come after its store of `closing` (Lane::enter has the other half).
  return header_->state.compare_exchange_strong(expected, to.word(), std::memory_order_seq_cst);
}

std::optional<SeriesKey> MinuteTable::key_of(const SeriesEntry& entry) const {
  const bool has_argument = entry.argument_size != SeriesEntry::kNoArgument;
  const std::size_t argument_size = has_argument ? entry.argument_size : 0;
  if (entry.name_size == 0 || entry.name_size > kNameMax || argument_size > kArgumentMax ||
      entry.key_offset > keys_.size() || entry.name_size + argument_size > keys_.size() - entry.key_offset) {
    return std::nullopt;
  }
  const char* key = keys_.data() + entry.key_offset;
  SeriesKey found{entry.target, {key, entry.name_size}, std::nullopt};
  if (has_argument) {
    found.argument = std::string_view(key + entry.name_size, argument_size);
  }
  return found;
}

bool MinuteTable::holds(const SeriesEntry& entry, const SeriesKey& key, std::uint64_t hash) const {
  if (entry.hash != hash) {
    return false;
  }
  const std::optional<SeriesKey> found = key_of(entry);
  return found && *found == key;
}

SeriesEntry* MinuteTable::find(const SeriesKey& key, std::uint64_t hash) const {
  const std::size_t mask = index_.size() - 1;
  for (std::size_t step = 0; step < index_.size(); ++step) {
    // Acquire pairs with the release in find_or_claim: the entry is complete.
    const std::uint64_t word = index_[(hash + step) & mask].load(std::memory_order_acquire);
    if (word == 0) {
      return nullptr;
    }
    const std::uint64_t number = (word & 0xFFFFFFFF) - 1;
    if (word >> 32 == hash >> 32 && number < entries_.size() && holds(entries_[number], key, hash)) {
      return &entries_[number];
    }
  }
  return nullptr;
}

SeriesEntry* MinuteTable::new_entry(const SeriesKey& key, std::uint64_t hash) const {
  const std::size_t key_size = key.name.size() + (key.argument ? key.argument->size() : 0);
  const auto key_offset = take(header_->key_bytes_used, static_cast<std::uint32_t>(key_size), keys_.size());
  if (!key_offset) {
    return nullptr;
  }
  stop_point("entry.key_taken");
  const auto number = take(header_->entries_used, 1, entries_.size());
  if (!number) {
    return nullptr;
  }
  stop_point("entry.taken");
  char* bytes = keys_.data() + *key_offset;
  std::memcpy(bytes, key.name.data(), key.name.size());
  SeriesEntry& entry = entries_[*number];
  entry.hash = hash;
  entry.key_offset = *key_offset;
  entry.target = key.target;
  entry.name_size = static_cast<std::uint16_t>(key.name.size());
  entry.argument_size = SeriesEntry::kNoArgument;
  if (key.argument) {
    std::memcpy(bytes + key.name.size(), key.argument->data(), key.argument->size());
    entry.argument_size = static_cast<std::uint16_t>(key.argument->size());
  }
  entry.first_stripe.store(0, relaxed);
  clear(entry.shared);
  stop_point("entry.written");
  return &entry;
}

SeriesEntry* MinuteTable::find_or_claim(const SeriesKey& key, std::uint64_t hash) const {
  const std::size_t mask = index_.size() - 1;
  SeriesEntry* fresh = nullptr;
  for (std::size_t step = 0; step < index_.size(); ++step) {
    std::atomic<std::uint64_t>& slot = index_[(hash + step) & mask];
    std::uint64_t word = slot.load(std::memory_order_acquire);
    if (word == 0) {
      if (fresh == nullptr) {
        fresh = new_entry(key, hash);
        if (fresh == nullptr) {
          return nullptr;
        }
      }
      const auto number = static_cast<std::uint32_t>(fresh - entries_.data());
      // Release: whoever finds the word finds the entry complete. Acquire if another process was first.
      if (slot.compare_exchange_strong(word, index_word(hash, number), std::memory_order_acq_rel,
                                       std::memory_order_acquire)) {
        stop_point("entry.published");
        return fresh;
      }
    }
    const std::uint64_t number = (word & 0xFFFFFFFF) - 1;
    if (word >> 32 == hash >> 32 && number < entries_.size() && holds(entries_[number], key, hash)) {
      return &entries_[number];
    }
  }
  return nullptr;
}

Stripe* MinuteTable::stripe_for(SeriesEntry& entry, LaneIndex lane) const {
  std::uint32_t first = entry.first_stripe.load(std::memory_order_acquire);
  // Bounded, since a damaged list may run in a circle.
  std::size_t left = stripes_.size();
  for (std::uint32_t at = first; at != 0 && at <= stripes_.size() && left != 0; --left) {
    Stripe& stripe = stripes_[at - 1];
    if (stripe.lane == lane) {
      return &stripe;
    }
    at = stripe.next;
  }
  const auto number = take(header_->stripes_used, 1, stripes_.size());
  if (!number) {
    return nullptr;
  }
  stop_point("stripe.taken");
  Stripe& stripe = stripes_[*number];
  clear(stripe.cell);
  stripe.lane = lane;
  stop_point("stripe.written");
  do {
    stripe.next = first;
    // Release: whoever walks the list finds the stripe complete.
  } while (!entry.first_stripe.compare_exchange_weak(first, *number + 1, std::memory_order_acq_rel));
  stop_point("stripe.published");
  return &stripe;
}

std::uint32_t MinuteTable::for_each(std::uint64_t seed,
                                    const std::function<void(const SeriesKey&, const Sums&)>& visit) const {
  std::uint32_t damaged = 0;
  // By the index and not by the entries: an entry that the index does not point to may be half written.
  for (std::atomic<std::uint64_t>& slot : index_) {
    const std::uint64_t word = slot.load(std::memory_order_acquire);
    if (word == 0) {
      continue;
    }
    const std::uint64_t number = (word & 0xFFFFFFFF) - 1;
    const std::optional<SeriesKey> key = number < entries_.size() ? key_of(entries_[number]) : std::nullopt;
    if (!key || key->hash(seed) != entries_[number].hash) {
      ++damaged;
      continue;
    }
    CellsTotal sum;
    sum.take(entries_[number].shared);
    std::size_t left = stripes_.size();
    for (std::uint32_t at = entries_[number].first_stripe.load(std::memory_order_acquire);
         at != 0 && at <= stripes_.size() && left != 0; --left) {
      sum.take(stripes_[at - 1].cell);
      at = stripes_[at - 1].next;
    }
    if (const Sums sums = sum.sums(); sums.count > 0) {
      visit(*key, sums);
    }
  }
  return damaged;
}

std::uint64_t MinuteTable::batch_number() const { return header_->batch_number.load(relaxed) & ~kSentFromMemory; }

void MinuteTable::set_batch_number(std::uint64_t number) const { header_->batch_number.store(number, relaxed); }

bool MinuteTable::sent_from_memory() const { return (header_->batch_number.load(relaxed) & kSentFromMemory) != 0; }

void MinuteTable::note_sent_from_memory() const { header_->batch_number.fetch_or(kSentFromMemory, relaxed); }

std::uint32_t MinuteTable::series() const {
  return std::min(header_->entries_used.load(relaxed), static_cast<std::uint32_t>(entries_.size()));
}

void MinuteTable::reset() const {
  const TableState state = this->state();
  if (state.phase() != TablePhase::stored) {
    return;
  }
  for (std::atomic<std::uint64_t>& slot : index_) {
    slot.store(0, relaxed);
  }
  stop_point("reset.index");
  header_->entries_used.store(0, relaxed);
  header_->stripes_used.store(0, relaxed);
  header_->key_bytes_used.store(0, relaxed);
  stop_point("reset.counts");
  // Seq_cst, hence release: whoever opens the table finds it empty.
  change(state, state.with(TablePhase::free));
  stop_point("reset.free");
}

SectionSpec MinuteTables::section(std::uint32_t max_series) {
  max_series = std::clamp(max_series, kSeriesMin, kSeriesMax);
  const Geometry geometry(max_series);
  return {
      SectionId::minutes, kMinutesVersion, sizeof(Header) + kTables * geometry.table_size,
      [max_series](std::span<std::byte> bytes) { reinterpret_cast<Header*>(bytes.data())->max_series = max_series; }};
}

MinuteTables::MinuteTables(const Segment& segment) : seed_(segment.seed()) {
  const std::span<std::byte> bytes = segment.section(SectionId::minutes);
  if (bytes.size() < sizeof(Header)) {
    return;
  }
  auto* header = reinterpret_cast<Header*>(bytes.data());
  const std::uint32_t max_series = header->max_series;
  if (max_series < kSeriesMin || max_series > kSeriesMax ||
      sizeof(Header) + kTables * Geometry(max_series).table_size > bytes.size()) {
    return;
  }
  header_ = header;
  tables_ = bytes.data() + sizeof(Header);
  max_series_ = max_series;
}

MinuteTable MinuteTables::table(std::uint32_t number) const {
  const Geometry geometry(max_series_);
  std::byte* at = tables_ + (number % kTables) * geometry.table_size;
  return MinuteTable(
      reinterpret_cast<MinuteTable::Header*>(at),
      {reinterpret_cast<std::atomic<std::uint64_t>*>(at + sizeof(MinuteTable::Header)), geometry.index_size},
      {reinterpret_cast<SeriesEntry*>(at + geometry.entries_at), max_series_},
      {reinterpret_cast<Stripe*>(at + geometry.stripes_at), max_series_},
      {reinterpret_cast<char*>(at + geometry.keys_at), max_series_ * kKeyBytesPerSeries});
}

std::optional<std::uint32_t> MinuteTables::open_for(std::int64_t minute) const {
  // A state has 32 bits for the minute: some four thousand years around 1970.
  if (TableState(TablePhase::open, 0, minute).minute() != minute) {
    return std::nullopt;
  }
  for (std::uint32_t number = 0; number < kTables; ++number) {
    const TableState state = table(number).state();
    if (state.phase() == TablePhase::open && state.minute() == minute) {
      return number;
    }
  }
  for (std::uint32_t number = 0; number < kTables; ++number) {
    const MinuteTable candidate = table(number);
    const TableState state = candidate.state();
    if (state.phase() == TablePhase::free &&
        candidate.change(state, TableState(TablePhase::open, state.generation() + 1, minute))) {
      stop_point("table.opened");
      return number;
    }
  }
  return std::nullopt;
}

bool MinuteTables::any_finished(std::int64_t running_minute) const {
  for (std::uint32_t number = 0; number < kTables; ++number) {
    const TableState state = table(number).state();
    if (state.phase() == TablePhase::open && state.minute() != running_minute) {
      return true;
    }
  }
  return false;
}

std::uint64_t MinuteTables::take_batch_number() const { return header_->batches.fetch_add(1, relaxed) + 1; }

DrainRecord& MinuteTables::drains() const { return header_->drains; }

CounterStatistics& MinuteTables::statistics() const { return header_->statistics; }

}  // namespace presence
