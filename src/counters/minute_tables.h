// The tables in shared memory in which minutes add up.
//
// Each table holds the series of one minute and is append-only while it is open: an entry, once claimed, stays where it
// is until the whole table is reset. So adding needs no lock, and a kill can leave nothing half-changed that others
// would trip over: an entry is written in full before the index points to it, and what is not pointed to is wasted
// space until the reset. More than one open table for the same minute is fine (two processes opened one each), since
// whatever reads or stores rows adds them up.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>

#include "base/clock.h"
#include "base/counter_row.h"
#include "counters/sums_cell.h"
#include "segment/lane.h"
#include "segment/segment.h"

namespace presence {

/// Number of the sink that a series goes to: its place in the target table.
using TargetIndex = std::uint32_t;

/// A series: what is counted, and where it is to be stored.
struct SeriesKey {
  TargetIndex target = 0;
  std::string_view name;                     ///< 1 to 64 bytes.
  std::optional<std::string_view> argument;  ///< At most 250 bytes.

  bool operator==(const SeriesKey&) const = default;
  [[nodiscard]] std::uint64_t hash(std::uint64_t seed) const;
};

/// What a table is being used for. Stored in shared memory: never change a value.
enum class TablePhase : std::uint32_t {
  free = 0,     ///< Empty; anybody may open it for a minute.
  open = 1,     ///< Being added to.
  closing = 2,  ///< No lane may enter any more; some may still be inside.
  sealed = 3,   ///< Nobody writes to it; has a batch number.
  stored = 4,   ///< Its rows are safe elsewhere; to be reset.
};

/// Phase, minute and generation of a table in one word, so that one atomic store or compare-exchange moves it on.
class TableState {
 public:
  constexpr TableState() = default;
  constexpr explicit TableState(std::uint64_t word) : word_(word) {}
  constexpr TableState(TablePhase phase, std::uint32_t generation, std::int64_t minute)
      : word_(static_cast<std::uint64_t>(phase) << 61 | static_cast<std::uint64_t>(generation & kGenerationMask) << 32 |
              static_cast<std::uint32_t>(minute)) {}

  [[nodiscard]] constexpr std::uint64_t word() const { return word_; }
  [[nodiscard]] constexpr TablePhase phase() const { return static_cast<TablePhase>(word_ >> 61); }
  /// Counts up each time the table is opened.
  [[nodiscard]] constexpr std::uint32_t generation() const {
    return static_cast<std::uint32_t>(word_ >> 32) & kGenerationMask;
  }
  /// Minutes since 1970.
  [[nodiscard]] constexpr std::int64_t minute() const { return static_cast<std::int32_t>(word_ & 0xFFFFFFFF); }
  [[nodiscard]] constexpr TableState with(TablePhase phase) const { return {phase, generation(), minute()}; }

  constexpr bool operator==(const TableState&) const = default;

 private:
  static constexpr std::uint32_t kGenerationMask = (1U << 29) - 1;
  std::uint64_t word_ = 0;
};

/// A series in a table. One cache line.
struct alignas(64) SeriesEntry {
  std::uint64_t hash;
  std::uint32_t key_offset;  ///< Of name and argument, one after the other, in the table's key bytes.
  TargetIndex target;
  std::uint16_t name_size;
  std::uint16_t argument_size;              ///< kNoArgument if there is none.
  std::atomic<std::uint32_t> first_stripe;  ///< Number plus one of the newest stripe; 0 if there is none.
  SumsCell shared;

  static constexpr std::uint16_t kNoArgument = 0xFFFF;
};

/// One lane's own part of a hot series, so that processes adding to it do not fight over a cache line.
struct alignas(64) Stripe {
  SumsCell cell;
  std::uint32_t next;  ///< Like SeriesEntry::first_stripe.
  LaneIndex lane;
};

static_assert(sizeof(SeriesEntry) == 64 && sizeof(Stripe) == 64);

/// What happened in all tables since the segment was created, for status(). Relaxed: each stands for itself.
struct CounterStatistics {
  std::atomic<std::uint64_t> direct_adds;          ///< Went straight to the sink.
  std::atomic<std::uint64_t> refused_adds;         ///< Were lost: neither the database nor the disk took them.
  std::atomic<std::uint64_t> shortened_arguments;  ///< Were over 250 bytes.
  std::atomic<std::uint64_t> scrubbed_arguments;   ///< Were not UTF-8.
  std::atomic<std::uint64_t> damaged_series;       ///< Failed their checks when a minute was read.
};

/// What drains leave behind for others to see. Written only by the holder of the flush lock.
struct DrainRecord {
  /// Odd while a drain runs (or was killed). A reader that saw the same even number before and after found each row in
  /// one place only; during a drain a row may be in memory and in the database.
  std::atomic<std::uint64_t> sequence;
  std::atomic<std::int64_t> last_run;  ///< Unix time; 0: never.
  std::atomic<std::int64_t> next_run;  ///< When what is waiting may be tried again.
  std::atomic<std::uint32_t> waiting;  ///< Batches, sealed or spooled, that any process can send, but could not yet.
  /// Batches that only the application's own connection can send (Counters::$db): no reason for anybody else to run.
  std::atomic<std::uint32_t> unreachable;
};

/// A view on one table. Cheap to copy. Reads every number of the shared memory as if it could be wrong.
class MinuteTable {
 public:
  struct Header;

