#include "base/utf8.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace presence {
namespace {

using std::string_literals::operator""s;
using std::string_view_literals::operator""sv;

constexpr std::string_view kReplaced = "\xEF\xBF\xBD";

TEST(Utf8Test, AcceptsTheFirstAndLastCharacterOfEachLength) {
  for (const std::string_view text :
       {""sv, "\0"sv, "\x7F"sv, "\xC2\x80"sv, "\xDF\xBF"sv, "\xE0\xA0\x80"sv, "\xED\x9F\xBF"sv, "\xEE\x80\x80"sv,
        "\xEF\xBF\xBF"sv, "\xF0\x90\x80\x80"sv, "\xF4\x8F\xBF\xBF"sv}) {
    EXPECT_TRUE(utf8::valid(text)) << testing::PrintToString(std::string(text));
    EXPECT_EQ(utf8::scrub(text), text);
  }
}

TEST(Utf8Test, RefusesWhatIsJustOutside) {
  for (const std::string_view text :
       {"\x80"sv, "\xBF"sv, "\xC0\x80"sv, "\xC1\xBF"sv, "\xE0\x9F\xBF"sv, "\xED\xA0\x80"sv, "\xED\xBF\xBF"sv,
        "\xF0\x8F\xBF\xBF"sv, "\xF4\x90\x80\x80"sv, "\xF5\x80\x80\x80"sv, "\xFE"sv, "\xFF"sv, "\xC2"sv, "\xE2\x82"sv,
        "\xF0\x9F\x98"sv, "\xC2\x41"sv, "\xE2\x82\x41"sv}) {
    EXPECT_FALSE(utf8::valid(text)) << testing::PrintToString(std::string(text));
    EXPECT_TRUE(utf8::valid(utf8::scrub(text))) << testing::PrintToString(std::string(text));
  }
}

TEST(Utf8Test, FindsTheBadByteAtEveryPlaceOfALongText) {
  for (std::size_t at = 0; at < 40; ++at) {
    std::string text(40, 'a');
    EXPECT_TRUE(utf8::valid(text));
    text[at] = '\xE9';
    EXPECT_FALSE(utf8::valid(text)) << at;
    EXPECT_EQ(utf8::scrub(text), std::string(at, 'a') + std::string(kReplaced) + std::string(39 - at, 'a'));
  }
}

// The examples of the Unicode Standard, section 3.9, tables 3-8 to 3-11.
TEST(Utf8Test, ScrubReplacesEachMaximalSubpartOnce) {
  const std::string r(kReplaced);
  EXPECT_EQ(utf8::scrub("\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41"), r + r + r + r + r + r + r + r + "A");
  EXPECT_EQ(utf8::scrub("\xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41"), r + r + r + r + r + r + r + r + "A");
  EXPECT_EQ(utf8::scrub("\xF4\x91\x92\x93\xFF\x41\x80\xBF\x42"), r + r + r + r + r + "A" + r + r + "B");
  EXPECT_EQ(utf8::scrub("\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41"), r + r + r + r + "A");
}

TEST(Utf8Test, ScrubKeepsGoodTextAroundBad) {
  EXPECT_EQ(utf8::scrub("caf\xE9 \xC3\xA9"), "caf" + std::string(kReplaced) + " \xC3\xA9");
}

TEST(Utf8Test, PrefixNeverCutsACharacter) {
  const std::string_view text = "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80";  // 1, 2, 3 and 4 bytes
  EXPECT_EQ(utf8::prefix(text, 0), "");
  EXPECT_EQ(utf8::prefix(text, 1), text.substr(0, 1));
  EXPECT_EQ(utf8::prefix(text, 2), text.substr(0, 1));
  EXPECT_EQ(utf8::prefix(text, 3), text.substr(0, 3));
  EXPECT_EQ(utf8::prefix(text, 5), text.substr(0, 3));
  EXPECT_EQ(utf8::prefix(text, 6), text.substr(0, 6));
  EXPECT_EQ(utf8::prefix(text, 9), text.substr(0, 6));
  EXPECT_EQ(utf8::prefix(text, 10), text);
  EXPECT_EQ(utf8::prefix(text, 99), text);
}

}  // namespace
}  // namespace presence
