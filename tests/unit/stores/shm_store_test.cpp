#include "stores/shm_store.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "unit/stores/store_contract.h"
#include "unit/visitors/table_memory.h"

namespace presence {
namespace {

constexpr UnixTime kNow = 1'800'000'000;

struct SharedTable {
  TableMemory memory{4000};
  VisitorTable table = memory.table();
};

StoreUnderTest shm() {
  const auto shared = std::make_shared<std::unique_ptr<SharedTable>>();
  StoreUnderTest store;
  store.name = "shm";
  store.drops_the_future = true;
  store.open = [shared](const std::string& key, int retention) {
    return std::make_unique<ShmStore>((*shared)->table, key, retention);
  };
  store.tells_changes = true;
  store.reset = [shared] { *shared = std::make_unique<SharedTable>(); };
  return store;
}

INSTANTIATE_TEST_SUITE_P(Shm, StoreContractTest, testing::Values(shm()),
                         [](const auto& instance) { return instance.param.name; });

TEST(ShmStoreTest, QuestionsTakeNoSpace) {
  const TableMemory memory(1000);
  const VisitorTable table = memory.table();
  ShmStore store(table, "a", 60);
  EXPECT_EQ(store.count({kNow, 5}).value(), 0);
  EXPECT_EQ(store.last_seen("42", kNow).value(), 0);
  EXPECT_TRUE(store.forget("42", kNow).ok());
  EXPECT_TRUE(store.purge(kNow).ok());
  EXPECT_TRUE(store.replace("42", "43", kNow).ok());
  EXPECT_EQ(table.usage().spaces, 0U);
}

TEST(ShmStoreTest, FindsItsSpaceAgainAfterItWasGivenAway) {
  const TableMemory memory(64);  // 32 spaces
  const VisitorTable table = memory.table();
  ShmStore store(table, "a", 60);
  ASSERT_TRUE(store.record("42", kNow).ok());
  const UnixTime later = kNow + 3601;
  for (int i = 0; i < 32; ++i) {
    ShmStore room(table, "room" + std::to_string(i), 60);
    ASSERT_TRUE(room.record("7", later + i).ok());
  }
  EXPECT_FALSE(table.find_space(table.space_key("a")));
  EXPECT_EQ(store.count({later, 120}).value(), 0) << "nobody of the room that has the space now";
  EXPECT_EQ(store.last_seen("7", later).value(), 0);
  ASSERT_TRUE(store.record("42", later + 100).ok());
  EXPECT_EQ(store.count({later + 100, 5}).value(), 1);
}

TEST(ShmStoreTest, MoreKeysInOneSecondThanSpacesIsAnErrorThatSaysWhatToDo) {
  const TableMemory memory(64);
  const VisitorTable table = memory.table();
  for (int i = 0; i < 32; ++i) {
    ShmStore room(table, "room" + std::to_string(i), 60);
    ASSERT_TRUE(room.record("7", kNow).ok());
  }
  ShmStore store(table, "a", 60);
  const Status status = store.record("42", kNow);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::no_space);
  EXPECT_NE(status.error().message.find("presence.max_visitors"), std::string::npos);
  EXPECT_TRUE(store.record("42", kNow + 2).ok());
}

}  // namespace
}  // namespace presence
