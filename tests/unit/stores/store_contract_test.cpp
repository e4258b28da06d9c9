#include "unit/stores/store_contract.h"

#include <array>

namespace presence {

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(StoreContractTest);

TEST_P(StoreContractTest, AnEmptyStoreKnowsNobody) {
  const auto store = open();
  const Window window{now_, 5};
  EXPECT_EQ(count(*store, window), 0);
  expect_online(*store, "42", window, false);
  if (GetParam().lists_ids) {
    EXPECT_TRUE(ids(*store, window).empty());
  }
  if (GetParam().keeps_times) {
    EXPECT_EQ(last_seen(*store, "42", now_), 0);
  }
  if (GetParam().replaces) {
    EXPECT_TRUE(store->replace("42", "43", now_).ok());
  }
  if (GetParam().forgets) {
    EXPECT_TRUE(store->forget("42", now_).ok());
  }
  EXPECT_TRUE(store->purge(now_).ok());
  EXPECT_EQ(count(*store, window), 0);
}

TEST_P(StoreContractTest, CountsEachVisitorOnceHoweverOftenRecorded) {
  const auto store = open();
  for (int i = 0; i < 3; ++i) {
    record(*store, "42", now_);
    record(*store, "43", now_);
  }
  const Window window{now_, 5};
  EXPECT_EQ(count(*store, window), 2);
  expect_online(*store, "42", window, true);
  expect_online(*store, "4", window, false);
  expect_online(*store, "420", window, false);
  if (GetParam().lists_ids) {
    EXPECT_EQ(ids(*store, window), (std::vector<std::string>{"42", "43"}));
  }
}

TEST_P(StoreContractTest, AnswersForManyVisitorsInTheOrderAsked) {
  if (!GetParam().answers_online) {
    return;  // this strategy counts only
  }
  const auto store = open();
  record(*store, "1", now_);
  record(*store, "3", now_);
  const std::array<std::string_view, 5> asked{"3", "2", "1", "2", "3"};
  std::array<bool, 5> answers{false, true, false, true, false};
  ASSERT_TRUE(store->online(asked, {now_, 5}, answers).ok());
  EXPECT_EQ(answers, (std::array<bool, 5>{true, false, true, false, true}));
  EXPECT_TRUE(store->online({}, {now_, 5}, {}).ok());
}

TEST_P(StoreContractTest, TheWindowIsInclusiveToTheSecond) {
  if (!GetParam().exact_seconds) {
    return;  // windows of this strategy are coarser
  }
  const auto store = open();
  record(*store, "1", now_ - 300);
  record(*store, "2", now_ - 301);
  EXPECT_EQ(count(*store, {now_, 5}), 1);
  expect_online(*store, "1", {now_, 5}, true);
  expect_online(*store, "2", {now_, 5}, false);
  EXPECT_EQ(ids(*store, {now_, 5}), std::vector<std::string>{"1"});
  EXPECT_EQ(count(*store, {now_, 6}), 2);
  EXPECT_EQ(count(*store, {now_ + 1, 5}), 0);
  EXPECT_EQ(count(*store, {now_ - 1, 5}), 2) << "a second ago both were in it";
}

TEST_P(StoreContractTest, ANewVisitRenewsAVisitor) {
  if (!GetParam().takes_past) {
    return;  // this strategy goes by its server's clock
  }
  const auto store = open();
  record(*store, "42", now_ - 600);
  expect_online(*store, "42", {now_, 5}, false);
  record(*store, "42", now_);
  expect_online(*store, "42", {now_, 5}, true);
  EXPECT_EQ(count(*store, longest_window()), 1);
}

TEST_P(StoreContractTest, AVisitorWhoseClockIsALittleAheadIsOnline) {
  if (!GetParam().keeps_times || !GetParam().exact_seconds) {
    return;  // this strategy keeps no exact times
  }
  const auto store = open();
  record(*store, "42", now_ + 60);
  expect_online(*store, "42", {now_, 5}, true);
  EXPECT_EQ(count(*store, {now_, 5}), 1);
  record(*store, "42", now_);
  EXPECT_EQ(last_seen(*store, "42", now_), now_) << "the clock was right in the end";
}

TEST_P(StoreContractTest, WhoWasRecordedBeforeTheClockWasSetBackIsGone) {
  if (!GetParam().drops_the_future) {
    return;  // in the recipe of this strategy such a time is "since then"
  }
  const auto store = open();
  record(*store, "1", now_ + 61);
  record(*store, "2", now_ + 61);
  record(*store, "2", now_);
  EXPECT_FALSE(online(*store, "1", {now_, 5}));
  EXPECT_EQ(count(*store, {now_, 5}), 1);
  EXPECT_EQ(ids(*store, {now_, 5}), std::vector<std::string>{"2"});
  EXPECT_EQ(last_seen(*store, "1", now_), 0);
  EXPECT_EQ(last_seen(*store, "2", now_), now_);
  EXPECT_TRUE(online(*store, "1", {now_ + 1, 5})) << "the time has come";
  ASSERT_TRUE(store->purge(now_).ok());
  EXPECT_FALSE(online(*store, "1", {now_ + 1, 5}));
  EXPECT_TRUE(online(*store, "2", {now_ + 1, 5}));
}

TEST_P(StoreContractTest, LastSeenEndsWithTheRetention) {
  if (!GetParam().keeps_times) {
    return;  // this strategy keeps no times
  }
  const auto store = open("users:online", 10);
  record(*store, "42", now_);
  EXPECT_EQ(last_seen(*store, "42", now_), kept(now_));
  EXPECT_EQ(last_seen(*store, "42", now_ + 600), kept(now_));
  EXPECT_EQ(last_seen(*store, "42", now_ + 600 + GetParam().time_unit), 0);
}

TEST_P(StoreContractTest, PurgeTakesOutWhoIsBeyondTheRetention) {
  if (!GetParam().keeps_times || !GetParam().exact_seconds) {
    return;  // this strategy keeps no exact times
  }
  const auto store = open("users:online", 10);
  record(*store, "1", now_ - 601);
  record(*store, "2", now_ - 600);
  ASSERT_TRUE(store->purge(now_).ok());
  EXPECT_EQ(count(*store, {now_, 60}), 1);
  expect_online(*store, "2", {now_, 60}, true);
}

TEST_P(StoreContractTest, AForgottenVisitorIsGoneUntilTheNextVisit) {
  if (!GetParam().forgets) {
    return;  // this strategy cannot forget
  }
  const auto store = open();
  record(*store, "42", now_);
  record(*store, "43", now_);
  ASSERT_TRUE(store->forget("42", now_).ok());
  expect_online(*store, "42", {now_, 5}, false);
  EXPECT_EQ(count(*store, longest_window()), 1);
  record(*store, "42", now_);
  expect_online(*store, "42", {now_, 5}, true);
}

TEST_P(StoreContractTest, ReplaceKeepsOneVisitorWithTheLaterTime) {
  if (!GetParam().replaces) {
    return;  // this strategy cannot replace
  }
  const auto store = open();
  const auto replace = [&](std::string_view from, std::string_view to, UnixTime ago = 0) {
    const Status status = store->replace(from, to, now_ - ago);
    EXPECT_TRUE(status.ok()) << status.error().message;
  };
  const auto expect_seen = [&](std::string_view visitor, UnixTime time) {
    if (GetParam().keeps_times) {
      EXPECT_EQ(last_seen(*store, visitor, now_), kept(time));
    }
    expect_online(*store, visitor, {now_, 5}, time != 0);
  };
  record(*store, "1", now_ - 100);
  replace("1", "2", 100);
  expect_seen("1", 0);
  expect_seen("2", now_ - 100);
  record(*store, "1", now_ - 50);
  replace("1", "2", 50);
  expect_seen("2", now_ - 50);
  record(*store, "1", now_ - 200);
  replace("1", "2");
  expect_seen("2", now_ - 50);
  replace("2", "2");
  replace("7", "2");
  EXPECT_EQ(count(*store, longest_window()), 1);
  expect_seen("2", now_ - 50);
}

TEST_P(StoreContractTest, TakesAnyIdOf1To250Bytes) {
  if (GetParam().integers_only) {
    return;  // this strategy takes integers only
  }
  const auto store = open();
  std::vector<std::string> all{"a", "0", "-1", "42", "042", "4 2", "héllo", "漢字", "\xFF\x01\n", "a:b", "a%20b"};
  for (const std::size_t length : {2U, 55U, 56U, 57U, 64U, 116U, 117U, 249U, 250U}) {
    all.push_back(std::string(length - 1, 'x') + "1");
    all.push_back(std::string(length - 1, 'x') + "2");
  }
  std::sort(all.begin(), all.end());
  for (const std::string& id : all) {
    expect_online(*store, id, {now_, 5}, false);
    record(*store, id, now_);
    expect_online(*store, id, {now_, 5}, true);
  }
  EXPECT_EQ(count(*store, {now_, 5}), static_cast<std::int64_t>(all.size()));
  if (GetParam().lists_ids) {
    EXPECT_EQ(ids(*store, {now_, 5}), all);
  }
}

TEST_P(StoreContractTest, TwoStoresOfAKeyShareItsVisitorsAndThoseOfAnotherDoNot) {
  const auto one = open("shop");
  const auto same = open("shop");
  const auto other = open("shop:room:a");
  record(*one, "42", now_);
  expect_online(*same, "42", {now_, 5}, true);
  EXPECT_EQ(count(*same, {now_, 5}), 1);
  expect_online(*other, "42", {now_, 5}, false);
  EXPECT_EQ(count(*other, {now_, 5}), 0);
  record(*other, "43", now_);
  EXPECT_EQ(count(*one, {now_, 5}), 1);
  if (GetParam().forgets) {
    ASSERT_TRUE(other->forget("42", now_).ok());
    expect_online(*one, "42", {now_, 5}, true);
  }
}

TEST_P(StoreContractTest, RecordAllRecordsEachVisitorAtItsTime) {
  const auto store = open();
  std::vector<std::string> ids;
  for (int i = 0; i < 2500; ++i) {
    ids.push_back(std::to_string(i));
  }
  std::vector<Seen> seen;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    seen.push_back({ids[i], i % 2 == 0 ? now_ : now_ - 100});
  }
  for (int again = 0; again < 2; ++again) {
    const Status status = store->record_all(seen, now_);
    ASSERT_TRUE(status.ok()) << status.error().message;
  }
  ASSERT_TRUE(store->record_all({}, now_).ok());
  if (GetParam().answers_online) {
    EXPECT_EQ(count(*store, {now_, 5}), 2500);
  } else {
    EXPECT_NEAR(static_cast<double>(count(*store, {now_, 5})), 2500, 100);
  }
  expect_online(*store, "1", {now_, 5}, true);
  expect_online(*store, "2", {now_, 5}, true);
  expect_online(*store, "2500", {now_, 5}, false);
  if (GetParam().keeps_times) {
    EXPECT_EQ(last_seen(*store, "0", now_), kept(now_));
    EXPECT_EQ(last_seen(*store, "2499", now_), kept(now_ - 100));
  }
}

