// Which part of a Redis cluster a key belongs to.
#pragma once

#include <string_view>

namespace presence {

inline constexpr unsigned kRedisSlots = 16384;

/// The key's hash slot: CRC16 (polynomial 0x1021, start 0, as in XMODEM) of what stands between its first '{' and the
/// next '}', or of the whole key where there is no such part or it is empty; modulo 16384. Source:
/// https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/
unsigned redis_slot(std::string_view key);

}  // namespace presence
