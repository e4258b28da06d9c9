#include "stores/redis/redis_slot.h"

namespace presence {

unsigned redis_slot(std::string_view key) {
  if (const std::size_t open = key.find('{'); open != key.npos) {
    if (const std::size_t close = key.find('}', open + 1); close != key.npos && close > open + 1) {
      key = key.substr(open + 1, close - open - 1);
    }
  }
  unsigned crc = 0;
  for (const char c : key) {
    crc ^= static_cast<unsigned>(static_cast<unsigned char>(c)) << 8;
    for (int bit = 0; bit < 8; ++bit) {
      crc = (crc & 0x8000U) != 0 ? (crc << 1) ^ 0x1021U : crc << 1;
    }
    crc &= 0xFFFFU;
  }
  return crc % kRedisSlots;
}

}  // namespace presence
