#include "exchange/exchange.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "unit/exchange/web_server.h"
#include "unit/stores/store_contract.h"

namespace presence {
namespace {

constexpr UnixTime kNow = 1'800'000'000;

class ExchangeTest : public testing::Test {
 protected:
  void exchange_all(UnixTime now) const {
    for (const WebServer* server : {&a_, &b_}) {
      EXPECT_TRUE(server->exchange->run(now).ok());
    }
    EXPECT_TRUE(a_.exchange->run(now).ok());
  }

  TableMemory memory_{4000};
  VisitorTable table_ = memory_.table();
  ShmStore central_{table_, "central", 60};
  WebServer a_{table_};
  WebServer b_{table_};
};

TEST_F(ExchangeTest, WhatOneServerRecordsTheOtherKnows) {
  ASSERT_TRUE(a_.page->record("42", kNow).ok());
  ASSERT_TRUE(b_.page->record("43", kNow + 1).ok());
  exchange_all(kNow + 2);
  for (const WebServer* server : {&a_, &b_}) {
    EXPECT_TRUE(server->online("42", kNow + 2));
    EXPECT_TRUE(server->online("43", kNow + 2));
    EXPECT_EQ(server->count(kNow + 2), 2);
    EXPECT_EQ(server->page->last_seen("42", kNow + 2).value(), kNow);
  }
  EXPECT_EQ(central_.last_seen("43", kNow + 2).value(), kNow + 1);
}

TEST_F(ExchangeTest, NothingIsSentTwice) {
  ASSERT_TRUE(a_.page->record("42", kNow).ok());
  exchange_all(kNow + 1);
  for (int second = 2; second < 10; ++second) {
    exchange_all(kNow + second);
  }
  EXPECT_EQ(a_.by_exchange->recorded(), 1U);
  EXPECT_EQ(b_.by_exchange->recorded(), 0U) << "what came from the store is not sent back";
  EXPECT_EQ(a_.state.pushed.load(), 1U);
  EXPECT_EQ(b_.state.pulled.load(), 1U);
}

TEST_F(ExchangeTest, WithinTheThrottlePeriodAVisitorKeepsItsTimeEverywhere) {
  ASSERT_TRUE(a_.page->record("42", kNow).ok());
  exchange_all(kNow + 1);
  ASSERT_TRUE(a_.page->record("42", kNow + 29).ok());
  ASSERT_TRUE(b_.page->record("42", kNow + 29).ok());
  exchange_all(kNow + 29);
  EXPECT_EQ(a_.by_exchange->recorded() + b_.by_exchange->recorded(), 1U);
  EXPECT_EQ(a_.page->last_seen("42", kNow + 29).value(), kNow);
  ASSERT_TRUE(b_.page->record("42", kNow + 30).ok());
  exchange_all(kNow + 31);
  EXPECT_EQ(a_.page->last_seen("42", kNow + 31).value(), kNow + 30);
  EXPECT_EQ(central_.last_seen("42", kNow + 31).value(), kNow + 30);
}

TEST_F(ExchangeTest, AClockSetBackRecordsAgain) {
  ASSERT_TRUE(a_.page->record("42", kNow + 40).ok());
  ASSERT_TRUE(a_.page->record("42", kNow).ok());
  EXPECT_EQ(a_.page->last_seen("42", kNow).value(), kNow);
}

TEST_F(ExchangeTest, WhoIsForgottenDoesNotComeBack) {
  ASSERT_TRUE(a_.page->record("42", kNow).ok());
  exchange_all(kNow + 1);
  ASSERT_TRUE(b_.page->forget("42", kNow + 2).ok());
  EXPECT_FALSE(b_.online("42", kNow + 2));
  EXPECT_TRUE(b_.exchange->run(kNow + 2).ok()) << "pulls it once more before it is forgotten there";
  EXPECT_FALSE(b_.online("42", kNow + 2));
  EXPECT_EQ(central_.last_seen("42", kNow + 3).value(), 0);
  EXPECT_TRUE(b_.exchange->run(kNow + 3).ok());
  EXPECT_FALSE(b_.online("42", kNow + 3));
}

// A second later by the books: what is not later than the forgetting ends with it, on all servers.
TEST_F(ExchangeTest, WhoReturnsInTheSecondOfBeingForgottenStays) {
  ASSERT_TRUE(a_.page->record("42", kNow).ok());
  exchange_all(kNow);
  ASSERT_TRUE(a_.page->forget("42", kNow + 1).ok());
  ASSERT_TRUE(a_.page->record("42", kNow + 1).ok()) << "within the same second";
  for (int second = 1; second < 5; ++second) {
    exchange_all(kNow + second);
    EXPECT_TRUE(a_.online("42", kNow + second));
    EXPECT_TRUE(b_.online("42", kNow + second));
    EXPECT_EQ(central_.last_seen("42", kNow + second).value(), kNow + 2);
  }
  EXPECT_EQ(b_.page->last_seen("42", kNow + 5).value(), kNow + 2);
}

TEST_F(ExchangeTest, WhoIsForgottenOnOneServerIsGoneOnTheOthersWithTheNextExchange) {
  for (const WebServer* server : {&a_, &b_}) {
    ASSERT_TRUE(server->page->record("42", kNow).ok());
    ASSERT_TRUE(server->page->record("43", kNow).ok());
  }
  exchange_all(kNow);
  ASSERT_TRUE(a_.page->forget("42", kNow).ok()) << "in the second of the visit";
  EXPECT_TRUE(a_.exchange->run(kNow + 1).ok());
  EXPECT_TRUE(b_.exchange->run(kNow + 1).ok());
  for (int second = 1; second < 200; ++second) {
    exchange_all(kNow + second);
    for (const WebServer* server : {&a_, &b_}) {
      EXPECT_FALSE(server->online("42", kNow + second)) << second;
      EXPECT_TRUE(server->online("43", kNow + second)) << second;
    }
    EXPECT_EQ(central_.last_seen("42", kNow + second).value(), 0);
  }
}

TEST_F(ExchangeTest, WhoWasSeenElsewhereAfterBeingForgottenStaysThere) {
  ASSERT_TRUE(a_.page->record("42", kNow).ok());
  exchange_all(kNow);
  ASSERT_TRUE(a_.page->forget("42", kNow + 40).ok());
  ASSERT_TRUE(b_.page->record("42", kNow + 41).ok());
  for (int second = 41; second < 50; ++second) {
    exchange_all(kNow + second);
  }
  for (const WebServer* server : {&a_, &b_}) {
    EXPECT_EQ(server->page->last_seen("42", kNow + 50).value(), kNow + 41);
  }
  EXPECT_EQ(central_.last_seen("42", kNow + 50).value(), kNow + 41);
}

TEST_F(ExchangeTest, AServerThatDidNotKnowYetCannotBringBackWhoIsForgotten) {
  ASSERT_TRUE(a_.page->record("42", kNow).ok());
  exchange_all(kNow + 1);
  ASSERT_TRUE(a_.page->forget("42", kNow + 2).ok());
  exchange_all(kNow + 2);
  ASSERT_TRUE(central_.record("42", kNow + 1).ok()) << "as a server that was slow would";
  exchange_all(kNow + 3);
  exchange_all(kNow + 4);
  EXPECT_FALSE(a_.online("42", kNow + 4));
  EXPECT_FALSE(b_.online("42", kNow + 4));
  EXPECT_EQ(central_.last_seen("42", kNow + 4).value(), 0);
}

TEST_F(ExchangeTest, AServerThatWasCutOffLearnsWhoIsGoneWhenItIsBack) {
  for (const WebServer* server : {&a_, &b_}) {
    ASSERT_TRUE(server->page->record("42", kNow).ok());
  }
  exchange_all(kNow);
  b_.set_down(true);
  ASSERT_TRUE(a_.page->forget("42", kNow + 1).ok());
  for (int second = 1; second < 200; ++second) {
    EXPECT_TRUE(a_.exchange->run(kNow + second).ok());
    EXPECT_FALSE(b_.exchange->run(kNow + second).ok());
  }
  b_.set_down(false);
  exchange_all(kNow + 200);
  EXPECT_FALSE(b_.online("42", kNow + 200));
  EXPECT_EQ(central_.last_seen("42", kNow + 200).value(), 0);
}

TEST_F(ExchangeTest, AClockThatIsAheadDoesNotKeepAwayWhoReturns) {
  ASSERT_TRUE(b_.page->record("42", kNow).ok());
  exchange_all(kNow);
  ASSERT_TRUE(a_.page->forget("42", kNow + 4).ok()) << "by a clock that is four seconds ahead";
  exchange_all(kNow + 1);
  EXPECT_FALSE(b_.online("42", kNow + 1));
  ASSERT_TRUE(b_.page->record("42", kNow + 2).ok());
  for (int second = 2; second < 8; ++second) {
    exchange_all(kNow + second);
    EXPECT_TRUE(a_.online("42", kNow + second)) << second;
    EXPECT_TRUE(b_.online("42", kNow + second)) << second;
  }
}

TEST_F(ExchangeTest, AFirstPageThatAsksTheStoreDoesNotBringBackWhoIsForgotten) {
  ASSERT_TRUE(a_.page->record("42", kNow).ok());
  ASSERT_TRUE(b_.page->record("42", kNow).ok());
  exchange_all(kNow);
  ASSERT_TRUE(a_.page->forget("42", kNow + 1).ok());
  EXPECT_TRUE(a_.exchange->run(kNow + 1).ok());
  WebServer late(table_);
  ASSERT_TRUE(central_.record("42", kNow).ok()) << "as a server that was slow would";
  EXPECT_FALSE(late.online("42", kNow + 1));
}

/// A store that knows minutes, as sets and bitmaps do.
class CoarseExchangeTest : public ExchangeTest {
 protected:
  WebServer c_{table_, 60};
  WebServer d_{table_, 60};
  void exchange_both(UnixTime now) const {
    for (const WebServer* server : {&c_, &d_, &c_}) {
      EXPECT_TRUE(server->exchange->run(now).ok());
    }
  }
};

TEST_F(CoarseExchangeTest, WhoIsForgottenInTheMinuteOfAVisitIsGoneEverywhere) {
  ASSERT_TRUE(c_.page->record("42", kNow).ok());
  exchange_both(kNow);
  ASSERT_TRUE(c_.page->forget("42", kNow + 30).ok());
  exchange_both(kNow + 31);
  for (const WebServer* server : {&c_, &d_}) {
    EXPECT_FALSE(server->online("42", kNow + 31));
  }
  exchange_both(kNow + 200);
  EXPECT_FALSE(d_.online("42", kNow + 200));
}

TEST_F(CoarseExchangeTest, WhoReturnsInTheMinuteOfBeingForgottenStaysEverywhere) {
  ASSERT_TRUE(c_.page->record("42", kNow).ok());
  exchange_both(kNow);
  ASSERT_TRUE(c_.page->forget("42", kNow + 30).ok());
  exchange_both(kNow + 31);
  ASSERT_TRUE(d_.page->record("42", kNow + 40).ok());
  exchange_both(kNow + 41);
  exchange_both(kNow + 101);
  for (const WebServer* server : {&c_, &d_}) {
    EXPECT_TRUE(server->online("42", kNow + 101));
  }
}

TEST_F(CoarseExchangeTest, WhatAServerSentNotYetKnowingIsTakenBack) {
  ASSERT_TRUE(c_.page->record("42", kNow).ok());
  exchange_both(kNow);
  ASSERT_TRUE(d_.page->record("42", kNow + 31).ok());
  EXPECT_TRUE(d_.exchange->run(kNow + 31).ok());
  ASSERT_TRUE(central_.forget("42", kNow + 31).ok());
  ASSERT_TRUE(c_.page->forget("42", kNow + 35).ok());
  EXPECT_TRUE(c_.exchange->run(kNow + 35).ok());
  ASSERT_TRUE(central_.record("42", kNow + 31).ok()) << "what was under way from there arrives";
  exchange_both(kNow + 36);
  exchange_both(kNow + 37);
  for (const WebServer* server : {&c_, &d_}) {
    EXPECT_FALSE(server->online("42", kNow + 37));
  }
  EXPECT_EQ(central_.last_seen("42", kNow + 37).value(), 0);
}

TEST_F(ExchangeTest, ALoginTakesTheGuestsPlaceEverywhere) {
  ASSERT_TRUE(a_.page->record("guest", kNow).ok());
  exchange_all(kNow + 1);
  ASSERT_TRUE(a_.page->replace("guest", "42", kNow + 2).ok());
  exchange_all(kNow + 3);
  EXPECT_EQ(central_.last_seen("guest", kNow + 3).value(), 0);
  EXPECT_EQ(central_.last_seen("42", kNow + 3).value(), kNow) << "with the guest's time";
  EXPECT_FALSE(a_.online("guest", kNow + 3));
  exchange_all(kNow + 70);
  EXPECT_TRUE(b_.online("42", kNow + 70)) << "found by the pull of everything";
}

// As if its process had been killed between the note and the rest.
TEST_F(ExchangeTest, AForgettingThatWasCutOffIsCarriedOut) {
  ASSERT_TRUE(a_.page->record("42", kNow).ok());
  exchange_all(kNow);
  ASSERT_TRUE(ShmStore(a_.table, a_.spec.gone_space_name(), 60).record("42", kNow + 1).ok());
  exchange_all(kNow + 60);
  EXPECT_FALSE(a_.online("42", kNow + 60));
  EXPECT_EQ(central_.last_seen("42", kNow + 60).value(), 0);
}

TEST_F(ExchangeTest, WhoLogsInAgainAfterALogoutStaysWithANewFlusher) {
  ASSERT_TRUE(a_.page->record("guest", kNow).ok());
  ASSERT_TRUE(a_.page->record("42", kNow).ok());
  ASSERT_TRUE(a_.page->forget("42", kNow + 1).ok());
  ASSERT_TRUE(a_.page->replace("guest", "42", kNow + 2).ok());
  exchange_all(kNow + 3);
  KnownSlots nothing_known;
  Exchange successor(a_.table, a_.spec, a_.state, *a_.by_exchange, nothing_known);
  EXPECT_TRUE(successor.run(kNow + 4).ok());
  exchange_all(kNow + 5);
  for (const WebServer* server : {&a_, &b_}) {
    EXPECT_TRUE(server->online("42", kNow + 5));
    EXPECT_FALSE(server->online("guest", kNow + 5));
  }
  EXPECT_EQ(central_.last_seen("42", kNow + 5).value(), kNow + 2) << "after the logout, and not after the login";
}

TEST_F(ExchangeTest, AnOutageDelaysAndLosesNothing) {
  a_.set_down(true);
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(a_.page->record(std::to_string(i), kNow + i).ok());
    EXPECT_EQ(a_.exchange->run(kNow + i).error().code, ErrorCode::unavailable);
  }
  EXPECT_EQ(a_.count(kNow + 100), 100) << "memory answers";
  EXPECT_EQ(a_.state.failures.load(), 100U);
  EXPECT_EQ(a_.state.waiting.load(), 100U);
  EXPECT_TRUE(a_.page->health().breaker_open);
  EXPECT_EQ(a_.page->health().last_error, "the store does not answer");
  a_.set_down(false);
  exchange_all(kNow + 101);
  EXPECT_EQ(central_.count({kNow + 101, 5}).value(), 100);
  EXPECT_EQ(central_.last_seen("7", kNow + 101).value(), kNow + 7) << "with its true time";
  EXPECT_FALSE(a_.page->health().breaker_open);
  EXPECT_EQ(a_.state.waiting.load(), 0U);
  exchange_all(kNow + 162);
  EXPECT_EQ(b_.count(kNow + 162), 100) << "also what is older than the last pull";
}

TEST_F(ExchangeTest, BeforeTheFirstExchangeTheStoreIsAskedOnce) {
  ASSERT_TRUE(central_.record("42", kNow - 10).ok());
  ASSERT_TRUE(a_.page->record("43", kNow).ok());
  EXPECT_EQ(a_.count(kNow), 2);
  EXPECT_TRUE(a_.online("42", kNow));
  EXPECT_EQ(a_.count(kNow + 1), 2);
  EXPECT_EQ(a_.by_page->pulls(), 1);
}

TEST_F(ExchangeTest, AWindowThatIsLongerThanWhatIsHeldAsksTheStoreOnce) {
  ASSERT_TRUE(central_.record("old", kNow - 30 * 60).ok());
  EXPECT_EQ(a_.page->count({kNow, 5}).value(), 0);
  EXPECT_EQ(a_.page->count({kNow, 40}).value(), 1);
  EXPECT_EQ(a_.page->count({kNow, 40}).value(), 1);
  EXPECT_EQ(a_.by_page->pulls(), 2);
}

TEST_F(ExchangeTest, AStoreThatIsDownIsNotAskedByEachPage) {
  a_.set_down(true);
  for (int second = 0; second < 10; ++second) {
    EXPECT_EQ(a_.count(kNow + second), 0);
  }
  EXPECT_EQ(a_.by_page->pulls(), 1);
  EXPECT_EQ(a_.count(kNow + 10), 0);
  EXPECT_EQ(a_.by_page->pulls(), 2);
}

TEST_F(ExchangeTest, ANewFlusherSendsOnceMoreAndChangesNothing) {
  ASSERT_TRUE(a_.page->record("42", kNow).ok());
  exchange_all(kNow);
  KnownSlots nothing_known;
  Exchange successor(a_.table, a_.spec, a_.state, *a_.by_exchange, nothing_known);
  EXPECT_TRUE(successor.run(kNow + 60).ok());
  EXPECT_EQ(central_.last_seen("42", kNow + 60).value(), kNow);
  EXPECT_EQ(central_.count({kNow + 60, 5}).value(), 1);
}

// As if its process had been killed before it could count the change.
TEST_F(ExchangeTest, AChangeThatWasNotCountedIsSentByTheNextLookAtEverything) {
  ASSERT_TRUE(a_.page->record("42", kNow).ok());
  exchange_all(kNow);
  ASSERT_TRUE(ShmStore(a_.table, a_.spec.space_name(), 60).record("43", kNow + 1).ok());
  exchange_all(kNow + 1);
  EXPECT_EQ(central_.last_seen("43", kNow + 1).value(), 0);
  exchange_all(kNow + 60);
  EXPECT_EQ(central_.last_seen("43", kNow + 60).value(), kNow + 1);
}

TEST_F(ExchangeTest, AnotherKeyIsAnotherReplica) {
  ReplicaSpec other = a_.spec;
  other.key = "users:online:room:1";
  ReplicaState state{};
  BufferedStore room(a_.table, other, state, std::make_unique<Server>(table_, "central-room", 60));
  ASSERT_TRUE(room.record("42", kNow).ok());
  EXPECT_EQ(room.count({kNow, 5}).value(), 1);
  EXPECT_EQ(a_.count(kNow), 0);
}

/// The contract of all stores, kept by a server whose flusher has not come yet.
struct Buffered {
  TableMemory central{4000};
  VisitorTable central_table = central.table();
  TableMemory memory{4000};
  VisitorTable table = memory.table();
  std::map<std::string, ReplicaState> states;
};

StoreUnderTest buffered() {
  const auto shared = std::make_shared<std::unique_ptr<Buffered>>();
  StoreUnderTest store;
  store.name = "buffered";
  store.open = [shared](const std::string& key, int retention) {
    Buffered& site = **shared;
    ReplicaSpec spec;
    spec.dsn = "redis://central";
    spec.key = key;
    spec.retention = retention;
    spec.throttle = 0;
    return std::make_unique<BufferedStore>(site.table, spec, site.states[key],
                                           std::make_unique<Server>(site.central_table, key, retention));
  };
  store.reset = [shared] { *shared = std::make_unique<Buffered>(); };
  return store;
}

INSTANTIATE_TEST_SUITE_P(Buffered, StoreContractTest, testing::Values(buffered()),
                         [](const auto& instance) { return instance.param.name; });

}  // namespace
}  // namespace presence
