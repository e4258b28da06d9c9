#include "stores/redis/redis_slot.h"

#include <gtest/gtest.h>

namespace presence {
namespace {

TEST(RedisSlotTest, IsThatOfTheSpecification) {
  EXPECT_EQ(redis_slot("123456789"), 0x31C3U) << "the specification's check of its CRC16";
  EXPECT_EQ(redis_slot(""), 0U);
  EXPECT_EQ(redis_slot("{user1000}.following"), redis_slot("{user1000}.followers"));
  EXPECT_EQ(redis_slot("{user1000}.following"), redis_slot("user1000"));
  EXPECT_NE(redis_slot("foo{}{bar}"), redis_slot("bar")) << "an empty tag is none";
  EXPECT_EQ(redis_slot("foo{{bar}}zap"), redis_slot("{bar"));
  EXPECT_EQ(redis_slot("foo{bar}{zap}"), redis_slot("bar"));
  EXPECT_NE(redis_slot("foo{bar"), redis_slot("bar")) << "an open tag is none";
}

}  // namespace
}  // namespace presence
