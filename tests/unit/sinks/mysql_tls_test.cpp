// TLS to MySQL and MariaDB. PRESENCE_TEST_MYSQL_CA is the file of the authority that signed the server's certificate,
// empty if the server offers no TLS, and PRESENCE_TEST_MYSQL_WRONG_CA that of one that did not (script/with-mariadb).
#ifdef PRESENCE_HAVE_MYSQL

#include <gtest/gtest.h>

#include "unit/sinks/sink_under_test.h"

namespace presence {
namespace {

class MysqlTlsTest : public testing::Test {
 protected:
  void SetUp() override {
    const char* ca = std::getenv("PRESENCE_TEST_MYSQL_CA");
    const char* wrong_ca = std::getenv("PRESENCE_TEST_MYSQL_WRONG_CA");
    if (!test::mysql_dsn() || ca == nullptr || wrong_ca == nullptr) {
      if (test::servers_required()) {
        FAIL() << "PRESENCE_TEST_MYSQL must hold a DSN, PRESENCE_TEST_MYSQL_CA and _WRONG_CA paths";
      }
      GTEST_SKIP() << "PRESENCE_TEST_MYSQL, PRESENCE_TEST_MYSQL_CA or PRESENCE_TEST_MYSQL_WRONG_CA is not set";
    }
    ca_ = ca;
    wrong_ca_ = wrong_ca;
    table_ = std::make_unique<test::MysqlTable>(*test::mysql_dsn());
    ASSERT_TRUE(table_->ready());
  }

  // What the server says about the encryption of a session to this address; empty in the clear.
  static std::string cipher(const mysql::Address& address) {
    const auto connection = mysql::Connection::open(address);
    if (!connection.ok()) {
      ADD_FAILURE() << connection.error().message;
      return {};
    }
    const auto rows = (*connection)->query("SHOW SESSION STATUS LIKE 'Ssl_cipher'");
    return rows.ok() && rows->size() == 1 ? (*rows)[0][1] : "";
  }

  [[nodiscard]] mysql::Address address(bool tls, const std::string& ca) const {
    mysql::Address result = table_->address();
    result.tls = tls;
    result.tls_ca = ca;
    return result;
  }

  static void expect_refused(const mysql::Address& address) {
    const auto connection = mysql::Connection::open(address);
    ASSERT_FALSE(connection.ok());
    EXPECT_EQ(connection.error().code, ErrorCode::unavailable);
    EXPECT_NE(connection.error().message.find("TLS"), std::string::npos) << connection.error().message;
    EXPECT_EQ(connection.error().message.find(address.password), std::string::npos) << connection.error().message;
  }

  std::string ca_;
  std::string wrong_ca_;
  std::unique_ptr<test::MysqlTable> table_;
};

TEST_F(MysqlTlsTest, WhoAsksForTlsNeverTalksInTheClear) {
  if (ca_.empty()) {
    expect_refused(address(true, ""));
    return;
  }
  EXPECT_NE(cipher(address(true, "")), "");
}

TEST_F(MysqlTlsTest, ASinkWritesToAServerThatTheAuthorityVouchesFor) {
  ASSERT_NE(ca_, "") << "the server offers no TLS";
  EXPECT_NE(cipher(address(false, ca_)), "");
  const auto sink = test::open(test::with_option(test::without_tls(table_->dsn()), "ssl_ca=" + ca_));
  const Status installed = sink->install();
  ASSERT_TRUE(installed.ok()) << installed.error().message;
  const CounterRow row = test::row("a", std::nullopt, test::kSlot, {1, 1, 1, 1});
  EXPECT_TRUE(sink->write({test::source('a'), 1}, {&row, 1}).ok());
  EXPECT_EQ(table_->value("SELECT SUM(count) FROM `" + table_->name() + "`"), "1");
}

TEST_F(MysqlTlsTest, AServerThatTheAuthorityDoesNotVouchForIsRefused) {
  ASSERT_NE(ca_, "") << "the server offers no TLS";
  expect_refused(address(false, wrong_ca_));
  expect_refused(address(true, wrong_ca_));
  const auto sink = test::open(test::with_option(test::without_tls(table_->dsn()), "ssl_ca=" + wrong_ca_));
  const Status installed = sink->install();
  ASSERT_FALSE(installed.ok());
  EXPECT_EQ(installed.error().code, ErrorCode::unavailable);
}

// A name that the certificate does not hold.
TEST_F(MysqlTlsTest, AServerByAnotherNameThanItsCertificatesIsRefused) {
  ASSERT_NE(ca_, "") << "the server offers no TLS";
  mysql::Address other = address(false, ca_);
  ASSERT_EQ(other.host, "127.0.0.1");
  other.host = "127.0.0.2";
  expect_refused(other);
}

}  // namespace
}  // namespace presence

#endif  // PRESENCE_HAVE_MYSQL
