#include "segment/segment.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <fstream>

#include "segment/layout.h"
#include "unit/temp_folder.h"

namespace presence {
namespace {

constexpr std::size_t kSize = 10'000;

std::array<SectionSpec, 2> specs(std::uint32_t version = 1) {
  return {
      SectionSpec{SectionId::lanes, 1, 100, {}},
      SectionSpec{SectionId::minutes, version, kSize, [](std::span<std::byte> bytes) { bytes[0] = std::byte{42}; }}};
}

class SegmentTest : public testing::Test {
 protected:
  Result<Segment::Opened> open(std::uint32_t version = 1) {
    const auto sections = specs(version);
    return Segment::open({path_}, sections);
  }

  /// Overwrites bytes of the file behind everybody's back.
  void scribble(off_t at, const std::string& bytes) {
    const UniqueFd fd{::open(path_.c_str(), O_WRONLY)};
    ASSERT_EQ(pwrite(fd.get(), bytes.data(), bytes.size(), at), static_cast<ssize_t>(bytes.size()));
  }

  TempFolder folder_;
  std::string path_ = folder_.file("segment");
};

TEST_F(SegmentTest, IsCreatedForThisUserOnlyWithFormattedSections) {
  const Result<Segment::Opened> opened = open();
  ASSERT_TRUE(opened.ok()) << opened.error().message;
  EXPECT_EQ(opened->warning, "");
  struct stat status {};
  ASSERT_EQ(stat(path_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600U);
  EXPECT_EQ(status.st_nlink, 1U);
  const std::span<std::byte> section = opened->segment.section(SectionId::minutes);
  ASSERT_GE(section.size(), kSize);
  EXPECT_EQ(section[0], std::byte{42});
  EXPECT_EQ(section[1], std::byte{0});
  EXPECT_EQ(opened->segment.identity().size(), 32U);
}

TEST_F(SegmentTest, ReservesItsSpaceOnCreation) {
  const Result<Segment::Opened> opened = open();
  ASSERT_TRUE(opened.ok());
  struct stat status {};
  ASSERT_EQ(stat(path_.c_str(), &status), 0);
  EXPECT_GE(status.st_blocks * 512, status.st_size);
}

TEST_F(SegmentTest, OpenedTwiceIsTheSameMemory) {
  Result<Segment::Opened> first = open();
  ASSERT_TRUE(first.ok());
  first->segment.section(SectionId::minutes)[7] = std::byte{9};
  Result<Segment::Opened> second = open();
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(second->segment.section(SectionId::minutes)[7], std::byte{9});
  EXPECT_EQ(second->segment.identity(), first->segment.identity());
  EXPECT_EQ(second->segment.seed(), first->segment.seed());
}

TEST_F(SegmentTest, KeepsTheSizeItWasCreatedWith) {
  ASSERT_TRUE(open().ok());
  auto sections = specs();
  sections[1].size = 10 * kSize;
  const Result<Segment::Opened> opened = Segment::open({path_}, sections);
  ASSERT_TRUE(opened.ok());
  EXPECT_EQ(opened->warning, "");
  EXPECT_LT(opened->segment.section(SectionId::minutes).size(), 2 * kSize);
}

TEST_F(SegmentTest, AnotherVersionIsReplacedWithAWarning) {
  const Result<Segment::Opened> before = open(1);
  ASSERT_TRUE(before.ok());
  const Result<Segment::Opened> opened = open(2);
  ASSERT_TRUE(opened.ok());
  EXPECT_NE(opened->warning.find("another version"), std::string::npos) << opened->warning;
  EXPECT_NE(opened->segment.identity(), before->segment.identity());
  EXPECT_EQ(open(2)->warning, "") << "the warning comes once";
}

TEST_F(SegmentTest, CutShortIsReplacedWithAWarning) {
  for (const off_t size : {off_t{0}, off_t{1}, off_t{100}, off_t{4096}, off_t{8191}}) {
    ASSERT_TRUE(open().ok());
    ASSERT_EQ(truncate(path_.c_str(), size), 0);
    const Result<Segment::Opened> opened = open();
    ASSERT_TRUE(opened.ok()) << size;
    EXPECT_NE(opened->warning.find("cut short"), std::string::npos) << opened->warning;
  }
}

TEST_F(SegmentTest, AnyFlippedByteOfTheHeaderIsNoticed) {
  for (std::size_t at = 0; at < sizeof(SegmentHeader); ++at) {
    ASSERT_TRUE(open().ok());
    std::ifstream file(path_, std::ios::binary);
    std::string header(sizeof(SegmentHeader), '\0');
    file.read(header.data(), static_cast<std::streamsize>(header.size()));
    scribble(static_cast<off_t>(at), std::string(1, static_cast<char>(header[at] ^ 0x41)));
    const Result<Segment::Opened> opened = open();
    ASSERT_TRUE(opened.ok()) << at;
    EXPECT_NE(opened->warning, "") << at;
  }
}

TEST_F(SegmentTest, ALinkIsRefusedAndLeftAlone) {
  const std::string target = folder_.file("target");
  std::ofstream(target) << "precious";
  ASSERT_EQ(symlink(target.c_str(), path_.c_str()), 0);
  const Result<Segment::Opened> opened = open();
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().code, ErrorCode::damaged);
  EXPECT_NE(opened.error().message.find("symbolic link"), std::string::npos);
  std::string content;
  std::ifstream(target) >> content;
  EXPECT_EQ(content, "precious");
}

TEST_F(SegmentTest, AFileThatOthersMayOpenIsRefused) {
  ASSERT_TRUE(open().ok());
  ASSERT_EQ(chmod(path_.c_str(), 0640), 0);
  const Result<Segment::Opened> opened = open();
  ASSERT_FALSE(opened.ok());
  EXPECT_NE(opened.error().message.find("0600"), std::string::npos);
}

TEST_F(SegmentTest, AFileOfAnotherUserIsRefused) {
  if (geteuid() != 0) {
    GTEST_SKIP() << "needs root to make a file of another user";
  }
  ASSERT_TRUE(open().ok());
  ASSERT_EQ(chown(path_.c_str(), 12345, 12345), 0);
  const Result<Segment::Opened> opened = open();
  ASSERT_FALSE(opened.ok());
  EXPECT_NE(opened.error().message.find("another user"), std::string::npos);
}

TEST_F(SegmentTest, AFolderAndAPipeAreRefusedWithoutWaiting) {
  ASSERT_EQ(mkdir(path_.c_str(), 0700), 0);
  EXPECT_FALSE(open().ok());
  ASSERT_EQ(rmdir(path_.c_str()), 0);
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  EXPECT_FALSE(open().ok());
}

TEST_F(SegmentTest, AMissingFolderIsAnErrorThatNamesIt) {
  const auto sections = specs();
  const Result<Segment::Opened> opened = Segment::open({folder_.file("none/segment")}, sections);
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().code, ErrorCode::unavailable);
  EXPECT_NE(opened.error().message.find("none"), std::string::npos);
}

TEST_F(SegmentTest, AFullFileSystemIsAnErrorAndLeavesNothing) {
  auto sections = specs();
  sections[1].size = std::uint64_t{1} << 50;
  const Result<Segment::Opened> opened = Segment::open({path_}, sections);
  ASSERT_FALSE(opened.ok());
  EXPECT_NE(access(path_.c_str(), F_OK), 0);
}

TEST_F(SegmentTest, ManyProcessesThatStartAtOnceShareOneSegment) {
  constexpr int kProcesses = 16;
  std::array<int, 2> pipe_ends{};
  ASSERT_EQ(pipe(pipe_ends.data()), 0);
  for (int i = 0; i < kProcesses; ++i) {
    if (fork() == 0) {
      const Result<Segment::Opened> opened = open();
      const std::string identity = opened.ok() ? opened->segment.identity() : std::string(32, '?');
      const bool written = write(pipe_ends[1], identity.data(), 32) == 32;
      _exit(written ? 0 : 1);
    }
  }
  close(pipe_ends[1]);
  std::string first(32, '\0');
  for (int i = 0; i < kProcesses; ++i) {
    std::string identity(32, '\0');
    ASSERT_EQ(read(pipe_ends[0], identity.data(), 32), 32);
    if (i == 0) {
      first = identity;
    }
    EXPECT_EQ(identity, first);
  }
  close(pipe_ends[0]);
  while (wait(nullptr) > 0) {
  }
}

}  // namespace
}  // namespace presence
