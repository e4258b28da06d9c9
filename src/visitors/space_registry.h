// Spaces: what keeps the visitors of several keys and rooms apart in one table.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>

#include "visitors/slots.h"
#include "visitors/table_layout.h"

namespace presence {

/// A key's name in the table: 128 bits of seeded hash, since names are long and spaces many.
struct SpaceKey {
  std::uint64_t low;
  std::uint64_t high;
};

/// A space in use. Another key may take its number over once it was idle for longer than its retention; the generation
/// tells.
struct Space {
  std::uint16_t number;
  std::uint16_t generation;
};

/// Finds and hands out spaces. Two processes that open the same new key at once get the same space.
class SpaceRegistry {
 public:
  /// Takes out every visitor of a space, so that its number can serve another key.
  using Clear = std::function<void(std::uint16_t number)>;

  SpaceRegistry(const TableView& view, std::uint64_t seed, LaneIndex lane, LaneAlive alive)
      : view_(view), seed_(seed), lane_(lane), alive_(std::move(alive)) {}

  [[nodiscard]] SpaceKey key_of(std::string_view name) const;

  /// The key's space if it has one. Changes nothing.
  [[nodiscard]] std::optional<Space> find(const SpaceKey& key) const;

  /// The key's space, made if it has none. `retention`: seconds after which its visitors may go, and an idle space too.
  /// A full registry gives away the space that was idle longest. None only if all that the key may have were used
  /// within the last second.
  [[nodiscard]] std::optional<Space> open(const SpaceKey& key, std::uint32_t retention, std::uint32_t now,
                                          const Clear& clear) const;

  /// Whether the space still belongs to the key it was found for.
  [[nodiscard]] bool holds(Space space) const;

  /// holds(), and keeps the space from being idle. Writes at most once a second.
  bool use(Space space, std::uint32_t now) const;

  /// How many spaces are in use.
  [[nodiscard]] std::uint32_t in_use() const;

 private:
  struct Found {
    std::uint32_t index;
    SlotWord word;
  };
  struct Victim {
    Found entry;
    bool live;  ///< Idle for no longer than its retention.
  };

  [[nodiscard]] Candidates candidates(const SpaceKey& key) const;
  [[nodiscard]] std::optional<Found> look(const SpaceKey& key, SlotState state) const;
  [[nodiscard]] bool is(const SpaceKey& key, std::uint32_t index, SlotWord word) const;
  [[nodiscard]] std::optional<Victim> choose(const Candidates& places, std::uint32_t now) const;
  [[nodiscard]] std::optional<Found> claim(const SpaceKey& key, std::uint32_t retention, std::uint32_t now,
                                           const Clear& clear) const;
  void settle(const SpaceKey& key, Found mine) const;
  [[nodiscard]] SlotWord word(std::uint32_t index) const {
    // Sequentially consistent: see Slots::word(), and settle().
    return SlotWord(view_.spaces[index].word.load(std::memory_order_seq_cst));
  }
  bool swap(std::uint32_t index, SlotWord expected, SlotWord desired) const;

  TableView view_;
  std::uint64_t seed_;
  LaneIndex lane_;
  LaneAlive alive_;
};

}  // namespace presence