TEST_P(StoreContractTest, ChangesTellWhoWasRecordedSince) {
  if (!GetParam().tells_changes) {
    return;  // this strategy tells no changes
  }
  const auto store = open();
  EXPECT_EQ(store->time_unit(), GetParam().time_unit);
  record(*store, "1", now_ - 700);
  record(*store, "2", now_ - 100);
  record(*store, "3", now_);
  EXPECT_EQ(changes(*store, now_ - 100).seen, (Told{{"2", kept(now_ - 100)}, {"3", kept(now_)}}));
}

TEST_P(StoreContractTest, ChangesTellWhoWasForgottenOrReplacedSince) {
  if (!GetParam().tells_gone) {
    return;  // this strategy does not tell who is gone
  }
  const auto store = open();
  for (const char* visitor : {"1", "2", "3", "4"}) {
    record(*store, visitor, now_);
  }
  EXPECT_TRUE(changes(*store, now_ - 60).gone.empty());
  ASSERT_TRUE(store->forget("1", now_).ok());
  ASSERT_TRUE(store->replace("2", "20", now_).ok());
  const std::array<Seen, 3> forgotten{Seen{"3", now_}, Seen{"5", now_ - 10}, Seen{"1", now_ - 20}};
  ASSERT_TRUE(store->forget_all(forgotten, now_).ok());
  const Changes told = changes(*store, now_ - 60);
  EXPECT_EQ(told.gone, (Told{{"1", now_}, {"2", now_}, {"3", now_}, {"5", now_ - 10}})) << "the later time stays";
  EXPECT_EQ(told.seen, (Told{{"20", kept(now_)}, {"4", kept(now_)}}));
  EXPECT_EQ(changes(*store, now_ - 5).gone, (Told{{"1", now_}, {"2", now_}, {"3", now_}}));
  EXPECT_EQ(count(*store, longest_window()), 2);
  record(*store, "1", now_);
  EXPECT_EQ(changes(*store, now_ - 60).seen, (Told{{"1", kept(now_)}, {"20", kept(now_)}, {"4", kept(now_)}}))
      << "who comes back is told";
}

