#include "counters/series_input.h"

#include <gtest/gtest.h>

#include <limits>

#include "base/sha256.h"
#include "base/utf8.h"

namespace presence {
namespace {

TEST(SeriesName, OneTo64BytesOfUtf8) {
  EXPECT_TRUE(check_series_name("a").ok());
  EXPECT_TRUE(check_series_name(std::string(64, 'a')).ok());
  EXPECT_TRUE(check_series_name("größe").ok());
  EXPECT_FALSE(check_series_name("").ok());
  EXPECT_FALSE(check_series_name(std::string(65, 'a')).ok());
  EXPECT_FALSE(check_series_name("\xff").ok());
}

TEST(SeriesValue, IsFinite) {
  EXPECT_TRUE(check_series_value(-1e308).ok());
  EXPECT_FALSE(check_series_value(std::numeric_limits<double>::infinity()).ok());
  EXPECT_FALSE(check_series_value(std::numeric_limits<double>::quiet_NaN()).ok());
}

TEST(SeriesArgument, ThatFitsIsLeftAlone) {
  std::string fixed;
  EXPECT_EQ(fix_argument("", fixed), ArgumentFix::none);
  EXPECT_EQ(fix_argument(std::string(250, 'a'), fixed), ArgumentFix::none);
  EXPECT_EQ(fixed, "");
}

TEST(SeriesArgument, TooLongKeepsItsStartAndEndsInItsHash) {
  const std::string longest = std::string(251, 'a');
  std::string fixed;
  ASSERT_EQ(fix_argument(longest, fixed), ArgumentFix::shortened);
  EXPECT_EQ(fixed, std::string(241, 'a') + "~" + sha256_hex(longest, 8));
  EXPECT_EQ(fixed.size(), 250U);
  std::string other;
  ASSERT_EQ(fix_argument(longest + "b", other), ArgumentFix::shortened);
  EXPECT_NE(fixed, other);
}

TEST(SeriesArgument, IsNeverCutInsideACharacter) {
  std::string fixed;
  std::string text = "a";
  for (int i = 0; i < 100; ++i) {
    text += "\xF0\x9F\x98\x80";
  }
  ASSERT_EQ(fix_argument(text, fixed), ArgumentFix::shortened);
  EXPECT_TRUE(utf8::valid(fixed));
  EXPECT_LE(fixed.size(), 250U);
}

TEST(SeriesArgument, NotUtf8IsScrubbed) {
  std::string fixed;
  ASSERT_EQ(fix_argument("a\xff"
                         "b",
                         fixed),
            ArgumentFix::scrubbed);
  EXPECT_EQ(fixed,
            "a\xEF\xBF\xBD"
            "b");
  ASSERT_EQ(fix_argument(std::string(200, '\xff'), fixed), ArgumentFix::scrubbed_and_shortened);
  EXPECT_TRUE(utf8::valid(fixed));
  EXPECT_LE(fixed.size(), 250U);
}

}  // namespace
}  // namespace presence
