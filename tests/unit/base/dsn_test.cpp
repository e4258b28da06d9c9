#include "base/dsn.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace presence {
namespace {

Dsn parsed(std::string_view text) {
  auto dsn = parse_dsn(text);
  EXPECT_TRUE(dsn.ok()) << text << ": " << (dsn.ok() ? "" : dsn.error().message);
  return dsn.ok() ? *dsn : Dsn{};
}

std::string message_for(std::string_view text) {
  const auto dsn = parse_dsn(text);
  EXPECT_FALSE(dsn.ok()) << text;
  if (dsn.ok()) {
    return "";
  }
  EXPECT_EQ(dsn.error().code, ErrorCode::invalid_argument);
  return dsn.error().message;
}

TEST(DsnTest, SharedMemoryNeedsOnlyItsScheme) {
  const Dsn dsn = parsed("shm:");
  EXPECT_EQ(dsn.scheme, "shm");
  EXPECT_TRUE(dsn.hosts.empty());
  EXPECT_EQ(dsn.path, "");
  EXPECT_FALSE(dsn.user);
  EXPECT_FALSE(dsn.password);
  EXPECT_EQ(parsed("shm:?window=5").option("window"), "5");
}

TEST(DsnTest, MysqlWithEverything) {
  const Dsn dsn = parsed("MySQL://app:s%40cr%2Fet%25@DB.example.com:3307/shop?socket=/run/my.sock&table=counter");
  EXPECT_EQ(dsn.scheme, "mysql");
  EXPECT_EQ(dsn.user, "app");
  EXPECT_EQ(dsn.password, "s@cr/et%");
  ASSERT_EQ(dsn.hosts.size(), 1U);
  EXPECT_EQ(dsn.hosts[0].name, "db.example.com");
  EXPECT_EQ(dsn.hosts[0].port, 3307);
  EXPECT_EQ(dsn.path, "shop");
  EXPECT_EQ(dsn.option("socket"), "/run/my.sock");
  EXPECT_EQ(dsn.option("table"), "counter");
  EXPECT_FALSE(dsn.option("tabl"));
}

TEST(DsnTest, FilePathsKeepTheirSlash) {
  EXPECT_EQ(parsed("sqlite:/var/lib/a b/c%3Fd.sqlite?timeout=1").path, "/var/lib/a b/c?d.sqlite");
  EXPECT_EQ(parsed("sqlite:///var/lib/x.sqlite").path, "/var/lib/x.sqlite");
  EXPECT_EQ(parsed("redis+unix:///run/redis.sock?db=2").path, "/run/redis.sock");
  EXPECT_EQ(parsed("sqlite:/a@b/c").path, "/a@b/c");
}

TEST(DsnTest, HostLists) {
  const Dsn memcached = parsed("memcached://h1:11211,h2:11212?strategy=ring");
  ASSERT_EQ(memcached.hosts.size(), 2U);
  EXPECT_EQ(memcached.hosts[0].name, "h1");
  EXPECT_EQ(memcached.hosts[0].port, 11211);
  EXPECT_EQ(memcached.hosts[1].name, "h2");
  EXPECT_EQ(memcached.hosts[1].port, 11212);
  EXPECT_EQ(memcached.option("strategy"), "ring");

  const Dsn sentinel = parsed("redis+sentinel://s1,s2:26380/mymaster");
  ASSERT_EQ(sentinel.hosts.size(), 2U);
  EXPECT_FALSE(sentinel.hosts[0].port);
  EXPECT_EQ(sentinel.hosts[1].port, 26380);
  EXPECT_EQ(sentinel.path, "mymaster");

  EXPECT_EQ(parsed("redis+cluster://h1,h2,h3").hosts.size(), 3U);
  EXPECT_EQ(parsed("rediss://h/0").scheme, "rediss");
}

TEST(DsnTest, Ipv6StandsInBrackets) {
  const Dsn dsn = parsed("redis://[::1]:6380,[2001:DB8::2]/1");
  ASSERT_EQ(dsn.hosts.size(), 2U);
  EXPECT_EQ(dsn.hosts[0].name, "::1");
  EXPECT_EQ(dsn.hosts[0].port, 6380);
  EXPECT_EQ(dsn.hosts[1].name, "2001:db8::2");
  EXPECT_FALSE(dsn.hosts[1].port);
  EXPECT_EQ(parsed("redis://[fe80::1%25eth0]").hosts[0].name, "fe80::1%eth0");
  EXPECT_NE(message_for("redis://::1:6380").find("brackets"), std::string::npos);
  message_for("redis://[::1");
  message_for("redis://[::1]6380");
  message_for("redis://[nonsense]:1");
  message_for("redis://[]");
}

TEST(DsnTest, Credentials) {
  const Dsn only_password = parsed("redis://:pw@h");
  EXPECT_FALSE(only_password.user);
  EXPECT_EQ(only_password.password, "pw");
  const Dsn only_user = parsed("mysql://root@localhost/db");
  EXPECT_EQ(only_user.user, "root");
  EXPECT_FALSE(only_user.password);
  EXPECT_EQ(parsed("mysql://u:@h/db").password, "");
  EXPECT_EQ(parsed("mysql://u:a:b@h/db").password, "a:b");
  EXPECT_EQ(parsed("mysql://u:p@ss@h/db").password, "p@ss");
  EXPECT_EQ(parsed("mysql://%C3%BC:p@h/db").user, "\xC3\xBC");
  const Dsn socket_only = parsed("mysql://u:p@/db?socket=/run/x");
  EXPECT_TRUE(socket_only.hosts.empty());
  EXPECT_EQ(socket_only.path, "/db");
}

TEST(DsnTest, PortsAreFromOneTo65535) {
  EXPECT_EQ(parsed("redis://h:1").hosts[0].port, 1);
  EXPECT_EQ(parsed("redis://h:65535").hosts[0].port, 65535);
  for (const char* text : {"redis://h:0", "redis://h:65536", "redis://h:", "redis://h:-1", "redis://h:+1",
                           "redis://h:1x", "redis://h: 1", "redis://h:99999999999999999999"}) {
    EXPECT_NE(message_for(text).find("port"), std::string::npos) << text;
  }
}

TEST(DsnTest, Junk) {
  using std::string_view_literals::operator""sv;
  for (const std::string_view text : {""sv,
                                      "/"sv,
                                      ":"sv,
                                      "://"sv,
                                      "mysql"sv,
                                      "1mysql://h"sv,
                                      "my sql://h"sv,
                                      "mysql:h"sv,
                                      "mysql:host=h;dbname=d"sv,
                                      "sqlite::memory:"sv,
                                      "sqlite:relative.db"sv,
                                      "redis://h,,h2"sv,
                                      "redis://h,"sv,
                                      "redis://,h"sv,
                                      "redis://h h"sv,
                                      "redis://h%41"sv,
                                      "redis://h/?a"sv,
                                      "redis://h/?=1"sv,
                                      "redis://h/?a=1&"sv,
                                      "redis://h/?&a=1"sv,
                                      "redis://h/?a=1&&b=2"sv,
                                      "redis://h/?a=1&a=2"sv,
                                      "redis://h/?a=%"sv,
                                      "redis://h/?a=%4"sv,
                                      "redis://h/?a=%zz"sv,
                                      "redis://h/%00"sv,
                                      "redis://h/\0"sv,
                                      "redis://h/\n"sv,
                                      "redis://h/\x7F"sv,
                                      "mysql://u:%@h/d"sv}) {
    message_for(text);
  }
  message_for("sqlite:/" + std::string(5000, 'x'));
  EXPECT_TRUE(parsed("sqlite:/x?").options.empty());
  EXPECT_EQ(parsed("redis://h/?a=").option("a"), "");
  EXPECT_EQ(parsed("redis://h/?a=b=c").option("a"), "b=c");
  EXPECT_EQ(parsed("redis://h/?a=b+c").option("a"), "b+c");
}

TEST(DsnTest, APasswordThatIsNotEncodedIsAnErrorAndNotAnotherHost) {
  EXPECT_NE(message_for("mysql://user:12/34@host/db").find("%2F"), std::string::npos);
  message_for("mysql://user:12?a=34@host/db");
  message_for("mysql://user:s3cret/34@host/db");
}

// Whatever is wrong, the message must not show what may be a password.
TEST(DsnTest, ErrorsNeverRepeatTheDsn) {
  for (const char* text : {"Zq7x", "Zq7x:Zq7x", "mysql://u:Zq7x", "mysql://u:Zq7x/a@h/db", "mysql://u:Zq7x%@h/db",
                           "mysql://u:Zq7x@h:Zq7x/db", "mysql://u:Zq7x@h/db?Zq7x", "mysql://u:Zq7x@h/db?Zq7x=1&Zq7x=1",
                           "mysql://u:1@[Zq7x]", "mysql://u:1@Zq7x#", "mysql:host=h;password=Zq7x",
                           "mysql://u:1?Zq7x=@h", "mysql://u:Zq7x\n@h", "mysql://u@h/%Zq7x"}) {
    const std::string message = message_for(text);
    EXPECT_EQ(message.find("Zq7x"), std::string::npos) << message;
    EXPECT_GT(message.size(), 20U);
  }
}

TEST(DsnTest, RedactedHidesWhatMayBeSecret) {
  EXPECT_EQ(parsed("mysql://app:Zq7x@h:3306/db?table=counter&socket=/run/x").redacted(),
            "mysql://app:***@h:3306/db?table=counter&socket=/run/x");
  EXPECT_EQ(parsed("redis://:Zq7x@h").redacted(), "redis://:***@h");
  EXPECT_EQ(parsed("redis://Zq7x@h").redacted(), "redis://***@h");
  EXPECT_EQ(parsed("redis://h/?password=Zq7x&auth=Zq7x&window=5&x=Zq7x").redacted(),
            "redis://h?password=***&auth=***&window=5&x=***");
  EXPECT_EQ(parsed("mysql://u:Zq7x@/db?socket=/s").redacted(), "mysql://u:***@/db?socket=/s");
  EXPECT_EQ(parsed("redis://[::1]:1,h2").redacted(), "redis://[::1]:1,h2");
  EXPECT_EQ(parsed("sqlite:/a b/%0A%3F").redacted(), "sqlite:/a%20b/%0A%3F");
  EXPECT_EQ(parsed("shm:").redacted(), "shm:");
}

TEST(DsnTest, RedactedCanBeParsedAgain) {
  for (const char* text : {"mysql://a%3Ab:p@h:1/d%2F%40?table=x%26y", "redis://[fe80::1%25e]/1", "sqlite:/a%3F%25",
                           "redis+unix:///x?db=1", "memcached://a,b:2", "sqlite:////x"}) {
    const std::string once = parsed(text).redacted();
    EXPECT_EQ(parsed(once).redacted(), once);
  }
}

TEST(DsnTest, FingerprintNamesThePlaceAndNotTheCredentials) {
  const std::string base = parsed("mysql://u:p@h:3306/db").fingerprint();
  EXPECT_EQ(base.size(), 32U);
  EXPECT_EQ(base.find_first_not_of("0123456789abcdef"), std::string::npos);
  for (const char* same : {"mysql://h:3306/db", "mysql://x:y@H:3306/db", "mysql://u:q@h:3306/db?timeout=2&ssl=1"}) {
    EXPECT_EQ(parsed(same).fingerprint(), base) << same;
  }
  for (const char* other : {"mysql://u:p@h2:3306/db", "mysql://u:p@h:3307/db", "mysql://u:p@h/db",
                            "mysql://u:p@h:3306/db2", "mysql://u:p@h:3306/db?table=x", "mysql://u:p@h:3306/db?socket=x",
                            "redis://u:p@h:3306/db", "mysql://u:p@h:3306,h/db"}) {
    EXPECT_NE(parsed(other).fingerprint(), base) << other;
  }
  EXPECT_NE(parsed("mysql://h/db?table=x").fingerprint(), parsed("mysql://h/db?socket=x").fingerprint());
}

}  // namespace
}  // namespace presence
