// Many bits of one bitmap of Redis, read by few words of one command.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "stores/redis/redis_commands.h"
#include "stores/redis/redis_replies.h"

namespace presence {

/// Which of some bits of a bitmap are set: one BITFIELD_RO, in which bits that lie within 63 of each other are read as
/// one number, or one GETRANGE where the bits lie so close together that their bytes are fewer than such words.
class BitmapLookup {
 public:
  /// `bits`: sorted; may hold one twice; not empty. Must outlive the lookup.
  explicit BitmapLookup(std::span<const std::uint64_t> bits);

  /// The command for the bitmap under a key; one answer comes.
  void add_to(RedisCommands& commands, const std::string& key) const;

  /// Sets answers[i] where bits[i] is set; leaves the others. False if the answer has another form than it should.
  [[nodiscard]] bool read(const redisReply& reply, std::span<bool> answers) const;

 private:
  /// Bits first to first + width - 1, as one number of BITFIELD.
  struct Group {
    std::uint64_t first;
    unsigned width;
  };

  std::span<const std::uint64_t> bits_;
  std::vector<Group> groups_;
  bool as_range_;
};

}  // namespace presence
