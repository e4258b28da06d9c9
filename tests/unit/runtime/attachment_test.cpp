// What could not be had is tried again. The clock's part of it is tested by tests/phpt/segment/recovers.phpt.
#include "runtime/attachment.h"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "runtime/presence_service.h"
#include "unit/temp_folder.h"

namespace presence {
namespace {

TEST(AttachmentTest, ALaneThatWasNotToBeHadIsAWarningOnceAndVisitorsGoElsewhere) {
  const TempFolder folder;
  Settings settings;
  settings.segment = folder.file("segment");
  settings.data_dir = folder.file("data");
  settings.max_series = 64;
  settings.max_visitors = 64;
  Attachment first(settings);
  ASSERT_NE(first.lane(), nullptr);
  std::vector<Lane> all;
  for (;;) {
    Result<Lane> lane = Lane::claim(first.shared()->lanes());
    if (!lane) {
      break;
    }
    all.push_back(std::move(*lane));
  }
  Attachment second(settings);
  EXPECT_EQ(second.lane(), nullptr);
  EXPECT_NE(second.take_warning(), "");
  const std::uint32_t generation = second.visitors_generation();
  const Result<Attachment::Visitors> elsewhere = second.visitors();
  ASSERT_TRUE(elsewhere.ok());
  EXPECT_NE(elsewhere->shared, second.shared());
  all.clear();
  EXPECT_EQ(second.lane(), nullptr) << "not yet: it would cost too much to look each time";
  EXPECT_EQ(second.visitors_generation(), generation);
  EXPECT_EQ(second.take_warning(), "");
}

}  // namespace
}  // namespace presence
