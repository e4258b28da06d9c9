#include "stores/redis/bitmap_lookup.h"

#include <string_view>

namespace presence {
namespace {

constexpr unsigned kWidest = 63;  // Bits of an unsigned number in BITFIELD.
/// A word of BITFIELD_RO costs about as much as so many bytes of a GETRANGE, measured on loopback: it is parsed three
/// times over, and formatted.
constexpr std::uint64_t kBytesPerGroup = 256;

}  // namespace

BitmapLookup::BitmapLookup(std::span<const std::uint64_t> bits) : bits_(bits) {
  for (const std::uint64_t bit : bits) {
    if (groups_.empty() || bit - groups_.back().first >= kWidest) {
      groups_.push_back({bit, 1});
    } else {
      groups_.back().width = static_cast<unsigned>(bit - groups_.back().first) + 1;
    }
  }
  const std::uint64_t bytes = bits.back() / 8 - bits.front() / 8 + 1;
  as_range_ = groups_.size() > 1 && bytes <= kBytesPerGroup * groups_.size();
}

void BitmapLookup::add_to(RedisCommands& commands, const std::string& key) const {
  if (as_range_) {
    commands.add("GETRANGE", key, bits_.front() / 8, bits_.back() / 8);
    return;
  }
  commands.command("BITFIELD_RO", 1 + 3 * groups_.size()).arg(key);
  for (const Group& group : groups_) {
    commands.arg("GET").arg("u" + std::to_string(group.width)).arg(group.first);
  }
}

bool BitmapLookup::read(const redisReply& reply, std::span<bool> answers) const {
  if (as_range_) {
    const std::string_view bytes = text_of(reply);
    const std::uint64_t first_byte = bits_.front() / 8;
    for (std::size_t i = 0; i < bits_.size(); ++i) {
      const std::uint64_t at = bits_[i] / 8 - first_byte;
      // What lies beyond the end of the bitmap is not sent, and not set.
      answers[i] =
          answers[i] || (at < bytes.size() && (static_cast<unsigned char>(bytes[at]) >> (7 - bits_[i] % 8) & 1));
    }
    return reply.type == REDIS_REPLY_STRING;
  }
  const ReplyElements numbers(reply);
  if (numbers.size != groups_.size()) {
    return false;
  }
  std::size_t group = 0;
  for (std::size_t i = 0; i < bits_.size(); ++i) {
    while (bits_[i] >= groups_[group].first + groups_[group].width) {
      ++group;
    }
    const std::uint64_t from_right = groups_[group].first + groups_[group].width - 1 - bits_[i];
    answers[i] = answers[i] || (static_cast<std::uint64_t>(numbers[group].integer) >> from_right & 1);
  }
  return true;
}

}  // namespace presence
