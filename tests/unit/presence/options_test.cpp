#include "presence/options.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>

#include "presence/visitor_id.h"

namespace presence {
namespace {

std::string refusal(const std::function<void(PresenceOptions&)>& change) {
  PresenceOptions options;
  change(options);
  const Status status = options.validate();
  if (status.ok()) {
    return "";
  }
  EXPECT_EQ(status.error().code, ErrorCode::invalid_argument);
  return status.error().message;
}

TEST(PresenceOptionsTest, TheDefaultsAreValid) {
  EXPECT_EQ(refusal([](PresenceOptions&) {}), "");
}

TEST(PresenceOptionsTest, WindowAndRetention) {
  EXPECT_EQ(refusal([](auto& o) { o.window = 0; }), "window must be between 1 and 60 minutes, 0 given");
  EXPECT_EQ(refusal([](auto& o) { o.window = -5; }), "window must be between 1 and 60 minutes, -5 given");
  EXPECT_EQ(refusal([](auto& o) { o.window = 61; }), "window must not be longer than retention (60 minutes), 61 given");
  EXPECT_EQ(refusal([](auto& o) { o.window = 60; }), "");
  EXPECT_EQ(refusal([](auto& o) { o.retention = 0; }), "retention must be between 1 and 525600 minutes, 0 given");
  EXPECT_EQ(refusal([](auto& o) { o.retention = 525601; }),
            "retention must be between 1 and 525600 minutes, 525601 given");
  EXPECT_EQ(refusal([](auto& o) { o.window = o.retention = 525600; }), "");
}

TEST(PresenceOptionsTest, ThrottleIsShorterThanTheWindow) {
  EXPECT_EQ(refusal([](auto& o) { o.throttle = 0; }), "");
  EXPECT_EQ(refusal([](auto& o) { o.throttle = 299; }), "");
  EXPECT_NE(refusal([](auto& o) { o.throttle = 300; }).find("throttle must be shorter than window (300 seconds)"),
            std::string::npos);
  EXPECT_EQ(refusal([](auto& o) { o.throttle = -1; }), "throttle must be between 0 and 86400 seconds, -1 given");
  EXPECT_EQ(refusal([](auto& o) { o.throttle = 86401; }), "throttle must be between 0 and 86400 seconds, 86401 given");
}

TEST(PresenceOptionsTest, Timeout) {
  const std::string message = "timeout must be between 0.001 and 60 seconds";
  for (const double timeout : {0.0, -1.0, 60.5, std::nan(""), std::numeric_limits<double>::infinity()}) {
    EXPECT_EQ(refusal([timeout](auto& o) { o.timeout = timeout; }), message) << timeout;
  }
  EXPECT_EQ(refusal([](auto& o) { o.timeout = 0.001; }), "");
  EXPECT_EQ(refusal([](auto& o) { o.timeout = 60; }), "");
}

TEST(PresenceOptionsTest, Key) {
  EXPECT_EQ(refusal([](auto& o) { o.key = ""; }), "key must have 1 to 200 bytes, 0 given");
  EXPECT_EQ(refusal([](auto& o) { o.key = std::string(201, 'k'); }), "key must have 1 to 200 bytes, 201 given");
  EXPECT_EQ(refusal([](auto& o) { o.key = std::string(200, 'k'); }), "");
  EXPECT_EQ(refusal([](auto& o) { o.key = "überall:{x}"; }), "");
  for (const char c : {' ', '\t', '\n', '\0', '\x7F', '\x1F'}) {
    EXPECT_EQ(refusal([c](auto& o) { o.key = std::string("a") + c; }),
              "key must not contain spaces or control characters")
        << static_cast<int>(c);
  }
}

TEST(PresenceOptionsTest, Names) {
  EXPECT_EQ(parse_mode("buffered").value(), PresenceMode::buffered);
  EXPECT_EQ(parse_mode("direct").value(), PresenceMode::direct);
  EXPECT_EQ(parse_mode("Direct").error().message, "mode must be \"buffered\" or \"direct\"");
  EXPECT_EQ(parse_on_error("throw").value(), OnError::raise);
  EXPECT_EQ(parse_on_error("silent").value(), OnError::silent);
  EXPECT_EQ(parse_on_error("").error().message, "on_error must be \"throw\" or \"silent\"");
}

TEST(RoomKeyTest, IsTheKeyAndTheNameMadeFitForAKey) {
  EXPECT_EQ(room_key("users:online", "topic-42").value(), "users:online:room:topic-42");
  EXPECT_EQ(room_key("k", "topic 42\n100%").value(), "k:room:topic%2042%0A100%25");
  EXPECT_EQ(room_key("k", "Küche").value(), "k:room:Küche");
  EXPECT_EQ(room_key("k", std::string("\0\x7F", 2)).value(), "k:room:%00%7F");
}

TEST(RoomKeyTest, DifferentRoomsNeverShareAKey) {
  EXPECT_NE(room_key("k", "a b").value(), room_key("k", "a%20b").value());
  EXPECT_EQ(room_key("k", "chatroom:42").value(), "k:room:chatroom%3A42");
  EXPECT_NE(room_key("k", "a:room:b").value(), room_key(room_key("k", "a").value(), "b").value());
  EXPECT_NE(room_key("k", "a:b").value(), room_key("k", "a%3Ab").value());
}

TEST(RoomKeyTest, Lengths) {
  EXPECT_EQ(room_key("k", "").error().message, "must have 1 to 100 bytes, 0 given");
  EXPECT_EQ(room_key("k", std::string(101, 'r')).error().message, "must have 1 to 100 bytes, 101 given");
  EXPECT_TRUE(room_key(std::string(94, 'k'), std::string(100, 'r')).ok());
  const auto too_long = room_key(std::string(95, 'k'), std::string(100, 'r'));
  ASSERT_FALSE(too_long.ok());
  EXPECT_NE(too_long.error().message.find("at most 200 bytes together"), std::string::npos);
}

TEST(VisitorIdTest, Is1To250BytesWithoutNul) {
  EXPECT_EQ(check_visitor_id("").error().message, "must have 1 to 250 bytes, 0 given");
  EXPECT_EQ(check_visitor_id(std::string(251, 'x')).error().message, "must have 1 to 250 bytes, 251 given");
  EXPECT_EQ(check_visitor_id(std::string("a\0b", 3)).error().message, "must not contain NUL bytes");
  for (const std::string& id : {std::string("a"), std::string("0"), std::string(250, 'x'), std::string("\xFF \n")}) {
    EXPECT_TRUE(check_visitor_id(id).ok()) << id;
  }
}

TEST(VisitorIdTest, AnIntegerIsItsDecimalForm) {
  EXPECT_EQ(IntegerId(42).view(), "42");
  EXPECT_EQ(IntegerId(0).view(), "0");
  EXPECT_EQ(IntegerId(-1).view(), "-1");
  EXPECT_EQ(IntegerId(std::numeric_limits<std::int64_t>::min()).view(), "-9223372036854775808");
  EXPECT_EQ(IntegerId(std::numeric_limits<std::int64_t>::max()).view(), "9223372036854775807");
}

}  // namespace
}  // namespace presence
