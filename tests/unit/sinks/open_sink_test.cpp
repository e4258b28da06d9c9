// Which DSNs a sink takes. Nothing here connects.
#include <gtest/gtest.h>

#include "base/dsn.h"
#include "sinks/sink.h"

namespace presence {
namespace {

Result<std::unique_ptr<Sink>> try_open(std::string_view text) {
  const auto dsn = parse_dsn(text);
  EXPECT_TRUE(dsn.ok()) << text;
  return open_sink(*dsn);
}

void expect_refused(std::string_view text, ErrorCode code) {
  const auto sink = try_open(text);
  ASSERT_FALSE(sink.ok()) << text;
  EXPECT_EQ(sink.error().code, code) << text;
  EXPECT_EQ(sink.error().message.find("Zq7x"), std::string::npos) << sink.error().message;
  EXPECT_GT(sink.error().message.size(), 20U);
}

TEST(OpenSinkTest, OnlyDatabasesAreSinks) {
  for (const char* text : {"shm:", "redis://h", "memcached://h", "pgsql://h/d"}) {
    expect_refused(text, ErrorCode::unsupported);
  }
}

#ifdef PRESENCE_HAVE_SQLITE
TEST(OpenSinkTest, Sqlite) {
  EXPECT_TRUE(try_open("sqlite:/no/such/folder/x.sqlite").ok());
  EXPECT_TRUE(try_open("sqlite:/x?table=t&timeout=0.5").ok());
  for (const char* text : {"sqlite:", "sqlite:/", "sqlite://host/x", "sqlite:/x?tabel=Zq7x", "sqlite:/x?Zq7x=1",
                           "sqlite:/x?table=", "sqlite:/x?timeout=0", "sqlite:/x?timeout=-1", "sqlite:/x?timeout=Zq7x",
                           "sqlite:/x?timeout=inf", "sqlite:/x?timeout=1s", "sqlite:/x?timeout=3601"}) {
    expect_refused(text, ErrorCode::invalid_argument);
  }
}
#endif

#ifdef PRESENCE_HAVE_MYSQL
TEST(OpenSinkTest, Mysql) {
  for (const char* text :
       {"mysql://h/d", "mysql://u:Zq7x@h:3306/d", "mysql://u@/d?socket=/run/x", "mysql:///d?socket=/run/x",
        "mysql://u@h/d?socket=/run/x&table=t&timeout=2&ssl=1&ssl_ca=/ca.pem", "mysql://[::1]:1/d"}) {
    EXPECT_TRUE(try_open(text).ok()) << text;
  }
  for (const char* text :
       {"mysql:", "mysql://u:Zq7x@h", "mysql://u:Zq7x@h/", "mysql://u:Zq7x@/d", "mysql:///d", "mysql://u:Zq7x@h/d/e",
        "mysql://u:Zq7x@h1,h2/d", "mysql://h/d?socket=relative", "mysql://h/d?ssl=yes", "mysql://h/d?ssl_ca=ca.pem",
        "mysql://h/d?charset=Zq7x", "mysql://h/d?Zq7x=1", "mysql://h/d?timeout=x"}) {
    expect_refused(text, ErrorCode::invalid_argument);
  }
}
#endif

}  // namespace
}  // namespace presence
