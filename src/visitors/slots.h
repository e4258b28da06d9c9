// The slots of the visitor table: reading them while others write, claiming them, and giving them back.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "segment/lane.h"
#include "visitors/slot_word.h"
#include "visitors/table_layout.h"
#include "visitors/visitor_key.h"

namespace presence {

/// Whether a living process holds the lane.
using LaneAlive = std::function<bool(LaneIndex)>;

/// A slot and the word under which its visitor was found.
struct SlotMatch {
  std::uint32_t slot;
  SlotWord word;
};

/// Which time wins when a visitor is there already.
enum class TimeRule {
  set,     ///< The new one.
  latest,  ///< The later one that is not ahead of now.
};

/// Room for an id copied out of the table.
using IdBuffer = std::array<char, 320>;

/// All slots, as one lane writes them. Whatever other processes do or did, no call waits for them, and every loop is
/// bounded. Numbers read from shared memory are checked before they are used as an index.
class Slots {
 public:
  Slots(const TableView& view, LaneIndex lane, LaneAlive alive) : view_(view), lane_(lane), alive_(std::move(alive)) {}

  [[nodiscard]] const TableView& view() const { return view_; }

  /// Calls visit(SlotMatch) for each slot that holds the key's visitor. There is one at most, but for moments after two
  /// processes recorded a new visitor at once, or when one was killed in such a moment.
  template <class Visit>
  void for_each_match(const VisitorKey& key, Visit visit) const;

  /// Sets the time of a slot that still is in the use `match` was found in. False if it is not.
  [[nodiscard]] bool touch(const SlotMatch& match, std::uint32_t time, std::uint32_t now, TimeRule rule) const;

  /// Empties the slot if its word still is exactly that, and frees its extensions.
  [[nodiscard]] bool remove(const SlotMatch& match) const;

  /// Puts a visitor last seen at `time` into a free slot, or into that of one who is pushed out (who is expired at
  /// `now` decides). False if there is none to be had.
  [[nodiscard]] bool insert(const VisitorKey& key, std::uint32_t time, std::uint32_t now) const;

  /// Copies the id of a valid slot. Empty if the slot was used anew meanwhile, or is damaged. The view points into the
  /// buffer.
  [[nodiscard]] std::string_view read_id(const SlotMatch& match, IdBuffer& buffer) const;

  /// Whether an extension belongs to nobody any more.
  [[nodiscard]] bool orphaned(std::uint32_t slot, SlotWord extension) const;

  [[nodiscard]] SlotWord word(std::uint32_t slot) const {
    // Sequentially consistent, as every store and swap of words is: of two processes that each publish a slot and then
    // look for the other's, one at least sees it. On x86 such a load costs no more than any other.
    return SlotWord(view_.words[slot].load(std::memory_order_seq_cst));
  }

 private:
  /// What a look at the candidates came up with.
  struct Choice {
    std::uint32_t slot;
    SlotWord word;
    std::atomic<std::uint64_t>* counter;  ///< Which eviction it is; null if nobody is pushed out.
  };
  using Extensions = std::array<std::uint32_t, IdLayout::kMaxExtensions>;

  [[nodiscard]] bool swap(std::uint32_t slot, SlotWord expected, SlotWord desired) const;
  [[nodiscard]] bool holds(const VisitorKey& key, const SlotMatch& match) const;
  [[nodiscard]] std::optional<Choice> choose(const Candidates& candidates, std::uint32_t now) const;
  [[nodiscard]] std::optional<SlotMatch> claim(const Candidates& candidates, std::uint32_t now,
                                               std::size_t entry) const;
  [[nodiscard]] std::size_t extensions_of(std::uint32_t slot, Extensions& extensions) const;
  void free_extensions(const SlotMatch& owner, const Extensions& extensions, std::size_t count) const;
  void write_cell(std::uint32_t slot, const std::uint64_t* words) const;
  void write_long_id(const VisitorKey& key, const SlotMatch& owner, std::span<const SlotMatch> extensions) const;
  void set_tag(std::uint32_t slot, std::uint16_t tag) const;
  void recover_journal() const;
  void clear_journal() const;
  [[nodiscard]] bool dead(LaneIndex lane) const { return lane >= TableGeometry::kLanes || !alive_(lane); }

  TableView view_;
  LaneIndex lane_;
  LaneAlive alive_;
};

template <class Visit>
void Slots::for_each_match(const VisitorKey& key, Visit visit) const {
  constexpr std::uint64_t kEach = 0x0001000100010001;
  constexpr std::uint32_t kTagsPerWord = 4;
  const std::uint64_t pattern = kEach * key.candidates().tag;
  for (const std::uint32_t first : key.candidates().first_slot) {
    for (std::uint32_t slot = first; slot < first + TableGeometry::kBucketSlots; slot += kTagsPerWord) {
      const std::uint64_t difference = view_.tags[slot / kTagsPerWord].load(std::memory_order_seq_cst) ^ pattern;
      // The high bit of each 16-bit field that is zero; a borrow may mark a field too many, never one too few.
      std::uint64_t hits = (difference - kEach) & ~difference & kEach << 15;
      for (; hits != 0; hits &= hits - 1) {
        SlotMatch match{slot + static_cast<std::uint32_t>(std::countr_zero(hits)) / 16, {}};
        match.word = word(match.slot);
        if (match.word.valid_in(key.space()) && holds(key, match)) {
          visit(match);
        }
      }
    }
  }
}

}  // namespace presence
