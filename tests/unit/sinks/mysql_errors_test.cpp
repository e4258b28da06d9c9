#include "sinks/mysql_errors.h"

#include <gtest/gtest.h>

namespace presence {
namespace {

TEST(MysqlErrorsTest, WhatACallerDoesAboutThem) {
  const auto code = [](unsigned number, std::string_view sqlstate = "HY000") {
    return mysql::classify(number, sqlstate);
  };
  // Server has gone away, connection lost, cannot connect; killed.
  for (const unsigned number : {2002U, 2003U, 2006U, 2013U, 1927U, 1053U}) {
    EXPECT_EQ(code(number), ErrorCode::unavailable) << number;
    EXPECT_TRUE(mysql::is_connection_lost(number)) << number;
  }
  // Wrong password, no such database, no rights.
  EXPECT_EQ(code(1045, "28000"), ErrorCode::unavailable);
  EXPECT_EQ(code(1049, "42000"), ErrorCode::unavailable);
  EXPECT_EQ(code(1142, "42000"), ErrorCode::unavailable);
  // Deadlock, lock wait timeout, changed since last read.
  for (const unsigned number : {1213U, 1205U, 1020U}) {
    EXPECT_EQ(code(number), ErrorCode::transient) << number;
    EXPECT_TRUE(mysql::is_lock_conflict(number)) << number;
  }
  // Read-only in three ways, disk full, table full, a Galera node that is not ready.
  for (const unsigned number : {1290U, 1792U, 1836U, 1021U, 1114U, 1047U}) {
    EXPECT_EQ(code(number), ErrorCode::transient) << number;
    EXPECT_FALSE(mysql::is_lock_conflict(number)) << number;
  }
  // No partition for the value, which a forgotten partition brings upon all rows to come.
  EXPECT_EQ(code(1526), ErrorCode::transient);
  EXPECT_EQ(code(1146, "42S02"), ErrorCode::not_installed);
  // A column of the table that has no default and that our rows do not have.
  EXPECT_EQ(code(1364), ErrorCode::not_installed);
  EXPECT_EQ(code(1054, "42S22"), ErrorCode::not_installed);
  // Too long, out of range, incorrect string, overflow of a sum, a constraint.
  EXPECT_EQ(code(1406, "22001"), ErrorCode::rejected);
  EXPECT_EQ(code(1264, "22003"), ErrorCode::rejected);
  EXPECT_EQ(code(1366), ErrorCode::rejected);
  EXPECT_EQ(code(1690, "22003"), ErrorCode::rejected);
  EXPECT_EQ(code(4025, "23000"), ErrorCode::rejected);
  // What nobody has heard of is no reason to set rows aside.
  EXPECT_EQ(code(1999), ErrorCode::transient);
}

}  // namespace
}  // namespace presence