  /// Acquire: whoever sees a phase sees what was done before the table came to it.
  [[nodiscard]] TableState state() const { return TableState(state_->load(std::memory_order_acquire)); }

  /// Moves the state on; false if it was no longer `from`.
  bool change(TableState from, TableState to) const;

  /// The series' entry, if the table has it.
  [[nodiscard]] SeriesEntry* find(const SeriesKey& key, std::uint64_t hash) const;

  /// The series' entry, claimed if it is new. Null if the table is full. Only inside a lane that entered this table.
  [[nodiscard]] SeriesEntry* find_or_claim(const SeriesKey& key, std::uint64_t hash) const;

  /// Whether an entry is this series, to the byte.
  [[nodiscard]] bool holds(const SeriesEntry& entry, const SeriesKey& key, std::uint64_t hash) const;

  /// Where the bytes of an entry's key are. Only for an entry that find() or find_or_claim() has just given, which have
  /// checked that it is whole.
  [[nodiscard]] const char* key_bytes(const SeriesEntry& entry) const { return keys_.data() + entry.key_offset; }

  /// The entry whose shared cell that is.
  [[nodiscard]] static SeriesEntry& entry_of(SumsCell& shared) {
    return *reinterpret_cast<SeriesEntry*>(reinterpret_cast<std::byte*>(&shared) - offsetof(SeriesEntry, shared));
  }

  /// The lane's stripe of an entry, made if it has none. Null if there is no room for more stripes. Only inside a lane
  /// that entered this table.
  [[nodiscard]] Stripe* stripe_for(SeriesEntry& entry, LaneIndex lane) const;

  /// Calls `visit` for each series with its sums so far (count 0 left out). Exact once sealed; before that an add under
  /// way may be there in part. Returns how many entries failed their checks and were left out.
  std::uint32_t for_each(std::uint64_t seed, const std::function<void(const SeriesKey&, const Sums&)>& visit) const;

  /// The number that the table's rows are sent under; given when it is sealed.
  [[nodiscard]] std::uint64_t batch_number() const;
  void set_batch_number(std::uint64_t number) const;

  /// Whether its rows have been sent while they could not be spooled. Stays so until the table is used anew.
  [[nodiscard]] bool sent_from_memory() const;
  void note_sent_from_memory() const;

  /// Series in use.
  [[nodiscard]] std::uint32_t series() const;

  /// Empties a table in phase `stored`, and frees it. May be repeated after a kill. Only under the flush lock.
  void reset() const;

 private:
  friend class MinuteTables;
  MinuteTable(Header* header, std::span<std::atomic<std::uint64_t>> index, std::span<SeriesEntry> entries,
              std::span<Stripe> stripes, std::span<char> keys);

  [[nodiscard]] std::optional<SeriesKey> key_of(const SeriesEntry& entry) const;
  [[nodiscard]] SeriesEntry* new_entry(const SeriesKey& key, std::uint64_t hash) const;

  Header* header_;
  const std::atomic<std::uint64_t>* state_;  ///< In the header.
  std::span<std::atomic<std::uint64_t>>
      index_;  ///< Open addressing: upper half of the hash, number of the entry plus one.
  std::span<SeriesEntry> entries_;
  std::span<Stripe> stripes_;
  std::span<char> keys_;
};

/// All tables of a segment.
class MinuteTables {
 public:
  /// How many minutes can be in memory at once: the running one, those that wait for a sealer, and some for clocks that
  /// jump and for processes that are stopped inside a table.
  static constexpr std::uint32_t kTables = 8;

  /// The section for at most `max_series` series a minute (16 to 16 million).
  static SectionSpec section(std::uint32_t max_series);

  explicit MinuteTables(const Segment& segment);

  /// False if the section's own numbers do not add up; then nothing else may be called.
  [[nodiscard]] bool valid() const { return header_ != nullptr; }

  [[nodiscard]] MinuteTable table(std::uint32_t number) const;

  /// A table that is open for the minute; opens a free one if there is none. None if all are in use, or the clock is
  /// thousands of years off.
  [[nodiscard]] std::optional<std::uint32_t> open_for(std::int64_t minute) const;

  /// Whether a table is open for another minute than the running one: a drain has work. Reads kTables words.
  [[nodiscard]] bool any_finished(std::int64_t running_minute) const;

  /// The next batch number, and takes it. Only by the holder of the flush lock.
  [[nodiscard]] std::uint64_t take_batch_number() const;

  /// How the drains of this segment went; see DrainRecord.
  [[nodiscard]] DrainRecord& drains() const;

  [[nodiscard]] std::uint32_t max_series() const { return max_series_; }
  [[nodiscard]] CounterStatistics& statistics() const;
  [[nodiscard]] std::uint64_t seed() const { return seed_; }

 private:
  struct Header;
  struct Geometry;

  Header* header_ = nullptr;
  std::byte* tables_ = nullptr;
  std::uint32_t max_series_ = 0;
  std::uint64_t seed_ = 0;
};

}  // namespace presence
