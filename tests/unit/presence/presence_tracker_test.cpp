#include "presence/presence_tracker.h"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <string>
#include <utility>

#include "presence/visitor_id.h"
#include "stores/shm_store.h"
#include "unit/visitors/table_memory.h"

namespace presence {
namespace {

constexpr UnixTime kNow = 1'800'000'000;

/// The store in shared memory, made to look like a distant one: its answers are worth keeping, each call is counted,
/// and it can fail.
class DistantStore final : public Store {
 public:
  struct Wire {
    int round_trips = 0;
    std::size_t visitors_asked = 0;
    std::optional<Error> failure;
  };

  DistantStore(const VisitorTable& table, const PresenceOptions& options, Wire& wire)
      : store_(table, options.key, options.retention), wire_(wire) {}

  Status record(std::string_view visitor, UnixTime now) override {
    return down() ? Status(*wire_.failure) : store_.record(visitor, now);
  }
  Result<std::int64_t> count(const Window& window) override {
    return down() ? Result<std::int64_t>(*wire_.failure) : store_.count(window);
  }
  Result<std::vector<std::string>> ids(const Window& window) override {
    return down() ? Result<std::vector<std::string>>(*wire_.failure) : store_.ids(window);
  }
  Status online(std::span<const std::string_view> visitors, const Window& window, std::span<bool> answers) override {
    wire_.visitors_asked += visitors.size();
    return down() ? Status(*wire_.failure) : store_.online(visitors, window, answers);
  }
  Result<UnixTime> last_seen(std::string_view visitor, UnixTime now) override {
    return down() ? Result<UnixTime>(*wire_.failure) : store_.last_seen(visitor, now);
  }
  Status forget(std::string_view visitor, UnixTime now) override {
    return down() ? Status(*wire_.failure) : store_.forget(visitor, now);
  }
  Status replace(std::string_view from, std::string_view to, UnixTime now) override {
    return down() ? Status(*wire_.failure) : store_.replace(from, to, now);
  }
  Status purge(UnixTime now) override { return down() ? Status(*wire_.failure) : store_.purge(now); }

 private:
  bool down() {
    ++wire_.round_trips;
    return wire_.failure.has_value();
  }

  ShmStore store_;
  Wire& wire_;
};

class PresenceTrackerTest : public testing::Test {
 protected:
  PresenceTracker distant(PresenceOptions options = {}) {
    return PresenceTracker::open(
               std::move(options), "distant",
               [this](const PresenceOptions& o) -> Result<std::unique_ptr<Store>> {
                 return std::unique_ptr<Store>(std::make_unique<DistantStore>(table_, o, wire_));
               },
               cache_)
        .value();
  }
  PresenceTracker shm(PresenceOptions options = {}) {
    return PresenceTracker::open(
               std::move(options), "shm",
               [this](const PresenceOptions& o) -> Result<std::unique_ptr<Store>> {
                 return std::unique_ptr<Store>(std::make_unique<ShmStore>(table_, o.key, o.retention));
               },
               cache_)
        .value();
  }
  /// What another process does: past the tracker and its cache.
  void elsewhere(std::string_view visitor, UnixTime now) {
    ASSERT_TRUE(ShmStore(table_, "users:online", 60).record(visitor, now).ok());
  }

