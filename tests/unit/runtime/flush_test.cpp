// An explicit flush beside another process that is at it.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <optional>
#include <string>

#include "runtime/attachment.h"
#include "runtime/counter_service.h"
#include "segment/file_lock.h"
#include "unit/temp_folder.h"

namespace presence {
namespace {

class FlushTest : public testing::Test {
 protected:
  [[nodiscard]] Settings settings() const {
    Settings settings;
    settings.segment = folder_.file("segment");
    settings.data_dir = folder_.file("data");
    settings.max_series = 64;
    settings.max_visitors = 64;
    settings.flusher = FlusherMode::off;
    return settings;
  }

  TempFolder folder_;
  Attachment attachment_{settings()};
  CounterService counters_{attachment_};
};

TEST_F(FlushTest, SaysThatAnotherProcessHoldsItUp) {
  ASSERT_TRUE(counters_.add("a", std::nullopt, 0, 1).ok());
  std::optional<UniqueFd> other = std::move(attachment_.shared()->segment().reopen()).value();
  ASSERT_TRUE(file_lock::try_acquire(other->get(), LockByte::flush));
  const Result<std::int64_t> flushed = counters_.flush(SealScope::all, 0.05);
  ASSERT_FALSE(flushed.ok());
  EXPECT_EQ(flushed.error().code, ErrorCode::transient);
  other.reset();
  EXPECT_EQ(counters_.flush(SealScope::all, 0.05).value(), 1);
}

TEST_F(FlushTest, SaysThatAnotherProcessHoldsUpWhatIsOnDisk) {
  ASSERT_TRUE(counters_.add("a", std::nullopt, 0, 1).ok());
  const Result<Spool> spool = Spool::open(attachment_.data_folder());
  ASSERT_TRUE(spool.ok());
  std::optional<UniqueFd> other = spool->lock_for_sending();
  ASSERT_TRUE(other);
  const Result<std::int64_t> flushed = counters_.flush(SealScope::all, 0.05);
  ASSERT_FALSE(flushed.ok());
  EXPECT_EQ(flushed.error().code, ErrorCode::transient);
  other.reset();
  EXPECT_EQ(counters_.flush(SealScope::all, 0.05).value(), 1);
}

TEST_F(FlushTest, WithNothingToDoNobodyIsInTheWay) { EXPECT_EQ(counters_.flush(SealScope::all, 0.05).value(), 0); }

}  // namespace
}  // namespace presence
