#include "stores/redis/redis_address.h"

#include <gtest/gtest.h>

namespace presence {
namespace {

Result<RedisAddress> address(const std::string& dsn) { return redis_address(parse_dsn(dsn).value()); }

void expect_refused(const std::string& dsn, const std::string& part) {
  const Result<RedisAddress> refused = address(dsn);
  ASSERT_FALSE(refused.ok()) << dsn;
  EXPECT_EQ(refused.error().code, ErrorCode::invalid_argument);
  EXPECT_NE(refused.error().message.find(part), std::string::npos) << refused.error().message;
  EXPECT_EQ(refused.error().message.find("s3cret"), std::string::npos);
}

TEST(RedisAddressTest, AHostAPortAndADatabase) {
  const RedisAddress plain = address("redis://h").value();
  EXPECT_EQ(plain.endpoints, (std::vector<RedisEndpoint>{{"h", 6379, ""}}));
  EXPECT_EQ(plain.login.database, 0);
  EXPECT_FALSE(plain.login.password);
  const RedisAddress full = address("redis://u:s3cret@[::1]:7000/3?strategy=sets").value();
  EXPECT_EQ(full.endpoints[0].text(), "[::1]:7000");
  EXPECT_EQ(full.login.user, "u");
  EXPECT_EQ(full.login.password, "s3cret");
  EXPECT_EQ(full.login.database, 3);
  EXPECT_EQ(full.place, "redis://u:***@[::1]:7000/3");
  EXPECT_EQ(address("redis://:s3cret@h?db=5").value().login.database, 5);
  EXPECT_FALSE(address("redis://:s3cret@h").value().login.user);
}

TEST(RedisAddressTest, AUnixSocket) {
  const RedisAddress socket = address("redis+unix:///run/redis.sock?db=2").value();
  EXPECT_EQ(socket.endpoints[0].text(), "/run/redis.sock");
  EXPECT_EQ(socket.login.database, 2);
  EXPECT_EQ(address("redis+unix://:s3cret@/run/redis.sock").value().login.password, "s3cret");
}

TEST(RedisAddressTest, SentinelsAndClusters) {
  const RedisAddress sentinels = address("redis+sentinel://:s3cret@a,b:7/main?db=1").value();
  EXPECT_EQ(sentinels.kind, RedisKind::sentinel);
  EXPECT_EQ(sentinels.endpoints, (std::vector<RedisEndpoint>{{"a", 26379, ""}, {"b", 7, ""}}));
  EXPECT_EQ(sentinels.master, "main");
  EXPECT_EQ(sentinels.login.database, 1);
  const RedisAddress cluster = address("rediss+cluster://a,b").value();
  EXPECT_EQ(cluster.kind, RedisKind::cluster);
  EXPECT_TRUE(cluster.tls.has_value());
  EXPECT_EQ(cluster.endpoints.size(), 2U);
}

TEST(RedisAddressTest, TlsAndItsFiles) {
  EXPECT_FALSE(address("redis://h").value().tls);
  EXPECT_EQ(address("rediss://h").value().tls.value().ca_file, "");
  const RedisAddress all =
      address("rediss+sentinel://h/main?ssl_ca=/ca.pem&ssl_cert=/own.pem&ssl_key=/own.key&ssl_name=redis.example")
          .value();
  EXPECT_EQ(all.tls.value().ca_file, "/ca.pem");
  EXPECT_EQ(all.tls.value().cert_file, "/own.pem");
  EXPECT_EQ(all.tls.value().key_file, "/own.key");
  EXPECT_EQ(all.tls.value().name, "redis.example");
  expect_refused("redis://h?ssl_name=h", "write rediss:");
  expect_refused("rediss://h?ssl_ca=ca.pem", "absolute path");
  expect_refused("rediss://h?ssl_cert=own.pem", "absolute path");
  expect_refused("rediss://h?ssl_key=/own.key", "without ssl_cert");
}

TEST(RedisAddressTest, WhatIsWrongIsSaid) {
  expect_refused("redis:", "must name a host");
  expect_refused("redis://a,b", "must name one host");
  expect_refused("redis://h/x", "by its number");
  expect_refused("redis://h/-1", "by its number");
  expect_refused("redis://h/1?db=1", "twice");
  expect_refused("redis://s3cret@h", "no password");
  expect_refused("redis+unix://h/path", "redis+unix:///path");
  expect_refused("redis+unix:", "redis+unix:///path");
  expect_refused("redis+unix:///" + std::string(107, 'x'), "107 bytes");
  expect_refused("redis+sentinel://h", "must name the master");
  expect_refused("redis+cluster://h/1", "only number 0");
  expect_refused("redis+tcp://h", "must begin with");
  expect_refused("rediss+unix:///s", "must begin with");
  expect_refused("redis://h?ssl_ca=/ca.pem", "write rediss:");
}

}  // namespace
}  // namespace presence