TEST_P(StoreContractTest, WhoWasSeenAfterBeingForgottenStays) {
  if (!GetParam().tells_gone || !GetParam().takes_past) {
    return;  // this strategy does not tell who is gone
  }
  const auto store = open();
  const UnixTime before = now_ - GetParam().time_unit;
  record(*store, "1", now_);
  record(*store, "2", before);
  record(*store, "3", before);
  const std::array<Seen, 2> forgotten{Seen{"1", before}, Seen{"2", before}};
  ASSERT_TRUE(store->forget_all(forgotten, now_).ok());
  ASSERT_TRUE(store->forget_all({}, now_).ok());
  expect_online(*store, "1", longest_window(), true);
  expect_online(*store, "2", longest_window(), false);
  expect_online(*store, "3", longest_window(), true);
  EXPECT_EQ(count(*store, longest_window()), 2);
}

TEST_P(StoreContractTest, WhoLogsInAgainIsSeenAfterTheLogout) {
  if (!GetParam().tells_gone || !GetParam().takes_past) {
    return;  // this strategy does not tell who is gone
  }
  const auto store = open();
  record(*store, "7", now_ - GetParam().time_unit);
  record(*store, "42", now_ - GetParam().time_unit);
  ASSERT_TRUE(store->forget("42", now_ - 1).ok());
  ASSERT_TRUE(store->replace("7", "42", now_).ok());
  if (GetParam().keeps_times) {
    EXPECT_EQ(last_seen(*store, "42", now_), kept(now_)) << "though the guest was seen before it";
  }
  expect_online(*store, "42", longest_window(), true);
  expect_online(*store, "7", longest_window(), false);
}

