#include "visitors/slots.h"

#include <algorithm>
#include <cstring>

namespace presence {
namespace {

/// How often an operation that lost a race tries again. Each loss means that another process got on.
constexpr int kAttempts = 64;

}  // namespace

bool Slots::swap(std::uint32_t slot, SlotWord expected, SlotWord desired) const {
  std::uint64_t bits = expected.bits();
  // Sequentially consistent: see word().
  return view_.words[slot].compare_exchange_strong(bits, desired.bits(), std::memory_order_seq_cst);
}

bool Slots::holds(const VisitorKey& key, const SlotMatch& match) const {
  const Cell& cell = view_.cells[match.slot];
  // Acquire: what was read of the cell is not newer than the word read after it says (the cell is stored with release,
  // after its slot's word was changed).
  if ((cell.words[0].load(std::memory_order_acquire) & 0xFF) != key.id().size()) {
    return false;
  }
  if (key.is_long()) [[unlikely]] {
    IdBuffer buffer;
    return read_id(match, buffer) == key.id();
  }
  const std::size_t used = key.used_words();
  for (std::size_t i = 1; i < used; ++i) {
    if (cell.words[i].load(std::memory_order_acquire) != key.word(i)) {
      return false;
    }
  }
  return word(match.slot).same_use(match.word);
}

std::string_view Slots::read_id(const SlotMatch& match, IdBuffer& buffer) const {
  const auto copy_cell = [this](std::uint32_t slot, std::array<std::uint64_t, 8>& words) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      words[i] = view_.cells[slot].words[i].load(std::memory_order_acquire);  // acquire: see holds()
    }
  };
  std::array<std::uint64_t, 8> words;
  copy_cell(match.slot, words);
  const std::size_t length = words[0] & 0xFF;
  if (length == 0 || length > IdLayout::kMaxId) {
    return {};
  }
  const std::size_t count = IdLayout::extensions(length);
  std::size_t filled = IdLayout::inline_bytes(count);
  std::memcpy(buffer.data(), &words[1], IdLayout::kInline);
  Extensions extensions;
  std::memcpy(extensions.data(), buffer.data() + filled, 4 * count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t slot = extensions[i];
    if (slot >= view_.geometry.slots) {
      return {};
    }
    const SlotWord extension = word(slot);
    if (extension.state() != SlotState::extension || extension.owner_slot() != match.slot ||
        extension.owner_version() != match.word.version()) {
      return {};
    }
    copy_cell(slot, words);
    std::memcpy(buffer.data() + filled, words.data(), sizeof words);
    filled += sizeof words;
    if (word(slot) != extension) {
      return {};
    }
  }
  return word(match.slot).same_use(match.word) ? std::string_view(buffer.data(), length) : std::string_view();
}

bool Slots::touch(const SlotMatch& match, std::uint32_t time, std::uint32_t now, TimeRule rule) const {
  SlotWord seen = match.word;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const bool keep =
        rule == TimeRule::latest ? seen.time() >= time && !is_ahead(now, seen.time()) : seen.time() == time;
    if (keep || swap(match.slot, seen, seen.with_time(time))) {
      return true;
    }
    seen = word(match.slot);
    if (!seen.same_use(match.word)) {
      return false;
    }
  }
  return true;  // others have touched it that often meanwhile: it is as good as touched
}

std::size_t Slots::extensions_of(std::uint32_t slot, Extensions& extensions) const {
  const Cell& cell = view_.cells[slot];
  const std::size_t length = cell.words[0].load(std::memory_order_acquire) & 0xFF;
  if (length <= IdLayout::kInline || length > IdLayout::kMaxId) {
    return 0;
  }
  const std::size_t count = IdLayout::extensions(length);
  // The numbers end the cell, two a word.
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = 16 - count + i;
    const std::uint64_t pair = cell.words[at / 2].load(std::memory_order_acquire);
    extensions[i] = static_cast<std::uint32_t>(at % 2 == 0 ? pair : pair >> 32);
  }
  return count;
}

void Slots::free_extensions(const SlotMatch& owner, const Extensions& extensions, std::size_t count) const {
  for (std::size_t i = 0; i < count; ++i) {
    if (extensions[i] >= view_.geometry.slots) {
      continue;
    }
    const SlotWord extension = word(extensions[i]);
    if (extension.state() == SlotState::extension && extension.owner_slot() == owner.slot &&
        extension.owner_version() == owner.word.version()) {
      (void)swap(extensions[i], extension, extension.emptied());
    }
  }
}

