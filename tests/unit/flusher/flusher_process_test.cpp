#include "flusher/flusher_process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/dsn.h"
#include "sinks/sink.h"
#include "unit/counters/counting_fixture.h"

namespace presence {
namespace {

/// Looks again and again until something is so, for at most ten seconds.
template <class Condition>
bool eventually(Condition condition) {
  for (int i = 0; i < 1000; ++i) {
    if (condition()) {
      return true;
    }
    usleep(10'000);
  }
  return false;
}

class FlusherProcessTest : public CountingFixture {
 protected:
  void SetUp() override {
    const std::array<SectionSpec, 4> sections = {Lanes::section(), TargetTable::section(), MinuteTables::section(1024),
                                                 FlusherRecord::section()};
    Result<Segment::Opened> opened = Segment::open({folder_.file("segment")}, sections);
    ASSERT_TRUE(opened.ok()) << opened.error().message;
    segment_ = std::make_unique<Segment>(std::move(opened->segment));
    lanes_ = std::make_unique<Lanes>(*segment_);
    targets_ = std::make_unique<TargetTable>(*segment_);
    tables_ = std::make_unique<MinuteTables>(*segment_);
    const Result<Dsn> dsn = parse_dsn("sqlite:" + database_);
    ASSERT_TRUE(dsn.ok());
    ASSERT_EQ(targets_->find_or_add(dsn->fingerprint(), "sqlite:" + database_), TargetIndex{0});
  }

  void TearDown() override {
    if (segment_ != nullptr && record().pid.load() != 0) {
      kill(record().pid.load(), SIGKILL);
      eventually([this] { return !flusher_lives(source()); });
    }
  }

  [[nodiscard]] FlusherRecord& record() const { return *FlusherRecord::of(*segment_); }
  [[nodiscard]] FlusherSource source() const { return {*segment_, *lanes_, *tables_, *targets_, record()}; }

  /// Starts one and waits until it beats.
  pid_t start() {
    EXPECT_NE(start_flusher(source(), folder_.file("data")), FlusherStart::forbidden);
    EXPECT_TRUE(eventually([this] { return flusher_lives(source()) && record().heartbeat.load() != 0; }));
    return record().pid.load();
  }

  /// Adds that reached the database.
  [[nodiscard]] std::int64_t stored() const {
    Result<std::unique_ptr<Sink>> sink = open_sink(*parse_dsn("sqlite:" + database_));
    CounterQuery query;
    query.name = "a";
    query.until = std::int64_t{1} << 40;
    query.step = 86400;
    std::int64_t count = 0;
    const Result<std::vector<CounterBucket>> buckets = (*sink)->read(query);
    for (const CounterBucket& bucket : buckets ? *buckets : std::vector<CounterBucket>{}) {
      count += bucket.sums.count;
    }
    return count;
  }

  [[nodiscard]] static std::string field(pid_t process, const std::string& name) {
    std::ifstream status("/proc/" + std::to_string(process) + "/status");
    for (std::string line; std::getline(status, line);) {
      if (line.starts_with(name + ":")) {
        return line.substr(name.size() + 2);
      }
    }
    return {};
  }

  /// Whether the process, given by its folder below /proc, has this test's segment open.
  [[nodiscard]] bool maps_segment(const std::filesystem::path& process) const {
    struct stat status {};
    if (fstat(segment_->fd(), &status) != 0) {
      return false;
    }
    const std::string inode = " " + std::to_string(status.st_ino) + " ";
    std::ifstream maps(process / "maps");
    for (std::string line; std::getline(maps, line);) {
      if (line.find(inode) != std::string::npos) {
        return true;
      }
    }
    return false;
  }

  std::string database_ = folder_.file("counters.sqlite");
};

TEST_F(FlusherProcessTest, OneLivesAndASecondStartFindsIt) {
  const pid_t first = start();
  EXPECT_TRUE(flusher_seems_fine(record(), clock::now()));
  EXPECT_EQ(start_flusher(source(), folder_.file("data")), FlusherStart::lives);
  EXPECT_EQ(record().pid.load(), first);
}

TEST_F(FlusherProcessTest, ManyStartsAtOnceLeaveOne) {
  for (int i = 0; i < 10; ++i) {
    (void)start_flusher(source(), folder_.file("data"));
  }
  start();
  EXPECT_TRUE(eventually([this] {
    int flushers = 0;
    for (const auto& process : std::filesystem::directory_iterator("/proc")) {
      std::ifstream name(process.path() / "comm");
      std::string text;
      std::getline(name, text);
      std::error_code ignored;
      if (text == "presence: flush" &&
          std::filesystem::read_symlink(process.path() / "exe", ignored) ==
              std::filesystem::read_symlink("/proc/self/exe", ignored) &&
          maps_segment(process.path())) {
        ++flushers;
      }
    }
    return flushers == 1;
  }));
}

TEST_F(FlusherProcessTest, KeepsNothingOfItsParent) {
  const int inherited = ::open("/proc/self/status", O_RDONLY);
  signal(SIGUSR1, SIG_IGN);
  const pid_t flusher = start();
  signal(SIGUSR1, SIG_DFL);
  EXPECT_EQ(field(flusher, "PPid"), "1");
  EXPECT_EQ(getsid(flusher) == getsid(0), false);
  EXPECT_EQ(std::stoull(field(flusher, "SigIgn"), nullptr, 16), 1ULL << (SIGPIPE - 1));
  // Signals 32 and 33 are the C library's own, for its threads; it lets nobody change them.
  constexpr std::uint64_t kOfTheLibrary = 3ULL << 31;
  EXPECT_EQ(std::stoull(field(flusher, "SigCgt"), nullptr, 16) & ~kOfTheLibrary, 0ULL);
  const std::string folder = "/proc/" + std::to_string(flusher) + "/fd";
  ASSERT_TRUE(eventually([&] {
    std::error_code gone;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      const std::string target = std::filesystem::read_symlink(entry.path(), gone);
      if (!gone && target != "/dev/null" && !target.starts_with(folder_.path())) {
        return false;
      }
    }
    return true;
  }));
  EXPECT_EQ(std::filesystem::read_symlink("/proc/" + std::to_string(flusher) + "/cwd"), "/");
  close(inherited);
}

TEST_F(FlusherProcessTest, EndsCleanlyOnSigtermAndStoresTheRunningMinuteFirst) {
  const pid_t flusher = start();
  {
    Adder adder = accumulator();
    ASSERT_TRUE(adder.add({0, "a", std::nullopt}, 1));
  }
  kill(flusher, SIGTERM);
  EXPECT_TRUE(eventually([this] { return !flusher_lives(source()); }));
  EXPECT_EQ(record().pid.load(), 0);
  EXPECT_TRUE(eventually([this] { return stored() == 1; }));
}

TEST_F(FlusherProcessTest, AKilledOneIsReplacedAndLosesNothing) {
  const pid_t first = start();
  Adder adder = accumulator();
  ASSERT_TRUE(adder.add({0, "a", std::nullopt}, 1));
  kill(first, SIGKILL);
  ASSERT_TRUE(eventually([this] { return !flusher_lives(source()); }));
  ASSERT_TRUE(adder.add({0, "a", std::nullopt}, 1));
  EXPECT_EQ(start_flusher(source(), folder_.file("data")), FlusherStart::started);
  ASSERT_TRUE(eventually([&] { return flusher_lives(source()) && record().pid.load() != first; }));
  kill(record().pid.load(), SIGTERM);
  EXPECT_TRUE(eventually([this] { return stored() == 2; }));
}

TEST_F(FlusherProcessTest, HandsOverToANewerBuild) {
  const pid_t first = start();
  record().wanted_build.store(flusher_build() + 1);
  EXPECT_TRUE(eventually([this] { return !flusher_lives(source()); }));
  EXPECT_NE(start(), first) << "also when nobody of the newer build comes after all";
  EXPECT_TRUE(flusher_seems_fine(record(), clock::now()));
}

TEST_F(FlusherProcessTest, GoesWhenItsSegmentIsReplacedAndNobodyUsesIt) {
  start();
  ASSERT_EQ(unlink(segment_->path().c_str()), 0);
  EXPECT_TRUE(eventually([this] { return !flusher_lives(source()); }));
}

TEST_F(FlusherProcessTest, GoesWhenSegmentAndDataAreClearedAwayAlthoughRowsCannotBeStored) {
  const pid_t flusher = start();
  {
    Adder adder = accumulator();
    ASSERT_TRUE(adder.add({0, "a", std::nullopt}, 1));
  }
  std::filesystem::remove_all(folder_.path());
  EXPECT_TRUE(eventually([&] { return kill(flusher, 0) != 0 || field(flusher, "State").starts_with("Z"); }));
}

}  // namespace
}  // namespace presence
