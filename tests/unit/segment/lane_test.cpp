#include "segment/lane.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <vector>

#include "unit/temp_folder.h"

namespace presence {
namespace {

class LaneTest : public testing::Test {
 protected:
  void SetUp() override {
    const std::array<SectionSpec, 1> sections = {Lanes::section()};
    Result<Segment::Opened> opened = Segment::open({folder_.file("segment")}, sections);
    ASSERT_TRUE(opened.ok()) << opened.error().message;
    segment_ = std::make_unique<Segment>(std::move(opened->segment));
    lanes_ = std::make_unique<Lanes>(*segment_);
  }

  /// A child that does `work`, says so, and then waits to be killed.
  template <class Work>
  pid_t start(Work work) {
    std::array<int, 2> ready{};
    EXPECT_EQ(pipe(ready.data()), 0);
    const pid_t child = fork();
    if (child == 0) {
      work();
      (void)!write(ready[1], "x", 1);
      for (;;) {
        pause();
      }
    }
    char byte;
    EXPECT_EQ(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    close(ready[1]);
    return child;
  }

  /// Whether the lane is found dead within ten seconds: the child that is to close it may not have run yet.
  static bool dies(const Lanes& lanes, LaneIndex lane) {
    for (int i = 0; i < 1000 && lanes.alive(lane); ++i) {
      usleep(10'000);
    }
    return !lanes.alive(lane);
  }

  static void kill_and_wait(pid_t child) {
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
  }

  TempFolder folder_;
  std::unique_ptr<Segment> segment_;
  std::unique_ptr<Lanes> lanes_;
};

TEST_F(LaneTest, EachHolderHasItsOwn) {
  std::vector<Lane> held;
  for (LaneIndex i = 0; i < 40; ++i) {
    Result<Lane> lane = Lane::claim(*lanes_);
    ASSERT_TRUE(lane.ok());
    EXPECT_EQ(lane->index(), i);
    EXPECT_TRUE(lanes_->alive(i));
    held.push_back(std::move(*lane));
  }
  EXPECT_EQ(lanes_->used(), 40U);
}

TEST_F(LaneTest, IsFreeAgainWhenItsHolderGoes) {
  {
    const Result<Lane> lane = Lane::claim(*lanes_);
    ASSERT_TRUE(lane.ok());
  }
  EXPECT_FALSE(lanes_->alive(0));
  const Result<Lane> again = Lane::claim(*lanes_);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->index(), 0);
}

TEST_F(LaneTest, OfAKilledProcessIsNotAliveAndIsTakenOverEmpty) {
  const pid_t child = start([this] {
    static Result<Lane> lane = Lane::claim(*lanes_);
    lane->enter(3);
  });
  EXPECT_TRUE(lanes_->alive(0));
  EXPECT_EQ(lanes_->record(0).writing_to.load(), 4U);
  kill_and_wait(child);
  EXPECT_FALSE(lanes_->alive(0));
  const Result<Lane> lane = Lane::claim(*lanes_);
  ASSERT_TRUE(lane.ok());
  EXPECT_EQ(lane->index(), 0);
  EXPECT_EQ(lanes_->record(0).writing_to.load(), 0U);
}

TEST_F(LaneTest, DoesNotLiveOnInAForkedChild) {
  // The middle process holds a lane and forks; it is killed while its child lives on.
  std::array<int, 2> grandchild_pid{};
  ASSERT_EQ(pipe(grandchild_pid.data()), 0);
  const pid_t middle = start([&] {
    static Result<Lane> lane = Lane::claim(*lanes_);
    const pid_t grandchild = fork();
    if (grandchild == 0) {
      for (;;) {
        pause();
      }
    }
    (void)!write(grandchild_pid[1], &grandchild, sizeof grandchild);
  });
  pid_t grandchild = 0;
  ASSERT_EQ(read(grandchild_pid[0], &grandchild, sizeof grandchild), static_cast<ssize_t>(sizeof grandchild));
  EXPECT_TRUE(lanes_->alive(0)) << "the fork must not cost the parent its lane";
  kill_and_wait(middle);
  EXPECT_TRUE(dies(*lanes_, 0));
  kill(grandchild, SIGKILL);
}

TEST_F(LaneTest, ForksCloseTheLanesOfEverySegment) {
  const std::array<SectionSpec, 1> sections = {Lanes::section()};
  Result<Segment::Opened> other = Segment::open({folder_.file("other")}, sections);
  ASSERT_TRUE(other.ok());
  const Lanes other_lanes(other->segment);
  const pid_t middle = start([&] {
    static Result<Lane> first = Lane::claim(*lanes_);
    static Result<Lane> second = Lane::claim(other_lanes);
    if (fork() == 0) {
      close(1);
      close(2);
      sleep(20);
      _exit(0);
    }
  });
  EXPECT_TRUE(lanes_->alive(0));
  EXPECT_TRUE(other_lanes.alive(0));
  kill_and_wait(middle);
  EXPECT_TRUE(dies(*lanes_, 0));
  EXPECT_TRUE(dies(other_lanes, 0));
}

TEST_F(LaneTest, AForkedChildSeesThatItIsNotItsOwn) {
  const Result<Lane> lane = Lane::claim(*lanes_);
  ASSERT_TRUE(lane.ok());
  EXPECT_FALSE(lane->inherited());
  const pid_t child = fork();
  if (child == 0) {
    const bool inherited = lane->inherited();
    const Result<Lane> own = Lane::claim(*lanes_);
    _exit(inherited && own.ok() && own->index() == 1 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(lanes_->alive(0));
}

TEST_F(LaneTest, WhenAllAreHeldTheNextIsAnError) {
  std::vector<Lane> held;
  for (std::uint32_t i = 0; i < Lanes::kCount; ++i) {
    Result<Lane> lane = Lane::claim(*lanes_);
    if (!lane.ok()) {
      // The limit of open files may be lower than the number of lanes.
      ASSERT_EQ(lane.error().code, ErrorCode::unavailable);
      GTEST_SKIP() << lane.error().message;
    }
    held.push_back(std::move(*lane));
  }
  const Result<Lane> one_more = Lane::claim(*lanes_);
  ASSERT_FALSE(one_more.ok());
  EXPECT_EQ(one_more.error().code, ErrorCode::no_space);
}

}  // namespace
}  // namespace presence