bool Slots::orphaned(std::uint32_t slot, SlotWord extension) const {
  const std::uint32_t owner_slot = extension.owner_slot();
  if (owner_slot >= view_.geometry.slots) {
    return true;
  }
  const SlotWord owner = word(owner_slot);
  if (owner.version() != extension.owner_version()) {
    return true;
  }
  if (owner.state() == SlotState::writing) {
    // Asked again after the lane was found dead: its process may have published the owner just before it ended.
    return owner.lane() != lane_ && dead(owner.lane()) && word(owner_slot) == owner;
  }
  if (owner.state() != SlotState::valid) {
    return true;
  }
  Extensions extensions;
  const std::size_t count = extensions_of(owner_slot, extensions);
  const auto end = extensions.begin() + static_cast<std::ptrdiff_t>(count);
  // The owner is asked again for the case that the cell just read was already another's.
  return std::find(extensions.begin(), end, slot) == end && word(owner_slot).same_use(owner);
}

bool Slots::remove(const SlotMatch& match) const {
  Extensions extensions;
  // Read before the slot is given up: afterwards the cell may be another's. The swap succeeds only if it was not yet.
  const std::size_t count = extensions_of(match.slot, extensions);
  if (!swap(match.slot, match.word, match.word.emptied())) {
    return false;
  }
  free_extensions(match, extensions, count);
  return true;
}

std::optional<Slots::Choice> Slots::choose(const Candidates& candidates, std::uint32_t now) const {
  struct Best {
    std::uint32_t slot = 0;
    SlotWord word;
    std::uint64_t rank = 0;  // 0: none; beyond 2^32: nothing in it; otherwise seconds overdue
  };
  constexpr std::uint64_t kFree = 1ULL << 33;
  constexpr std::uint64_t kOrphan = 1ULL << 32;
  std::array<Best, 2> reusable;
  std::array<int, 2> living{};
  Best oldest;
  for (std::uint32_t i = 0; i < Candidates::kSlots; ++i) {
    const std::uint32_t slot = candidates.slot(i);
    const std::uint32_t bucket = i / TableGeometry::kBucketSlots;
    const SlotWord seen = word(slot);
    std::uint64_t rank = 0;
    SlotWord visitor = seen;
    if (seen.state() == SlotState::empty) {
      rank = kFree;
    } else if (seen.state() == SlotState::extension) {
      if (orphaned(slot, seen)) {
        rank = kOrphan;
      } else {
        visitor = word(seen.owner_slot());
      }
    }
    if (rank == 0 && visitor.state() == SlotState::valid) {
      const std::uint32_t age = age_at(now, visitor.time());
      const std::uint32_t retention = visitor.space() < view_.geometry.spaces
                                          ? view_.spaces[visitor.space()].retention.load(std::memory_order_relaxed)
                                          : 0;
      rank = age > retention ? age - retention : 0;
      if (age >= oldest.rank) {
        oldest = {slot, seen, std::uint64_t{age} + 1};
      }
    }
    if (rank == 0) {
      ++living[bucket];
    } else if (rank > reusable[bucket].rank) {
      reusable[bucket] = {slot, seen, rank};
    }
  }
  // The bucket with fewer living ones, so that both fill alike; in it the emptiest slot.
  const std::size_t first = living[1] < living[0] ? 1 : 0;
  for (const std::size_t bucket : {first, 1 - first}) {
    const Best& best = reusable[bucket];
    if (best.rank != 0) {
      return Choice{best.slot, best.word, best.rank < kOrphan ? &view_.header->evicted_expired : nullptr};
    }
  }
  // Before a living visitor goes: what killed processes left behind. Asked last, as each answer is a system call.
  for (std::uint32_t i = 0; i < Candidates::kSlots; ++i) {
    const SlotWord seen = word(candidates.slot(i));
    if (seen.state() == SlotState::writing && seen.lane() != lane_ && dead(seen.lane())) {
      return Choice{candidates.slot(i), seen, nullptr};
    }
  }
  if (oldest.rank == 0) {
    return std::nullopt;
  }
  return Choice{oldest.slot, oldest.word, &view_.header->evicted_live};
}

std::optional<SlotMatch> Slots::claim(const Candidates& candidates, std::uint32_t now, std::size_t entry) const {
  std::atomic<std::uint32_t>& journal = view_.journals[lane_].slots[entry];
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const std::optional<Choice> choice = choose(candidates, now);
    if (!choice) {
      return std::nullopt;
    }
    if (choice->word.state() == SlotState::extension && choice->counter != nullptr) {
      // A living extension goes with its owner; the next look finds it free.
      const SlotMatch owner{choice->word.owner_slot(), word(choice->word.owner_slot())};
      if (owner.word.state() == SlotState::valid && owner.word.version() == choice->word.owner_version() &&
          remove(owner)) {
        choice->counter->fetch_add(1, std::memory_order_relaxed);  // a number for people; orders nothing
      }
      continue;
    }
    Extensions extensions;
    const bool evicts = choice->word.state() == SlotState::valid;
    const std::size_t count = evicts ? extensions_of(choice->slot, extensions) : 0;
    // Before the swap, which orders it: a slot claimed by a killed process is always found in its lane's journal.
    journal.store(choice->slot + 1, std::memory_order_relaxed);
    const SlotWord claimed = choice->word.claimed_by(lane_);
    if (!swap(choice->slot, choice->word, claimed)) {
      continue;  // touched or taken meanwhile
    }
    if (evicts) {
      choice->counter->fetch_add(1, std::memory_order_relaxed);  // a number for people; orders nothing
      free_extensions({choice->slot, choice->word}, extensions, count);
    }
    return SlotMatch{choice->slot, claimed};
  }
  return std::nullopt;
}