  TableMemory memory_{4000};
  VisitorTable table_ = memory_.table();
  AnswerCache cache_;
  DistantStore::Wire wire_;
};

TEST_F(PresenceTrackerTest, CountsWithinTheWindowOfItsOptionsUnlessAskedForAnother) {
  PresenceTracker tracker = shm();
  ASSERT_TRUE(tracker.persist("1", kNow - 300).ok());
  ASSERT_TRUE(tracker.persist("2", kNow - 301).ok());
  EXPECT_EQ(tracker.count({}, kNow).value(), 1);
  EXPECT_EQ(tracker.count(6, kNow).value(), 2);
  EXPECT_EQ(tracker.ids({}, kNow).value(), std::vector<std::string>{"1"});
  EXPECT_TRUE(tracker.is_online("1", {}, kNow).value());
  EXPECT_FALSE(tracker.is_online("2", {}, kNow).value());
  EXPECT_TRUE(tracker.is_online("2", 6, kNow).value());
  EXPECT_EQ(tracker.last_seen("2", kNow).value(), kNow - 301);
  EXPECT_EQ(tracker.last_seen("3", kNow).value(), std::nullopt);
}

TEST_F(PresenceTrackerTest, AnIntegerAndItsDecimalFormAreOneVisitor) {
  PresenceTracker tracker = shm();
  ASSERT_TRUE(tracker.persist(IntegerId(42).view(), kNow).ok());
  ASSERT_TRUE(tracker.persist("42", kNow).ok());
  EXPECT_EQ(tracker.count({}, kNow).value(), 1);
}

TEST_F(PresenceTrackerTest, RefusesWrongMinutesAndSaysWhatTheyMustBe) {
  PresenceTracker tracker = shm();
  for (const std::int64_t minutes : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{61}, INT64_MAX, INT64_MIN}) {
    const std::string message = "must be between 1 and 60 (the retention), " + std::to_string(minutes) + " given";
    EXPECT_EQ(tracker.count(minutes, kNow).error().message, message);
    EXPECT_EQ(tracker.ids(minutes, kNow).error().message, message);
    EXPECT_EQ(tracker.is_online("1", minutes, kNow).error().message, message);
    EXPECT_EQ(tracker.are_online({}, {}, minutes, kNow).error().message, message);
    EXPECT_EQ(tracker.count(minutes, kNow).error().code, ErrorCode::invalid_argument);
  }
  EXPECT_TRUE(tracker.count(60, kNow).ok());
}

TEST_F(PresenceTrackerTest, RefusesWrongIdsBeforeAnythingIsChanged) {
  PresenceTracker tracker = distant();
  for (const std::string& id : {std::string(), std::string(251, 'x'), std::string("a\0b", 3)}) {
    EXPECT_EQ(tracker.persist(id, kNow).error().code, ErrorCode::invalid_argument);
    EXPECT_EQ(tracker.forget(id, kNow).error().code, ErrorCode::invalid_argument);
    EXPECT_EQ(tracker.replace("1", id, kNow).error().code, ErrorCode::invalid_argument);
    EXPECT_EQ(tracker.replace(id, "1", kNow).error().code, ErrorCode::invalid_argument);
    EXPECT_EQ(tracker.last_seen(id, kNow).error().code, ErrorCode::invalid_argument);
    EXPECT_EQ(tracker.is_online(id, {}, kNow).error().code, ErrorCode::invalid_argument);
  }
  EXPECT_EQ(wire_.round_trips, 0);
}

TEST_F(PresenceTrackerTest, RefusesOptionsThatDoNotGoTogether) {
  PresenceOptions options;
  options.window = 90;
  const auto tracker = PresenceTracker::open(options, "x", {}, cache_);
  ASSERT_FALSE(tracker.ok());
  EXPECT_EQ(tracker.error().code, ErrorCode::invalid_argument);
}

TEST_F(PresenceTrackerTest, TheSameQuestionCostsOneRoundTripInARequest) {
  PresenceTracker tracker = distant();
  ASSERT_TRUE(tracker.persist("1", kNow).ok());
  wire_ = {};
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(tracker.is_online("1", {}, kNow).value());
    EXPECT_FALSE(tracker.is_online("2", {}, kNow).value());
    EXPECT_EQ(tracker.count({}, kNow).value(), 1);
  }
  EXPECT_EQ(wire_.round_trips, 3);
  EXPECT_TRUE(tracker.is_online("1", 6, kNow).value());
  EXPECT_EQ(wire_.round_trips, 4) << "another window is another question";
}

TEST_F(PresenceTrackerTest, ManyVisitorsAreOneRoundTripAndOnlyForThoseNotYetKnown) {
  PresenceTracker tracker = distant();
  ASSERT_TRUE(tracker.persist("1", kNow).ok());
  ASSERT_TRUE(tracker.persist("3", kNow).ok());
  EXPECT_TRUE(tracker.is_online("1", {}, kNow).value());
  wire_ = {};
  const std::array<std::string_view, 4> asked{"1", "2", "3", "4"};
  std::array<bool, 4> answers{};
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(tracker.are_online(asked, answers, {}, kNow).ok());
    EXPECT_EQ(answers, (std::array<bool, 4>{true, false, true, false}));
  }
  EXPECT_EQ(wire_.round_trips, 1);
  EXPECT_EQ(wire_.visitors_asked, 3U);
}

TEST_F(PresenceTrackerTest, AnswersAreKeptForTheRequestAndAtMostASecond) {
  PresenceTracker tracker = distant();
  EXPECT_EQ(tracker.count({}, kNow).value(), 0);
  EXPECT_FALSE(tracker.is_online("1", {}, kNow).value());
  elsewhere("1", kNow);
  EXPECT_EQ(tracker.count({}, kNow).value(), 0);
  EXPECT_FALSE(tracker.is_online("1", {}, kNow).value());
  EXPECT_EQ(tracker.count({}, kNow + 1).value(), 1);
  EXPECT_TRUE(tracker.is_online("1", {}, kNow + 1).value());
  elsewhere("2", kNow);
  EXPECT_EQ(tracker.count({}, kNow + 1).value(), 1);
  cache_.begin_request();
  EXPECT_EQ(tracker.count({}, kNow + 1).value(), 2);
}

