// Processes that are killed or stopped between two steps, and others that must get on regardless.
#pragma once

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/dsn.h"
#include "base/stop_points.h"
#include "counters/accumulator.h"
#include "flusher/drain.h"
#include "flusher/flusher_process.h"
#include "sinks/sink.h"
#include "stop_points/books.h"
#include "unit/temp_folder.h"

namespace presence {

/// A mapped segment with all that counting and draining need. Each process makes its own.
class Site {
 public:
  static std::array<SectionSpec, 4> sections() {
    return {Lanes::section(), TargetTable::section(), MinuteTables::section(64), FlusherRecord::section()};
  }

  /// Null if the segment cannot be had or is damaged.
  static std::unique_ptr<Site> open(const std::string& path) {
    const auto specs = sections();
    Result<Segment::Opened> opened = Segment::open({path}, specs);
    if (!opened) {
      return nullptr;
    }
    std::unique_ptr<Site> site(new Site(std::move(opened->segment)));
    return site->targets.valid() && site->tables.valid() ? std::move(site) : nullptr;
  }

  [[nodiscard]] FlusherSource flusher() const { return {segment, lanes, tables, targets, *FlusherRecord::of(segment)}; }
  [[nodiscard]] DrainSource drain_source() const { return {segment, lanes, tables, targets}; }

  Segment segment;
  Lanes lanes;
  TargetTable targets;
  MinuteTables tables;

 private:
  explicit Site(Segment mapped) : segment(std::move(mapped)), lanes(segment), targets(segment), tables(segment) {}
};

/// One process's way of adding, with a lane of its own.
class Adder {
 public:
  explicit Adder(const Site& site, TargetIndex target)
      : target_(target), lane_(Lane::claim(site.lanes)), accumulator_(site.tables, *lane_) {}

  /// Adds, and keeps the books. False if there was no room, which the tests never allow to happen.
  bool add(Books& books, Series series, double value) {
    const auto place = static_cast<std::size_t>(series);
    books.intended[place].note(value);
    const SeriesKey key{target_, kSeriesNames[place], std::nullopt};
    const bool added = accumulator_.add(key, key.hash(0), value);
    if (added) {
      books.returned[place].note(value);
    }
    return added;
  }

  /// A round over all series.
  bool add_to_all(Books& books) {
    bool added = true;
    for (const double value : {3.0, 1.0, 5.0}) {
      added = add(books, Series::few, value) && added;
    }
    for (int i = 0; i < 12; ++i) {
      added = add(books, Series::often, 20.0 + (i % 2 == 0 ? i : -i)) && added;
    }
    for (int i = 0; i < 12; ++i) {
      added = add(books, Series::large, i % 2 == 0 ? 9007199254740992.0 : 1.0) && added;
    }
    return added;
  }

 private:
  TargetIndex target_;
  Result<Lane> lane_;
  Accumulator accumulator_;
};

/// A site on disk, and processes that come to a bad end in it.
class StopPointFixture : public testing::Test {
 protected:
  void SetUp() override { set_up("sqlite:" + folder_.file("counters.sqlite")); }

  void set_up(const std::string& dsn) {
    dsn_ = dsn;
    site_ = Site::open(path_);
    ASSERT_NE(site_, nullptr);
    ASSERT_EQ(target_of(*site_), TargetIndex{0});
  }

  [[nodiscard]] std::optional<TargetIndex> target_of(const Site& site) const {
    return site.targets.find_or_add(parse_dsn(dsn_)->fingerprint(), dsn_);
  }

  [[nodiscard]] DrainReport drain_all(const Site& site) const {
    DrainOptions options;
    options.scope = SealScope::all;
    options.even_if_put_off = true;
    const DrainSource source = site.drain_source();
    return drain(&source, data_, options, clock::now());
  }

  /// Runs in a process of its own; `_exit(0)` follows. Returns its id.
  [[nodiscard]] static pid_t start(const std::function<void()>& life) {
    const pid_t child = fork();
    if (child == 0) {
      life();
      _exit(0);
    }
    return child;
  }

  /// Sends a signal to the process at the point, while it lives. Returns its status (see waitpid(2)): it was killed,
  /// has stopped and can be told to go on, or came to its end.
  [[nodiscard]] static int run_until(const std::string& point, std::uint32_t hit, int signal,
                                     const std::function<void()>& life, pid_t* stopped = nullptr) {
    const pid_t child = start([&] {
      stop_points::signal_at(point, hit, signal);
      life();
    });
    int status = 0;
    waitpid(child, &status, signal == SIGSTOP ? WUNTRACED : 0);
    if (stopped != nullptr) {
      *stopped = child;
    }
    return status;
  }

