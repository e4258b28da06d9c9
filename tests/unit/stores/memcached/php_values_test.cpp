#include "stores/memcached/php_values.h"

#include <gtest/gtest.h>

#include "base/crc32.h"
#include "stores/memcached/fastlz.h"

namespace presence::php_values {
namespace {

std::string as_text(const Result<std::vector<Seen>>& entries) {
  if (!entries) {
    return "error: " + entries.error().message;
  }
  std::string text;
  for (const Seen& entry : *entries) {
    text += std::string(entry.visitor) + '=' + std::to_string(entry.time) + ' ';
  }
  return text;
}

TEST(PhpValuesTest, WritesIdsAsPhpWritesArrayKeys) {
  const std::vector<Seen> entries{{"42", 1}, {"-7", 2},   {"042", 3},       {"-0", 4},
                                  {"0", 5},  {"a\"b", 6}, {"h\xC3\xA9", -7}};
  EXPECT_EQ(serialize_times(entries),
            "a:7:{i:42;i:1;i:-7;i:2;s:3:\"042\";i:3;s:2:\"-0\";i:4;i:0;i:5;s:3:\"a\"b\";i:6;s:3:\"h\xC3\xA9\";i:-7;}");
  EXPECT_EQ(serialize_times({}), "a:0:{}");
}

TEST(PhpValuesTest, KnowsWhatPhpMakesIntegersOf) {
  for (const char* id : {"0", "7", "-7", "9223372036854775807", "-9223372036854775808"}) {
    EXPECT_TRUE(is_integer_key(id)) << id;
  }
  for (const char* id : {"", "-", "00", "01", "-0", "-01", "+1", " 1", "1 ", "1.0", "1e3", "0x1", "9223372036854775808",
                         "-9223372036854775809"}) {
    EXPECT_FALSE(is_integer_key(id)) << id;
  }
}

TEST(PhpValuesTest, ReadsWhatPhpWrites) {
  EXPECT_EQ(as_text(parse_times("a:0:{}")), "");
  EXPECT_EQ(as_text(parse_times("a:3:{i:42;i:1700000000;s:4:\"a;\"}\";i:-5;i:-3;d:1700000000.75;}")),
            "42=1700000000 a;\"}=-5 -3=1700000000 ");
}

TEST(PhpValuesTest, ReadsBackWhatItWrote) {
  const std::string longest(250, 'x');
  const std::vector<Seen> entries{{"42", 1'700'000'000}, {std::string_view("\0\n", 2), 0}, {longest, INT64_MAX}};
  const std::string text = serialize_times(entries);
  const auto read = parse_times(text);
  ASSERT_TRUE(read.ok());
  ASSERT_EQ(read->size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ((*read)[i].visitor, entries[i].visitor);
    EXPECT_EQ((*read)[i].time, entries[i].time);
  }
}

TEST(PhpValuesTest, RefusesWhatIsNoTable) {
  for (const std::string_view text : {"",
                                      "a",
                                      "a:",
                                      "a:1",
                                      "a:1:",
                                      "a:1:{",
                                      "a:1:{}",
                                      "a:0:{",
                                      "a:0:{}x",
                                      "a:0:{} ",
                                      "i:1;",
                                      "b:1;",
                                      "N;",
                                      "a:-1:{}",
                                      "a:18446744073709551615:{}",
                                      "a:99999999999999999999:{}",
                                      "a:1:{i:1;i:2;",
                                      "a:1:{i:1;i:2;i:3;i:4;}",
                                      "a:2:{i:1;i:2;}",
                                      "a:1:{i:01;i:2;}",
                                      "a:1:{i:;i:2;}",
                                      "a:1:{i:1;s:1:\"2\";}",
                                      "a:1:{i:1;N;}",
                                      "a:1:{i:1;i:;}",
                                      "a:1:{i:1;i:99999999999999999999;}",
                                      "a:1:{i:1;d:NAN;}",
                                      "a:1:{i:1;d:INF;}",
                                      "a:1:{i:1;d:1e300;}",
                                      "a:1:{s:1:\"ab\";i:2;}",
                                      "a:1:{s:99:\"a\";i:2;}",
                                      "a:1:{s:18446744073709551615:\"a\";i:2;}",
                                      "a:1:{s:-1:\"a\";i:2;}",
                                      "a:1:{s:1:a;i:2;}",
                                      "a:1:{d:1.5;i:2;}",
                                      "O:8:\"stdClass\":0:{}"}) {
    const auto read = parse_times(text);
    ASSERT_FALSE(read.ok()) << text;
    EXPECT_EQ(read.error().code, ErrorCode::damaged);
  }
}

TEST(PhpValuesTest, RefusesEachPieceOfATable) {
  const std::string text = "a:2:{i:42;i:1700000000;s:2:\"ab\";d:17.5;}";
  ASSERT_TRUE(parse_times(text).ok());
  for (std::size_t size = 0; size < text.size(); ++size) {
    EXPECT_FALSE(parse_times(text.substr(0, size)).ok()) << size;
  }
}

TEST(PhpValuesTest, SaysWhatToSetInPhpForOtherKindsOfValues) {
  EXPECT_EQ(serialized_text(kSerialized, "a:0:{}").value(), "a:0:{}");
  EXPECT_EQ(serialized_text(with_user_flags(kSerialized, 7), "a:0:{}").value(), "a:0:{}");
  const auto igbinary = serialized_text(5, "x");
  ASSERT_FALSE(igbinary.ok());
  EXPECT_NE(igbinary.error().message.find("SERIALIZER_PHP"), std::string::npos);
  const auto zlib = serialized_text(kSerialized | 3U << 4, "x");
  ASSERT_FALSE(zlib.ok());
  EXPECT_NE(zlib.error().message.find("COMPRESSION_FASTLZ"), std::string::npos);
  EXPECT_FALSE(serialized_text(kSerialized | 5U << 4, "x").ok());
}

TEST(PhpValuesTest, DecompressesFastLz) {
  const std::string body = "a:1:{i:7;i:11111111111;}";
  // Level 1: a run of 12 literals, the last of them '1'; a match of 10 at distance 1; a run of 2.
  std::string packed{24, 0, 0, 0};
  packed += '\x0C';
  packed += "a:1:{i:7;i:11";
  packed += '\xE0';
  packed += '\0';
  packed += '\0';
  packed += '\1';
  packed += ";}";
  EXPECT_EQ(serialized_text(kSerialized | 5U << 4, packed).value(), body);
}

TEST(FastLzTest, ReadsBothLevels) {
  EXPECT_EQ(fastlz_decompress({"\x02"
                               "abc",
                               4},
                              3),
            "abc");
  EXPECT_EQ(fastlz_decompress({"\x02"
                               "abc\x60\x02",
                               6},
                              8),
            "abcabcab");
  EXPECT_EQ(fastlz_decompress({"\x22"
                               "abc\xE0\xFF\x01\x02",
                               8},
                              3 + 9 + 256),
            [] {
              std::string text;
              for (int i = 0; i < 268; ++i) {
                text += "abc"[i % 3];
              }
              return text;
            }());
}

TEST(FastLzTest, ReadsLongDistancesOfLevel2) {
  std::string packed;
  std::string text;
  for (int run = 0; run < 300; ++run) {
    packed += run == 0 ? '\x3F' : '\x1F';
    for (int i = 0; i < 32; ++i) {
      const char c = static_cast<char>('a' + (run * 7 + i) % 26);
      packed += c;
      text += c;
    }
  }
  packed += {'\x3F', '\xFF', '\x01', '\x00'};  // three bytes at distance 8192 + 256
  text += text.substr(text.size() - 8192 - 256, 3);
  EXPECT_EQ(fastlz_decompress(packed, text.size()), text);
}

TEST(FastLzTest, RefusesBytesThatReachOutside) {
  const std::string_view packed{
      "\x02"
      "abc\x60\x02",
      6};
  for (std::size_t size = 0; size < packed.size(); ++size) {
    EXPECT_FALSE(fastlz_decompress(packed.substr(0, size), 8)) << size;
  }
  EXPECT_FALSE(fastlz_decompress(packed, 7));
  EXPECT_FALSE(fastlz_decompress(packed, 9));
  EXPECT_FALSE(fastlz_decompress(packed, 0));
  EXPECT_FALSE(fastlz_decompress(packed, SIZE_MAX));
  EXPECT_FALSE(fastlz_decompress({"\x02"
                                  "abc\x60\x03",
                                  6},
                                 8))
      << "before the beginning";
  EXPECT_FALSE(
      fastlz_decompress("\x42"
                        "abc",
                        3))
      << "a level that there is not";
}

TEST(PhpValuesTest, ReadsIntegersAsPhpAndMemcachedWriteThem) {
  EXPECT_EQ(parse_integer(kInteger, "42"), 42);
  EXPECT_EQ(parse_integer(0, "42"), 42);
  EXPECT_EQ(parse_integer(with_user_flags(kInteger, 9), "42"), 42);
  EXPECT_EQ(parse_integer(kInteger, "9  "), 9) << "decremented from 100";
  EXPECT_FALSE(parse_integer(kInteger, ""));
  EXPECT_FALSE(parse_integer(kInteger, "  "));
  EXPECT_FALSE(parse_integer(kInteger, "4x"));
  EXPECT_FALSE(parse_integer(kSerialized, "42"));
  EXPECT_FALSE(parse_integer(kInteger | 5U << 4, "42"));
}

TEST(Crc32Test, IsThatOfPhp) {
  EXPECT_EQ(crc32(""), 0U);
  EXPECT_EQ(crc32("123456789"), 0xCBF43926U);
  EXPECT_EQ(crc32("The quick brown fox jumped over the lazy dog."), 2191738434U);  // from PHP's manual
}

}  // namespace
}  // namespace presence::php_values
