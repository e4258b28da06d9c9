#include "counters/row_hash.h"

#include <gtest/gtest.h>

#include "base/sha256.h"

namespace presence {
namespace {

std::string hash(std::string_view name, std::optional<std::string_view> argument, UnixTime slot) {
  return std::string(view(row_hash(name, argument, slot)));
}

TEST(RowHash, IsTheStartOfTheSha256OfTheRecipe) {
  EXPECT_EQ(hash("visits", std::nullopt, 1700000040), sha256_hex("visits:1700000040", 32));
  EXPECT_EQ(hash("payment.time", "stripe", 1700000040), sha256_hex("payment.time:1700000040:stripe", 32));
  EXPECT_EQ(hash("a", "x:y:z", 60), sha256_hex("a:60:x:y:z", 32));
  EXPECT_EQ(hash("a", "", 60), sha256_hex("a:60:", 32));
}

TEST(RowHash, TellsNoArgumentFromAnEmptyOne) { EXPECT_NE(hash("a", std::nullopt, 60), hash("a", "", 60)); }

TEST(RowHash, IsUnambiguousForNamesWithAColon) {
  EXPECT_NE(hash("a:60", "b", 60), hash("a", "60:b", 60));
  EXPECT_NE(hash("a:60", std::nullopt, 60), hash("a", "60", 60));
  EXPECT_EQ(hash("a:60", "b", 60), sha256_hex(":4:a:60:60:b", 32));
}

}  // namespace
}  // namespace presence