TEST_P(StoreContractTest, ForgetsManyAtOnce) {
  if (!GetParam().tells_gone) {
    return;  // this strategy does not tell who is gone
  }
  const auto store = open();
  std::vector<std::string> ids;
  std::vector<Seen> seen;
  for (int i = 0; i < 2000; ++i) {
    ids.push_back(std::to_string(i));
  }
  for (const std::string& id : ids) {
    seen.push_back({id, now_});
  }
  ASSERT_TRUE(store->record_all(seen, now_).ok());
  ASSERT_TRUE(store->forget_all(std::span(seen).subspan(1), now_).ok());
  EXPECT_EQ(count(*store, longest_window()), 1);
  const Changes told = changes(*store, now_ - 60);
  EXPECT_EQ(told.gone.size(), 1999U);
  EXPECT_EQ(told.seen, (Told{{"0", kept(now_)}}));
}

TEST_P(StoreContractTest, CountIdsAndOnlineAgree) {
  if (!GetParam().answers_online) {
    return;  // this strategy counts only
  }
  const auto store = open();
  std::vector<std::string> all;
  for (int i = 0; i < 500; ++i) {
    all.push_back(std::to_string(i * 7));
    record(*store, all.back(), GetParam().takes_past ? now_ - (i % 10) * 60 : now_);
  }
  for (const int minutes : GetParam().windows) {
    const Window window{now_, minutes};
    std::int64_t are_online = 0;
    for (const std::string& id : all) {
      are_online += online(*store, id, window) ? 1 : 0;
    }
    EXPECT_EQ(count(*store, window), are_online) << minutes;
    if (GetParam().lists_ids) {
      EXPECT_EQ(static_cast<std::int64_t>(ids(*store, window).size()), are_online) << minutes;
    }
  }
}

TEST_P(StoreContractTest, WhatTheStrategyCannotDoNamesOneThatCan) {
  const auto store = open();
  const auto unsupported = [](const auto& result) {
    return !result.ok() && result.error().code == ErrorCode::unsupported &&
           result.error().message.find("strategy") != std::string::npos;
  };
  EXPECT_EQ(unsupported(store->ids({now_, 5})), !GetParam().lists_ids);
  EXPECT_EQ(unsupported(store->last_seen("42", now_)), !GetParam().keeps_times);
  EXPECT_EQ(unsupported(store->replace("42", "43", now_)), !GetParam().replaces);
  const std::string_view visitor = "42";
  bool answer = false;
  EXPECT_EQ(unsupported(store->online({&visitor, 1}, {now_, 5}, {&answer, 1})), !GetParam().answers_online);
  EXPECT_EQ(unsupported(store->forget("42", now_)), !GetParam().forgets);
}

}  // namespace presence
