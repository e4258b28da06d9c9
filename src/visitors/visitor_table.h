// Who was seen when, on this machine: the table in shared memory that answers it without asking anybody.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "segment/lane.h"
#include "segment/segment.h"
#include "visitors/slots.h"
#include "visitors/space_registry.h"
#include "visitors/table_layout.h"

namespace presence {

/// What became of a visitor that was to be recorded.
enum class Recorded {
  yes,
  no_room,   ///< Every place for it is being written to just now, or was each time; counted as refused.
  no_space,  ///< The space belongs to another key by now: open it again.
};

/// Numbers for status(). A scan counted them while others wrote, so they are near, not exact.
struct VisitorTableUsage {
  std::uint64_t visitors = 0;    ///< Held, whether or not still within their retention.
  std::uint64_t extensions = 0;  ///< Slots that hold the rest of long ids.
  std::uint32_t max_visitors = 0;
  std::uint32_t spaces = 0;
  std::uint32_t max_spaces = 0;
  std::uint64_t evicted_expired = 0;  ///< Since the table was made: visitors beyond their retention, for new ones.
  std::uint64_t evicted_live = 0;     ///< The same for visitors within it: the table is too small.
  std::uint64_t evicted_spaces = 0;   ///< Spaces in use, for new ones.
  std::uint64_t refused = 0;          ///< Visitors for whom there was no room.
};

/// The visitor table, as one lane sees it. No call waits for another process, whatever that one is doing or was killed
/// doing; each is bounded. A visitor that record() has returned `yes` for is there until it is forgotten or pushed out.
/// Damaged contents give wrong answers at worst, and only about what was damaged.
///
/// Ids are 1 to 250 bytes. Times are Unix seconds, kept from 1970 to 2106. Whoever was recorded more than kMaxSkew
/// seconds ahead of now, as after the clock was set back, is the first to make room for others. Belongs to one thread
/// of one process; after a fork the child makes its own.
class VisitorTable {
 public:
  static constexpr UnixTime kEndOfTime = 0xFFFFFFFF;

  /// The table's section for that many visitors at a time (taken into 64 to 67,108,864): at most 96 bytes for each from
  /// 100,000 visitors on. An id of 57 to 250 bytes takes the place of 2 to 5 visitors.
  static SectionSpec section(std::uint32_t max_visitors);

  /// The table in the bytes of its section, which must outlive it and be aligned to 64. `seed`: of the hash functions,
  /// the same for all. `lane`: the caller's own; below 2048. Error: damaged.
  static Result<VisitorTable> attach(std::span<std::byte> bytes, std::uint64_t seed, LaneIndex lane, LaneAlive alive);

  [[nodiscard]] SpaceKey space_key(std::string_view name) const { return spaces_.key_of(name); }
  [[nodiscard]] std::optional<Space> find_space(const SpaceKey& key) const { return spaces_.find(key); }
  /// See SpaceRegistry::open(). Taking over the space of another key costs a scan of the table.
  [[nodiscard]] std::optional<Space> open_space(const SpaceKey& key, std::uint32_t retention, UnixTime now) const;
  [[nodiscard]] bool holds(Space space) const { return spaces_.holds(space); }

  /// The visitor was here at `now`, also if that is before the time stored. Without room it takes the place of the one
  /// longest beyond its retention, or else of the one not seen for longest, out of the 32 it may have.
  [[nodiscard]] Recorded record(Space space, std::string_view id, UnixTime now) const;

  /// The visitor was seen at `seen`, says another table. The later of both times that is not ahead stays.
  [[nodiscard]] Recorded adopt(Space space, std::string_view id, UnixTime seen, UnixTime now) const;

  /// Where the visitor is; none if it is not there.
  [[nodiscard]] std::optional<SlotMatch> find(Space space, std::string_view id) const;

  /// Calls visit(SlotMatch) for each visitor seen from `since` to `until`, inclusive. Looks at all slots.
  template <class Visit>
  void scan(Space space, UnixTime since, UnixTime until, Visit visit) const {
    for (std::uint32_t slot = 0; slot < view_.geometry.slots; ++slot) {
      const SlotWord word = slots_.word(slot);
      const auto time = static_cast<UnixTime>(word.time());
      if (word.valid_in(space.number) && time >= since && time <= until) {
        visit(SlotMatch{slot, word});
      }
    }
  }

  /// The id of a visitor that a scan came upon. Empty if its slot was used anew meanwhile. Points into the buffer.
  [[nodiscard]] std::string_view id_of(const SlotMatch& match, IdBuffer& buffer) const {
    return slots_.read_id(match, buffer);
  }

  /// Slots are numbered from 0 to below this.
  [[nodiscard]] std::uint32_t slots() const { return view_.geometry.slots; }

  /// When the visitor was last seen; none if it is not there.
  [[nodiscard]] std::optional<UnixTime> last_seen(Space space, std::string_view id) const;

  /// How many were seen from `since` to `until`, inclusive. Scans all slots: about half a nanosecond each.
  [[nodiscard]] std::int64_t count(Space space, UnixTime since, UnixTime until = kEndOfTime) const;

  /// The ids of those whom count() counts.
  [[nodiscard]] std::vector<std::string> ids(Space space, UnixTime since, UnixTime until = kEndOfTime) const;

  /// Takes the visitor out.
  void forget(Space space, std::string_view id) const;

  /// `from`, if seen at `since` or later, is now called `to`; the later of both times that is not ahead stays. `to` is
  /// stored before `from` is taken out, so a kill in between loses neither. Does nothing if `from` is not there.
  [[nodiscard]] Recorded replace(Space space, std::string_view from, std::string_view to, UnixTime since,
                                 UnixTime now) const;

  /// Takes out those last seen before `before` or after `after`. Scans all slots, once for each.
  void purge(Space space, UnixTime before, UnixTime after = kEndOfTime) const;

  /// Scans all slots.
  [[nodiscard]] VisitorTableUsage usage() const;

 private:
  VisitorTable(const TableView& view, std::uint64_t seed, LaneIndex lane, const LaneAlive& alive)
      : view_(view), seed_(seed), slots_(view, lane, alive), spaces_(view, seed, lane, alive) {}

  [[nodiscard]] VisitorKey key(Space space, std::string_view id) const {
    return {space.number, id, seed_, view_.geometry.buckets};
  }
  [[nodiscard]] Recorded store(Space space, const VisitorKey& key, std::uint32_t time, std::uint32_t now,
                               TimeRule rule) const;
  [[nodiscard]] bool upsert(const VisitorKey& key, std::uint32_t time, std::uint32_t now, TimeRule rule) const;
  void drop_duplicates(const VisitorKey& key, const SlotMatch& winner, std::uint32_t now) const;
  void remove_seen(Space space, std::uint32_t first, std::uint32_t last) const;
  [[nodiscard]] std::optional<std::uint32_t> latest(const VisitorKey& key) const;
  void forget(const VisitorKey& key) const;
  void clear_space(std::uint16_t number) const;

  TableView view_;
  std::uint64_t seed_;
  Slots slots_;
  SpaceRegistry spaces_;
};

}  // namespace presence