  /// What a process does here: comes, counts, drains, counts on, drains again.
  void live(int number) const {
    const std::unique_ptr<Site> site = Site::open(path_);
    const std::optional<TargetIndex> target = target_of(*site);
    // A database that nobody had heard of.
    (void)site->targets.find_or_add(std::string(32, static_cast<char>('a' + number % 6)), std::to_string(number));
    Adder adder(*site, *target);
    for (int round = 0; round < 2; ++round) {
      adder.add_to_all(*books_);
      (void)drain_all(*site);
    }
  }

  /// What must still work for others, `before` among them, who came earlier.
  void others_go_on(Adder& before) const {
    EXPECT_TRUE(before.add_to_all(*books_));
    Adder after(*site_, 0);
    EXPECT_TRUE(after.add_to_all(*books_));
  }

  /// One drain brings all there is to the database.
  void one_drain_brings_it_home() const {
    const DrainReport report = drain_all(*site_);
    EXPECT_TRUE(report.ran);
    EXPECT_FALSE(report.error) << report.error->message;
    EXPECT_EQ(tables_in_use(), 0);
    EXPECT_EQ(site_->tables.drains().waiting.load(), 0U);
    for (const auto& file : std::filesystem::directory_iterator(data_ + "/spool")) {
      EXPECT_EQ(file.path().filename(), "lock") << "was left behind";
    }
  }

  [[nodiscard]] int tables_in_use() const {
    int in_use = 0;
    for (std::uint32_t number = 0; number < MinuteTables::kTables; ++number) {
      in_use += site_->tables.table(number).state().phase() == TablePhase::free ? 0 : 1;
    }
    return in_use;
  }

  [[nodiscard]] Sums stored(Series series) const {
    const Result<std::unique_ptr<Sink>> sink = open_sink(*parse_dsn(dsn_));
    CounterQuery query;
    query.name = kSeriesNames[static_cast<std::size_t>(series)];
    query.since = -(std::int64_t{1} << 40);
    query.until = std::int64_t{1} << 40;
    query.step = 86400;
    const Result<std::vector<CounterBucket>> buckets = (*sink)->read(query);
    EXPECT_TRUE(buckets.ok()) << buckets.error().message;
    Sums sums{0, std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(), 0};
    for (const CounterBucket& bucket : buckets ? *buckets : std::vector<CounterBucket>{}) {
      sums.total += bucket.sums.total;
      sums.minimum = std::min(sums.minimum, bucket.sums.minimum);
      sums.maximum = std::max(sums.maximum, bucket.sums.maximum);
      sums.count += bucket.sums.count;
    }
    return sums;
  }

  /// The database agrees with the books: all that returned is there once; of `cut_off` adds there may be a part.
  void the_books_agree(std::int64_t cut_off) const {
    std::int64_t doubtful = 0;
    for (const Series series : {Series::few, Series::often, Series::large}) {
      const auto place = static_cast<std::size_t>(series);
      SCOPED_TRACE(kSeriesNames[place]);
      const Account& intended = (*books_).intended[place];
      const Account& returned = (*books_).returned[place];
      const Sums found = stored(series);
      // Large totals are added up by the database, which rounds.
      const double rounding = series == Series::large ? intended.total * 1e-12 : 0;
      EXPECT_GE(found.count, returned.count);
      EXPECT_LE(found.count, intended.count);
      EXPECT_GE(found.total, returned.total - rounding);
      EXPECT_LE(found.total, intended.total + rounding);
      EXPECT_LE(found.minimum, returned.minimum);
      EXPECT_GE(found.minimum, intended.minimum);
      EXPECT_GE(found.maximum, returned.maximum);
      EXPECT_LE(found.maximum, intended.maximum);
      doubtful += intended.count - returned.count;
    }
    EXPECT_LE(doubtful, cut_off);
  }

  TempFolder folder_;
  std::string path_ = folder_.file("segment");
  std::string data_ = folder_.file("data");
  std::string dsn_;
  std::unique_ptr<Site> site_;
  SharedBooks books_;
};

}  // namespace presence
