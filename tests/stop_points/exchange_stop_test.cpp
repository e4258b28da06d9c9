// Pages and flushers that are killed on a visitor's way to the store and to the other web server.
#include <array>
#include <string>

#include "stop_points/stop_point_fixture.h"
#include "unit/exchange/web_server.h"

namespace presence {
namespace {

constexpr UnixTime kBegin = 1'800'000'000;
constexpr UnixTime kNow = kBegin + 100;

constexpr std::array kPoints = {"buffered.changed", "buffered.noted",  "buffered.back",      "intake.noted",
                                "intake.adopted",   "intake.forgot",   "exchange.forgotten", "exchange.pulled",
                                "exchange.pushing", "exchange.pushed", "exchange.forgetting"};

/// What a page of server a does, and whether it came to an end.
enum Call : std::size_t { kForget, kReplace, kComeBack, kRecord, kCalls };

class ExchangeStopTest : public StopPointFixture {
 protected:
  void SetUp() override {}  // Visitors only: no site.

  /// Another flusher takes over: it remembers nothing.
  static void exchange(const WebServer& server, UnixTime now) {
    KnownSlots known;
    Exchange fresh(server.table, server.spec, server.state, *server.by_exchange, known);
    EXPECT_TRUE(fresh.run(now).ok());
  }

  void live() {
    returned_[kForget] = a_.page->forget("forgotten", kNow).ok();
    returned_[kReplace] = a_.page->replace("guest", "member", kNow).ok();
    returned_[kComeBack] = a_.page->replace("second guest", "logged out", kNow).ok();
    returned_[kRecord] = a_.page->record("new on a", kNow).ok();
    exchange(a_, kNow + 1);
  }

  [[nodiscard]] bool online(const WebServer& server, const std::string& visitor) const {
    return server.online(visitor, kNow + 10);
  }

  TableMemory memory_{4000};
  VisitorTable table_ = memory_.table();
  ShmStore central_{table_, "central", 60};
  WebServer a_{table_};
  WebServer b_{table_};
  SharedArray<bool> returned_{kCalls};
};

class ExchangeStopPointTest : public ExchangeStopTest, public testing::WithParamInterface<const char*> {};

TEST_P(ExchangeStopPointTest, TheNextFlusherDoesTheRestAndAllAgree) {
  for (const char* visitor : {"stays", "forgotten", "guest", "second guest", "logged out", "forgotten by b"}) {
    ASSERT_TRUE(a_.page->record(visitor, kBegin).ok());
  }
  exchange(a_, kBegin + 1);
  exchange(b_, kBegin + 2);
  ASSERT_TRUE(a_.page->forget("logged out", kBegin + 3).ok());
  exchange(a_, kBegin + 4);
  ASSERT_TRUE(b_.page->forget("forgotten by b", kNow).ok());
  ASSERT_TRUE(b_.page->record("new on b", kNow).ok());
  exchange(b_, kNow);

  const int status = run_until(GetParam(), 1, SIGKILL, [this] { live(); });
  ASSERT_TRUE(WIFSIGNALED(status)) << "nothing comes to this point";
  for (int round = 0; round < 2; ++round) {
    exchange(a_, kNow + 3 + round);
    exchange(b_, kNow + 3 + round);
  }

  for (const char* visitor : {"stays", "new on b"}) {
    EXPECT_TRUE(online(a_, visitor)) << visitor;
  }
  EXPECT_FALSE(online(a_, "forgotten by b"));
  if (returned_[kForget]) {
    EXPECT_FALSE(online(a_, "forgotten"));
  }
  if (returned_[kReplace]) {
    EXPECT_TRUE(online(a_, "member"));
    EXPECT_FALSE(online(a_, "guest"));
  }
  if (returned_[kComeBack]) {
    EXPECT_TRUE(online(a_, "logged out"));
    EXPECT_FALSE(online(a_, "second guest"));
  }
  if (returned_[kRecord]) {
    EXPECT_TRUE(online(a_, "new on a"));
  }
  for (const char* visitor : {"stays", "forgotten", "guest", "member", "second guest", "logged out", "forgotten by b",
                              "new on a", "new on b"}) {
    EXPECT_EQ(online(a_, visitor), online(b_, visitor)) << visitor;
    EXPECT_EQ(online(a_, visitor), central_.last_seen(visitor, kNow + 10).value() != 0) << visitor;
  }
}

TEST_F(ExchangeStopTest, AFlusherThatDiesOverWhatAKilledPageLeftLeavesItToTheNext) {
  ASSERT_TRUE(a_.page->record("forgotten", kBegin).ok());
  exchange(a_, kBegin + 1);
  exchange(b_, kBegin + 2);
  ASSERT_TRUE(WIFSIGNALED(run_until("buffered.noted", 1, SIGKILL, [this] { live(); })));
  ASSERT_TRUE(WIFSIGNALED(run_until("exchange.forgot", 1, SIGKILL, [this] { exchange(a_, kNow + 1); })));
  exchange(a_, kNow + 2);
  exchange(b_, kNow + 2);
  EXPECT_FALSE(online(a_, "forgotten"));
  EXPECT_FALSE(online(b_, "forgotten"));
  EXPECT_EQ(central_.last_seen("forgotten", kNow + 10).value(), 0);
}

INSTANTIATE_TEST_SUITE_P(Points, ExchangeStopPointTest, testing::ValuesIn(kPoints));

}  // namespace
}  // namespace presence
