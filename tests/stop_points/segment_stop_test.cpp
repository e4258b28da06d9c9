// A process dies at each step of making a segment, and of replacing a damaged one.
#include <filesystem>

#include "stop_points/stop_point_fixture.h"

namespace presence {
namespace {

constexpr std::array kSegmentPoints = {"segment.reserved", "segment.formatted", "segment.complete",
                                       "segment.named",    "segment.judged",    "segment.taken_out"};

class SegmentStopTest : public StopPointFixture, public testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override {}  // The segment is what it is about.

  void make_and_replace() const {
    (void)Site::open(path_);
    // Cut short, it is of no use to anybody.
    (void)!truncate(path_.c_str(), 100);
    (void)Site::open(path_);
  }
};

TEST_P(SegmentStopTest, KilledThereTheNextOneGetsAWholeSegment) {
  std::uint32_t kills = 0;
  for (std::uint32_t hit = 1; hit <= 2; ++hit) {
    const int status = run_until(GetParam(), hit, SIGKILL, [this] { make_and_replace(); });
    kills += WIFSIGNALED(status) ? 1 : 0;
    StopPointFixture::SetUp();
    const std::unique_ptr<Site> another = Site::open(path_);
    ASSERT_NE(another, nullptr);
    EXPECT_EQ(another->segment.identity(), site_->segment.identity());
    Adder adder(*site_, 0);
    others_go_on(adder);
    one_drain_brings_it_home();
    the_books_agree(0);
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
    for (const auto& file : std::filesystem::directory_iterator(folder_.path())) {
      const std::string name = file.path().filename();
      EXPECT_TRUE(name == "data" || name.starts_with("counters.sqlite")) << name << " was left behind";
    }
  }
  EXPECT_GE(kills, 1U) << "nothing comes to this point";
}

INSTANTIATE_TEST_SUITE_P(Segment, SegmentStopTest, testing::ValuesIn(kSegmentPoints));

}  // namespace
}  // namespace presence