void Slots::write_cell(std::uint32_t slot, const std::uint64_t* words) const {
  for (std::size_t i = 0; i < 8; ++i) {
    // Release: who reads this sees, when it looks at the word again, that the slot was claimed.
    view_.cells[slot].words[i].store(words[i], std::memory_order_release);
  }
}

void Slots::write_long_id(const VisitorKey& key, const SlotMatch& owner, std::span<const SlotMatch> extensions) const {
  std::array<std::uint64_t, 8> words{};
  words[0] = key.id().size();
  const std::size_t inlined = IdLayout::inline_bytes(extensions.size());
  char* bytes = reinterpret_cast<char*>(&words[1]);
  std::memcpy(bytes, key.id().data(), inlined);
  for (std::size_t i = 0; i < extensions.size(); ++i) {
    std::memcpy(bytes + inlined + 4 * i, &extensions[i].slot, 4);
  }
  write_cell(owner.slot, words.data());

  std::string_view rest = key.id().substr(inlined);
  for (const SlotMatch& extension : extensions) {
    words.fill(0);
    std::memcpy(words.data(), rest.data(), std::min(rest.size(), sizeof words));
    rest.remove_prefix(std::min(rest.size(), sizeof words));
    write_cell(extension.slot, words.data());
    // Sequentially consistent: see word(). A plain store, as nobody takes a slot from a living lane.
    view_.words[extension.slot].store(
        SlotWord(SlotState::extension, owner.word.version(), owner.slot, extension.word.version()).bits(),
        std::memory_order_seq_cst);
  }
}

void Slots::set_tag(std::uint32_t slot, std::uint16_t tag) const {
  std::atomic<std::uint64_t>& word = view_.tags[slot / 4];
  const unsigned shift = slot % 4 * 16;
  std::uint64_t seen = word.load(std::memory_order_relaxed);
  // Fails only when a neighbour's tag was set meanwhile, which each process does once an insert. Sequentially
  // consistent, as it is part of what for_each_match() of another process must not overlook.
  while (!word.compare_exchange_weak(seen, (seen & ~(0xFFFFULL << shift)) | std::uint64_t{tag} << shift,
                                     std::memory_order_seq_cst)) {
  }
}

void Slots::recover_journal() const {
  for (std::atomic<std::uint32_t>& entry : view_.journals[lane_].slots) {
    const std::uint32_t number = entry.load(std::memory_order_relaxed);  // only this lane writes it
    if (number == 0) {
      continue;
    }
    if (number <= view_.geometry.slots) {
      const SlotWord seen = word(number - 1);
      if (seen.state() == SlotState::writing && seen.lane() == lane_) {
        (void)swap(number - 1, seen, seen.emptied());
      }
    }
    entry.store(0, std::memory_order_relaxed);
  }
}

void Slots::clear_journal() const {
  for (std::atomic<std::uint32_t>& entry : view_.journals[lane_].slots) {
    if (entry.load(std::memory_order_relaxed) != 0) {
      entry.store(0, std::memory_order_release);  // after the slot was published; before that a kill needs the entry
    }
  }
}

bool Slots::insert(const VisitorKey& key, std::uint32_t time, std::uint32_t now) const {
  recover_journal();
  const std::optional<SlotMatch> owner = claim(key.candidates(), now, 0);
  if (!owner) {
    clear_journal();
    return false;
  }
  if (!key.is_long()) {
    std::array<std::uint64_t, 8> words;
    for (std::size_t i = 0; i < words.size(); ++i) {
      words[i] = key.word(i);
    }
    write_cell(owner->slot, words.data());
  } else {
    std::array<SlotMatch, IdLayout::kMaxExtensions> extensions;
    const std::size_t count = IdLayout::extensions(key.id().size());
    for (std::size_t i = 0; i < count; ++i) {
      const auto extension = claim(key.extension_candidates(i, view_.geometry.buckets), now, i + 1);
      if (!extension) {
        recover_journal();  // gives back what was claimed so far
        return false;
      }
      extensions[i] = *extension;
    }
    write_long_id(key, *owner, std::span(extensions).first(count));
  }
  set_tag(owner->slot, key.candidates().tag);
  // Sequentially consistent: see word(). A plain store, as nobody takes a slot from a living lane.
  view_.words[owner->slot].store(SlotWord(SlotState::valid, key.space(), time, owner->word.version()).bits(),
                                 std::memory_order_seq_cst);
  clear_journal();
  return true;
}

}  // namespace presence
