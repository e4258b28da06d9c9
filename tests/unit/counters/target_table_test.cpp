#include "counters/target_table.h"

#include <gtest/gtest.h>

#include "unit/counters/counting_fixture.h"

namespace presence {
namespace {

class TargetTableTest : public CountingFixture {};

const std::string kPlace(32, 'c');

TEST_F(TargetTableTest, TheSameDsnKeepsItsNumber) {
  const auto first = targets_->find_or_add(kPlace, "mysql://a");
  EXPECT_EQ(targets_->find_or_add(kPlace, "mysql://a"), first);
  EXPECT_NE(targets_->find_or_add(kPlace, "mysql://b"), first);
  EXPECT_EQ(targets_->fingerprint(*first), kPlace);
}

TEST_F(TargetTableTest, GivesTheDsnThatWasTakenUpLast) {
  (void)targets_->find_or_add(kPlace, "mysql://right");
  (void)targets_->find_or_add(kPlace, "mysql://wrong");
  EXPECT_EQ(targets_->dsn_of(kPlace), "mysql://wrong");
  (void)targets_->find_or_add(kPlace, "mysql://right");
  EXPECT_EQ(targets_->dsn_of(kPlace), "mysql://right") << "also if it was known before";
}

TEST_F(TargetTableTest, AfterFailuresTheOthersHaveTheirTurn) {
  (void)targets_->find_or_add(kPlace, "mysql://right");
  (void)targets_->find_or_add(kPlace, "mysql://wrong");
  EXPECT_EQ(targets_->dsn_of(kPlace, 1), "mysql://right");
  EXPECT_EQ(targets_->dsn_of(kPlace, 2), "mysql://wrong");
}

TEST_F(TargetTableTest, AnApplicationsOwnConnectionHasNoDsn) {
  (void)targets_->find_or_add(kPlace, "");
  EXPECT_EQ(targets_->dsn_of(kPlace), "");
  EXPECT_EQ(targets_->dsn_of(std::string(32, 'd')), "");
}

TEST_F(TargetTableTest, AFullTableSaysSo) {
  std::uint32_t added = 1;  // by the fixture
  while (targets_->find_or_add(kPlace, "mysql://" + std::to_string(added))) {
    ++added;
  }
  EXPECT_EQ(added, TargetTable::kTargets);
  EXPECT_TRUE(targets_->find_or_add(kPlace, "mysql://5")) << "what is in stays in use";
}

}  // namespace
}  // namespace presence
