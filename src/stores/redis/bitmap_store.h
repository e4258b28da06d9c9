// Visitors as bits, one bitmap for each block of time.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "stores/redis/bitmap_options.h"
#include "stores/redis/redis_store.h"

namespace presence {

/// The recipe "bitmap per block": SETBIT key:<block> id 1, and EXPIRE; online is who has a bit in the running block or
/// in the one before. Ids are integers. Answers for that one window only, and knows times by the block.
///
/// Chunked, a block is spread over bitmaps of 2^16 bits, key:<block>:<chunk>, whose numbers are in the set
/// key:<block>:chunks: an id costs at most 20 KB however large it is.
class BitmapStore final : public RedisStore {
 public:
  BitmapStore(std::shared_ptr<RedisServer> server, StoreOptions options, BitmapOptions bitmap)
      : RedisStore(std::move(server), std::move(options)), bitmap_(bitmap), prefix_(key_prefix()) {}

  Status record(std::string_view visitor, UnixTime now) override;
  Status record_all(std::span<const Seen> seen, UnixTime now) override;
  Result<std::int64_t> count(const Window& window) override;
  Result<std::vector<std::string>> ids(const Window& window) override;
  Status online(std::span<const std::string_view> visitors, const Window& window, std::span<bool> answers) override;
  Result<UnixTime> last_seen(std::string_view visitor, UnixTime now) override;
  Status forget(std::string_view visitor, UnixTime now) override;
  Status forget_all(std::span<const Seen> forgotten, UnixTime now) override;
  Status replace(std::string_view from, std::string_view to, UnixTime now) override;
  Status purge(UnixTime /*now*/) override { return {}; }
  Status changes(UnixTime since, UnixTime now, const Tell& each, const Tell& gone) override;
  [[nodiscard]] UnixTime time_unit() const override { return bitmap_.window_size; }
  [[nodiscard]] Status accepts(std::string_view visitor) const override {
    const Result<Place> found = place(visitor);
    return found ? Status() : found.error();
  }
  [[nodiscard]] Status answers(const Window& window) const override { return check(window); }
  [[nodiscard]] UnixTime since(const Window& window) const override {
    return (block_of(window.now) - 1) * bitmap_.window_size;
  }

 private:
  /// Where a visitor's bit is in the bitmap of a block.
  struct Place {
    std::uint64_t chunk;
    std::uint64_t bit;
    auto operator<=>(const Place&) const = default;
  };
  /// The bits of one chunk in the two blocks asked for, the newer first.
  struct Bits {
    std::uint64_t chunk;
    std::array<std::string_view, 2> blocks;
  };

  [[nodiscard]] std::int64_t block_of(UnixTime time) const;
  [[nodiscard]] std::string block_key(std::int64_t block) const { return prefix_ + ':' + std::to_string(block); }
  [[nodiscard]] std::string key(std::int64_t block, std::uint64_t chunk) const;
  [[nodiscard]] std::string index_key(std::int64_t block) const { return block_key(block) + ":chunks"; }
  [[nodiscard]] Result<Place> place(std::string_view visitor) const;
  [[nodiscard]] Status check(const Window& window) const;
  /// EXPIRE for all keys of a block that were just written.
  void add_expiry(RedisCommands& commands, const std::string& key) const;
  /// Asks for all that was recorded in the block of `now` and the one before.
  void ask_blocks(RedisCommands& commands, UnixTime now) const;
  /// Calls `each(Bits)` for what was answered.
  template <class Each>
  void tell_blocks(std::span<const RedisReply> replies, Each each) const;

  BitmapOptions bitmap_;
  std::string prefix_;
};

}  // namespace presence