TEST_F(PresenceTrackerTest, OwnChangesAreSeenAtOnceAlsoThroughAnotherObjectOfTheKey) {
  PresenceTracker tracker = distant();
  PresenceTracker other = distant();
  const auto sees = [&](std::string_view visitor, bool online, std::int64_t count) {
    EXPECT_EQ(tracker.is_online(visitor, {}, kNow).value(), online) << visitor;
    EXPECT_EQ(tracker.count({}, kNow).value(), count) << visitor;
  };
  sees("1", false, 0);
  ASSERT_TRUE(other.persist("1", kNow).ok());
  sees("1", true, 1);
  sees("2", false, 1);
  ASSERT_TRUE(other.replace("1", "2", kNow).ok());
  sees("1", false, 1);
  sees("2", true, 1);
  ASSERT_TRUE(other.forget("2", kNow).ok());
  sees("2", false, 0);
  ASSERT_TRUE(tracker.persist("3", kNow - 3601).ok());
  EXPECT_TRUE(tracker.is_online("3", 60, kNow - 1).value());
  ASSERT_TRUE(other.purge(kNow).ok());
  EXPECT_FALSE(tracker.is_online("3", 60, kNow - 1).value());
}

TEST_F(PresenceTrackerTest, CountAgreesWithTheListJustShown) {
  PresenceTracker tracker = distant();
  ASSERT_TRUE(tracker.persist("1", kNow).ok());
  EXPECT_EQ(tracker.ids({}, kNow).value().size(), 1U);
  elsewhere("2", kNow);
  EXPECT_EQ(tracker.count({}, kNow).value(), 1);
}

TEST_F(PresenceTrackerTest, RoomsHaveVisitorsOfTheirOwnAndTheSameOptions) {
  PresenceOptions options;
  options.window = 7;
  PresenceTracker site = shm(options);
  PresenceTracker room = site.room("topic 42").value();
  EXPECT_EQ(room.options().key, "users:online:room:topic%2042");
  EXPECT_EQ(room.options().window, 7);
  ASSERT_TRUE(site.persist("1", kNow).ok());
  ASSERT_TRUE(room.persist("2", kNow).ok());
  EXPECT_EQ(room.ids({}, kNow).value(), std::vector<std::string>{"2"});
  EXPECT_EQ(site.ids({}, kNow).value(), std::vector<std::string>{"1"});
  PresenceTracker corner = room.room("corner").value();
  EXPECT_EQ(corner.count({}, kNow).value(), 0);
  EXPECT_EQ(site.room("").error().code, ErrorCode::invalid_argument);
}

TEST_F(PresenceTrackerTest, AFailingStoreIsAnErrorOrSilentlyNobodyAsTheOptionsSay) {
  PresenceTracker loud = distant();
  PresenceOptions options;
  options.on_error = OnError::silent;
  PresenceTracker silent = distant(options);
  wire_.failure = Error{ErrorCode::unavailable, "the server is down"};
  EXPECT_EQ(loud.persist("1", kNow).error().code, ErrorCode::unavailable);
  EXPECT_EQ(loud.count({}, kNow).error().message, "the server is down");
  EXPECT_EQ(loud.is_online("1", {}, kNow).error().code, ErrorCode::unavailable);

  EXPECT_TRUE(silent.persist("1", kNow).ok());
  EXPECT_EQ(silent.last_error(), "the server is down");
  EXPECT_EQ(silent.count({}, kNow).value(), 0);
  EXPECT_TRUE(silent.ids({}, kNow).value().empty());
  EXPECT_FALSE(silent.is_online("1", {}, kNow).value());
  EXPECT_EQ(silent.last_seen("1", kNow).value(), std::nullopt);
  EXPECT_TRUE(silent.forget("1", kNow).ok());
  EXPECT_TRUE(silent.replace("1", "2", kNow).ok());
  EXPECT_TRUE(silent.purge(kNow).ok());
  EXPECT_EQ(silent.count(99, kNow).error().code, ErrorCode::invalid_argument) << "wrong use is never silent";

  wire_.failure = Error{ErrorCode::unsupported, "another strategy can"};
  EXPECT_EQ(silent.ids({}, kNow).error().code, ErrorCode::unsupported);

  wire_.failure.reset();
  ASSERT_TRUE(loud.persist("1", kNow).ok());
  EXPECT_EQ(silent.count({}, kNow).value(), 1) << "the answer of a failure was not kept";
  EXPECT_TRUE(silent.is_online("1", {}, kNow).value());
}

TEST_F(PresenceTrackerTest, AWorkerThatNeverEndsARequestMayOpenAnyNumberOfRooms) {
  PresenceTracker site = distant();
  EXPECT_EQ(site.count({}, kNow).value(), 0);
  for (int i = 0; i < 3000; ++i) {
    PresenceTracker room = site.room(std::to_string(i)).value();
    EXPECT_EQ(room.count({}, kNow).value(), 0);
    if (i % 500 == 0) {
      EXPECT_EQ(site.count({}, kNow).value(), 0);
    }
  }
}

}  // namespace
}  // namespace presence
