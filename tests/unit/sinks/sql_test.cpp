#include "sinks/sql.h"

#include <gtest/gtest.h>

#include <charconv>
#include <clocale>
#include <limits>

#include "unit/sinks/sink_under_test.h"

namespace presence {
namespace {

using sql::Dialect;

void quote(std::string& out, std::string_view text) {
  out += '\'';
  out += text;
  out += '\'';
}

std::string literal(double value) {
  std::string text;
  sql::append_double(text, value);
  return text;
}

TEST(SqlTest, DialectFollowsTheServersVersion) {
  for (const char* version : {"8.0.19", "8.0.35-0ubuntu0.22.04.1", "8.4.3", "9.7.0", "10.0.0", "8.0.19-log"}) {
    EXPECT_EQ(sql::server_dialect(version), Dialect::row_alias) << version;
  }
  for (const char* version :
       {"8.0.18", "8.0.11-TiDB-v7.5.0", "5.7.44-log", "10.11.6-MariaDB-0+deb12u1", "11.8.2-MARIADB",
        "5.5.5-10.11.6-MariaDB", "8.0.mysql_aurora.3.04.0", "8", "", "nonsense"}) {
    EXPECT_EQ(sql::server_dialect(version), Dialect::values_function) << version;
  }
}

TEST(SqlTest, DoublesAreFloatingPointLiteralsThatReadBackTheSame) {
  EXPECT_EQ(literal(0.0347), "3.47e-02");
  EXPECT_EQ(literal(1), "1e+00");
  EXPECT_EQ(literal(-0.0), "-0e+00");
  EXPECT_EQ(literal(1e308), "1e+308");
  for (const double value : {0.1, 1.005, 1.0 / 3, 9007199254740993.0, std::numeric_limits<double>::max(),
                             std::numeric_limits<double>::denorm_min(), -std::numeric_limits<double>::min()}) {
    const std::string text = literal(value);
    double back = 0;
    std::from_chars(text.data(), text.data() + text.size(), back);
    EXPECT_EQ(back, value) << text;
  }
}

TEST(SqlTest, NumbersDoNotFollowTheLocale) {
  const std::string before = std::setlocale(LC_ALL, nullptr);
  // Whichever of these is there has a decimal comma.
  const bool has_comma =
      std::setlocale(LC_ALL, "de_DE.UTF-8") != nullptr || std::setlocale(LC_ALL, "fr_FR.UTF-8") != nullptr;
  EXPECT_EQ(literal(1234.5), "1.2345e+03");
  std::setlocale(LC_ALL, before.c_str());
  RecordProperty("locale_with_comma", has_comma ? 1 : 0);
}

TEST(SqlTest, ARowsValues) {
  CounterRow row = test::row("n", std::nullopt, 60, {1.5, -2, 3, 4});
  std::fill(row.hash.begin(), row.hash.end(), 'a');
  std::string text;
  sql::append_row(text, row, quote);
  EXPECT_EQ(text, "('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa','n',NULL,60,1.5e+00,-2e+00,3e+00,4)");
  row.argument = "x";
  text.clear();
  sql::append_row(text, row, quote);
  EXPECT_EQ(text, "('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa','n','x',60,1.5e+00,-2e+00,3e+00,4)");
}

// What send_upserts makes of `count` rows.
std::vector<std::string> statements(int count, const sql::StatementLimits& limits) {
  std::vector<CounterRow> rows;
  for (int i = 0; i < count; ++i) {
    rows.push_back(test::row("name", std::to_string(i), 60, {1, 1, 1, 1}));
  }
  std::vector<std::string> sent;
  const Result<std::vector<RefusedRow>> refused =
      sql::send_upserts(Dialect::values_function, "counter", rows, limits, quote, [&](std::string_view statement) {
        sent.emplace_back(statement);
        return Status();
      });
  EXPECT_TRUE(refused.ok() && refused->empty());
  return sent;
}

int rows_in(const std::string& statement) {
  int rows = 0;
  for (std::size_t at = statement.find("('"); at != std::string::npos; at = statement.find("('", at + 1)) {
    ++rows;
  }
  return rows;
}

TEST(SqlTest, StatementsAreCutByRows) {
  EXPECT_TRUE(statements(0, {}).empty());
  const auto sent = statements(7, {.rows = 3});
  ASSERT_EQ(sent.size(), 3U);
  EXPECT_EQ(rows_in(sent[0]), 3);
  EXPECT_EQ(rows_in(sent[1]), 3);
  EXPECT_EQ(rows_in(sent[2]), 1);
  EXPECT_EQ(statements(6, {.rows = 3}).size(), 2U);
}

TEST(SqlTest, StatementsAreCutByLength) {
  const std::size_t two_rows = statements(2, {})[0].size();
  const auto sent = statements(10, {.bytes = two_rows});
  ASSERT_EQ(sent.size(), 5U);
  for (const std::string& statement : sent) {
    EXPECT_LE(statement.size(), two_rows);
    EXPECT_EQ(rows_in(statement), 2);
  }
  EXPECT_EQ(statements(10, {.bytes = two_rows - 1}).size(), 10U);
}

TEST(SqlTest, ARowThatIsLongerThanAStatementMayBeIsRefusedUnsent) {
  std::vector<CounterRow> rows(3, test::row("n", "x", 60, {1, 1, 1, 1}));
  rows[1].argument = std::string(250, 'x');
  std::vector<std::string> sent;
  const auto send = [&](std::string_view statement) {
    sent.emplace_back(statement);
    return Status();
  };
  const std::size_t one_row =
      sql::upsert_head("counter").size() + sql::upsert_tail(Dialect::values_function, "counter").size() + 150;
  const auto refused = sql::send_upserts(Dialect::values_function, "counter", rows, {.bytes = one_row}, quote, send);
  ASSERT_TRUE(refused.ok());
  ASSERT_EQ(refused->size(), 1U);
  EXPECT_EQ(refused->front().index, 1U);
  EXPECT_NE(refused->front().reason.find("max_allowed_packet"), std::string::npos);
  EXPECT_EQ(sent.size(), 2U);
}

TEST(SqlTest, ARejectedStatementIsHalvedUntilTheRowIsFound) {
  std::vector<CounterRow> rows;
  for (int i = 0; i < 1000; ++i) {
    rows.push_back(test::row("n", i == 700 ? "bad" : std::to_string(i), 60, {1, 1, 1, 1}));
  }
  int sent = 0;
  int written = 0;
  const auto send = [&](std::string_view statement) {
    ++sent;
    if (statement.find("'bad'") != std::string_view::npos) {
      return Status(Error{ErrorCode::rejected, "no bad ones"});
    }
    written += rows_in(std::string(statement));
    return Status();
  };
  const auto refused = sql::send_upserts(Dialect::values_function, "counter", rows, {}, quote, send);
  ASSERT_TRUE(refused.ok());
  ASSERT_EQ(refused->size(), 1U);
  EXPECT_EQ(refused->front().index, 700U);
  EXPECT_EQ(refused->front().reason, "no bad ones");
  EXPECT_EQ(written, 999);
  EXPECT_LE(sent, 21);
}

TEST(SqlTest, AForeignColumnIsToldFromOurs) {
  EXPECT_TRUE(sql::is_foreign_column("/x.sqlite: NOT NULL constraint failed: counter.needed"));
  EXPECT_FALSE(sql::is_foreign_column("/x.sqlite: NOT NULL constraint failed: counter.argument"));
  EXPECT_FALSE(sql::is_foreign_column("CHECK constraint failed: a.needed"));
}

TEST(SqlTest, StopsAtTheFirstError) {
  const std::vector<CounterRow> rows(3, test::row("n", std::nullopt, 60, {1, 1, 1, 1}));
  int sent = 0;
  const auto refused = sql::send_upserts(Dialect::sqlite, "counter", rows, {.rows = 1}, quote, [&](std::string_view) {
    ++sent;
    return sent == 2 ? Status(Error{ErrorCode::transient, "no"}) : Status();
  });
  EXPECT_FALSE(refused.ok());
  EXPECT_EQ(sent, 2);
}

TEST(SqlTest, TableNamesAreChecked) {
  const auto table = [](const std::string& option) {
    const auto dsn = parse_dsn("sqlite:/x" + option);
    EXPECT_TRUE(dsn.ok()) << option;
    return sql::table_of(*dsn);
  };
  EXPECT_EQ(*table(""), "counter");
  EXPECT_EQ(*table("?table=My_table$2"), "My_table$2");
  EXPECT_EQ(*table("?table=" + std::string(58, 'x')), std::string(58, 'x'));
  for (const std::string& bad : {std::string(), std::string(59, 'x'), std::string("a`b"), std::string("a.b"),
                                 std::string("a%20b"), std::string("a;"), std::string("%C3%A9")}) {
    const auto refused = table("?table=" + bad);
    ASSERT_FALSE(refused.ok()) << bad;
    EXPECT_EQ(refused.error().code, ErrorCode::invalid_argument);
  }
}

}  // namespace
}  // namespace presence
