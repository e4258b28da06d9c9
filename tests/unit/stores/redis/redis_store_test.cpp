// The strategies on Redis under the contract of all stores, and what their recipes say of keys, commands and expiry.
#include <array>
#include <memory>
#include <string>

#include "unit/stores/redis/redis_under_test.h"
#include "unit/stores/store_contract.h"

#ifdef PRESENCE_HAVE_REDIS

namespace presence {
namespace {

using test::fresh_key;
using test::open_redis;
using test::RedisAdmin;
using test::shared_admin;
using test::shared_redis;

constexpr UnixTime kNow = 1'800'000'000;

StoreUnderTest redis(const std::string& name, const std::string& options, std::function<std::string()> dsn) {
  struct State {
    std::string prefix;
    std::shared_ptr<RedisServers> servers;
  };
  const auto state = std::make_shared<State>();
  StoreUnderTest store;
  store.name = name;
  store.open = [=](const std::string& key, int retention) {
    StoreOptions all;
    all.key = state->prefix + key;
    all.retention = retention;
    all.timeout = 10;
    return open_redis(*state->servers, dsn() + options, all);
  };
  store.available = [=] { return !dsn().empty(); };
  store.reset = [=] {
    state->prefix = fresh_key();
    state->servers = std::make_shared<RedisServers>();
  };
  store.tells_changes = store.tells_gone = true;
  return store;
}

StoreUnderTest zset(std::function<std::string()> dsn = shared_redis) { return redis("zset", "?strategy=zset", dsn); }

StoreUnderTest sets(std::function<std::string()> dsn = shared_redis) {
  StoreUnderTest store = redis("sets", "?strategy=sets", dsn);
  store.exact_seconds = false;
  store.time_unit = 60;
  return store;
}

StoreUnderTest bitmap(const std::string& name, const std::string& options,
                      std::function<std::string()> dsn = shared_redis) {
  StoreUnderTest store = redis(name, "?strategy=bitmap" + options, dsn);
  store.exact_seconds = false;
  store.time_unit = 300;
  store.windows = {5};
  store.keeps_times = false;
  store.integers_only = true;
  return store;
}

StoreUnderTest hll(std::function<std::string()> dsn = shared_redis) {
  StoreUnderTest store = redis("hll", "?strategy=hll", dsn);
  store.exact_seconds = false;
  store.lists_ids = store.answers_online = store.forgets = store.replaces = store.keeps_times = store.tells_changes =
      store.tells_gone = false;
  return store;
}

#ifdef PRESENCE_HAVE_TLS
INSTANTIATE_TEST_SUITE_P(RedisOverTls, StoreContractTest,
                         testing::Values(redis("zset", "&strategy=zset", test::shared_redis_tls)),
                         [](const auto& instance) { return instance.param.name; });
#endif

INSTANTIATE_TEST_SUITE_P(Redis, StoreContractTest,
                         testing::Values(zset(), sets(), bitmap("bitmap", ""), bitmap("bitmap_chunked", "&chunked=1"),
                                         hll()),
                         [](const auto& instance) { return instance.param.name; });

class RedisStoreTest : public testing::Test {
 protected:
  void SetUp() override { PRESENCE_NEEDS_REDIS(); }

  std::unique_ptr<Store> open(const std::string& options, int window = 5, int retention = 60, bool room = false) {
    StoreOptions all;
    all.key = key_;
    all.window = window;
    all.retention = retention;
    all.timeout = 10;
    all.room = room;
    return open_redis(servers_, shared_redis() + options, all);
  }
  Error refused(const std::string& options, int window = 5, int retention = 60) {
    StoreOptions all;
    all.window = window;
    all.retention = retention;
    const auto store = servers_.open(parse_dsn(shared_redis() + options).value(), all);
    return store.ok() ? Error{ErrorCode::internal, "was opened"} : store.error();
  }
  RedisTraffic traffic() { return servers_.server(parse_dsn(shared_redis()).value()).value()->traffic(); }
  std::uint64_t round_trips() { return traffic().round_trips; }

  RedisServers servers_;
  RedisAdmin admin_ = shared_admin();
  std::string key_ = fresh_key();
};

TEST_F(RedisStoreTest, ZsetIsTheRecipesSortedSet) {
  const auto store = open("");
  ASSERT_TRUE(store->record("guest:7", kNow).ok());
  EXPECT_EQ(admin_({"TYPE", key_}).text, "zset");
  EXPECT_EQ(admin_({"ZSCORE", key_, "guest:7"}).text, std::to_string(kNow));
  EXPECT_EQ(admin_({"TTL", key_}).integer, -1) << "other programs write to it, whom it must not end for";
  admin_({"ZADD", key_, std::to_string(kNow - 10) + ".5", "plain"});
  EXPECT_EQ(store->last_seen("plain", kNow).value(), kNow - 11 + 1);
}

TEST_F(RedisStoreTest, ZsetPurgesItselfOnceAMinute) {
  const auto store = open("");
  admin_({"ZADD", key_, std::to_string(kNow - 3601), "old", std::to_string(kNow - 3600), "kept"});
  ASSERT_TRUE(store->record("1", kNow).ok());
  EXPECT_EQ(admin_({"ZCARD", key_}).integer, 2);
  admin_({"ZADD", key_, std::to_string(kNow - 3601), "old"});
  ASSERT_TRUE(open("")->record("1", kNow + 1).ok());
  EXPECT_EQ(admin_({"ZCARD", key_}).integer, 3) << "not twice in a minute, also by another object";
  ASSERT_TRUE(store->record("1", kNow + 60).ok());
  EXPECT_EQ(admin_({"ZCARD", key_}).integer, 1);
}

TEST_F(RedisStoreTest, ZsetOfARoomEndsWhenNobodyComes) {
  const auto store = open("", 5, 10, true);
  ASSERT_TRUE(store->record("1", kNow).ok());
  EXPECT_EQ(admin_({"TTL", key_}).integer, 660);
  const Seen seen{"2", kNow};
  admin_({"PERSIST", key_});
  ASSERT_TRUE(store->record_all({&seen, 1}, kNow).ok());
  EXPECT_EQ(admin_({"TTL", key_}).integer, 660);
}

TEST_F(RedisStoreTest, ZsetRecordAllNeverMakesAVisitorOlder) {
  const auto store = open("");
  ASSERT_TRUE(store->record("1", kNow).ok());
  const std::array<Seen, 2> seen{{{"1", kNow - 100}, {"2", kNow - 3601}}};
  ASSERT_TRUE(store->record_all(seen, kNow).ok());
  EXPECT_EQ(store->last_seen("1", kNow).value(), kNow);
  EXPECT_EQ(admin_({"ZCARD", key_}).integer, 1) << "beyond the retention";
}

TEST_F(RedisStoreTest, SetsAreTheRecipesSetAMinute) {
  const auto store = open("?strategy=sets");
  ASSERT_TRUE(store->record("42", kNow + 59).ok());
  const std::string key = key_ + ":" + std::to_string(kNow / 60);
  EXPECT_EQ(admin_({"SMEMBERS", key}).elements, std::vector<std::string>{"42"});
  EXPECT_EQ(admin_({"TTL", key}).integer, 61 * 60);
  EXPECT_EQ(admin_({"EXISTS", key_ + ":" + std::to_string(kNow / 60 + 1)}).integer, 0);
}

TEST_F(RedisStoreTest, AWindowOfFiveSetsIsTheRunningMinuteAndTheFourBefore) {
  const auto store = open("?strategy=sets");
  ASSERT_TRUE(store->record("42", kNow).ok());
  for (const UnixTime later : {0, 59, 60, 299}) {
    EXPECT_EQ(store->count({kNow + later, 5}).value(), 1) << later;
    EXPECT_EQ(store->ids({kNow + later, 5}).value().size(), 1U) << later;
  }
  EXPECT_EQ(store->count({kNow + 300, 5}).value(), 0);
  EXPECT_EQ(store->count({kNow + 300, 6}).value(), 1);
  EXPECT_EQ(store->since({kNow + 299, 5}), kNow);
  EXPECT_EQ(store->since({kNow + 300, 5}), kNow + 60);
}

TEST_F(RedisStoreTest, CountingLeavesNothingBehind) {
  for (const char* options : {"?strategy=sets", "?strategy=bitmap", "?strategy=bitmap&chunked=1", "?strategy=hll"}) {
    key_ = fresh_key();
    const auto store = open(options);
    ASSERT_TRUE(store->record("42", kNow).ok());
    const std::size_t before = admin_({"KEYS", key_ + "*"}).elements.size();
    EXPECT_EQ(store->count({kNow, 5}).value(), 1) << options;
    EXPECT_EQ(admin_({"KEYS", key_ + "*"}).elements.size(), before) << options;
  }
}

TEST_F(RedisStoreTest, EveryKeyThatIsMadeEnds) {
  for (const char* options : {"?strategy=sets", "?strategy=bitmap", "?strategy=bitmap&chunked=1", "?strategy=hll"}) {
    key_ = fresh_key();
    const auto store = open(options);
    const std::array<Seen, 3> seen{{{"1", kNow}, {"2", kNow - 100}, {"900000", kNow - 100}}};
    ASSERT_TRUE(store->record("42", kNow).ok());
    ASSERT_TRUE(store->record_all(seen, kNow).ok());
    static_cast<void>(store->forget("1", kNow).ok());
    static_cast<void>(store->forget("7000000", kNow).ok());
    static_cast<void>(store->replace("42", "99999999", kNow).ok());
    static_cast<void>(store->replace("2", "5", kNow).ok());
    static_cast<void>(store->replace("77", "78", kNow).ok());
    const std::vector<std::string> keys = admin_({"KEYS", key_ + "*"}).elements;
    EXPECT_FALSE(keys.empty());
    for (const std::string& key : keys) {
      EXPECT_GT(admin_({"TTL", key}).integer, 0) << options << " " << key;
      EXPECT_LE(admin_({"TTL", key}).integer, 61 * 60) << options << " " << key;
    }
  }
}

TEST_F(RedisStoreTest, TheBitmapIsTheRecipesBlock) {
  const auto store = open("?strategy=bitmap");
  ASSERT_TRUE(store->record("42", kNow + 299).ok());
  const std::string key = key_ + ":" + std::to_string(kNow / 300);
  EXPECT_EQ(admin_({"GETBIT", key, "42"}).integer, 1);
  EXPECT_EQ(admin_({"BITCOUNT", key}).integer, 1);
  EXPECT_EQ(admin_({"TTL", key}).integer, 600);
  const std::string_view visitor = "42";
  bool online = false;
  for (const UnixTime time : {kNow, kNow + 599}) {
    ASSERT_TRUE(store->online({&visitor, 1}, {time, 5}, {&online, 1}).ok());
    EXPECT_TRUE(online) << "this block and the one before";
  }
  ASSERT_TRUE(store->online({&visitor, 1}, {kNow + 600, 5}, {&online, 1}).ok());
  EXPECT_FALSE(online);
  EXPECT_EQ(store->since({kNow + 599, 5}), kNow);
}

TEST_F(RedisStoreTest, TheBitmapAnswersForItsOwnWindowOnly) {
  const auto store = open("?strategy=bitmap&window_size=120", 2);
  const std::string_view visitor = "42";
  bool online = false;
  EXPECT_TRUE(store->count({kNow, 2}).ok());
  for (const auto& error : {store->count({kNow, 3}).error(), store->ids({kNow, 1}).error(),
                            store->online({&visitor, 1}, {kNow, 60}, {&online, 1}).error()}) {
    EXPECT_EQ(error.code, ErrorCode::unsupported);
    EXPECT_NE(error.message.find("strategy=zset"), std::string::npos);
  }
}

TEST_F(RedisStoreTest, TheBitmapTakesIntegersUpToItsLimitOnly) {
  const auto store = open("?strategy=bitmap&max_id=1000");
  for (const char* id : {"", "-1", "1001", "042", "+1", "1.0", "1e3", " 1", "abc", "0x1", "18446744073709551616"}) {
    const std::string_view visitor = id;
    bool online = false;
    for (const Status& status :
         {store->record(visitor, kNow), store->forget(visitor, kNow), store->replace("1", visitor, kNow),
          store->replace(visitor, "1", kNow), store->online({&visitor, 1}, {kNow, 5}, {&online, 1})}) {
      ASSERT_FALSE(status.ok()) << id;
      EXPECT_EQ(status.error().code, ErrorCode::invalid_argument) << id;
      EXPECT_NE(status.error().message.find("0 to 1000"), std::string::npos) << status.error().message;
    }
  }
  EXPECT_EQ(round_trips(), 0U) << "refused before the server is asked";
  EXPECT_TRUE(store->record("0", kNow).ok());
  EXPECT_TRUE(store->record("1000", kNow).ok());
  EXPECT_EQ(store->count({kNow, 5}).value(), 2);
  EXPECT_FALSE(open("?strategy=bitmap")->record("134217729", kNow).ok());
}

TEST_F(RedisStoreTest, ChunksTakeAny63BitIdAtTheCostOfAChunk) {
  const auto store = open("?strategy=bitmap&chunked=1");
  const std::vector<std::string> far{"0", "65535", "65536", "4294967296", "9223372036854775807"};
  for (const std::string& id : far) {
    ASSERT_TRUE(store->record(id, kNow).ok()) << id;
  }
  std::vector<std::string> ids = store->ids({kNow + 300, 5}).value();
  std::sort(ids.begin(), ids.end(),
            [](const auto& a, const auto& b) { return a.size() != b.size() ? a.size() < b.size() : a < b; });
  EXPECT_EQ(ids, far);
  EXPECT_EQ(store->count({kNow + 300, 5}).value(), 5);
  for (const std::string& key : admin_({"KEYS", key_ + "*"}).elements) {
    EXPECT_LT(admin_({"MEMORY", "USAGE", key}).integer, 21'000) << key;
  }
  ASSERT_TRUE(store->replace("0", "4294967297", kNow).ok());
  ASSERT_TRUE(store->forget("65535", kNow).ok());
  EXPECT_EQ(store->count({kNow, 5}).value(), 4);
  std::array<std::string_view, 3> asked{"4294967297", "0", "65535"};
  std::array<bool, 3> online{};
  ASSERT_TRUE(store->online(asked, {kNow, 5}, online).ok());
  EXPECT_EQ(online, (std::array<bool, 3>{true, false, false}));
}

TEST_F(RedisStoreTest, BitsAreFoundWhereverTheyLie) {
  for (const char* options : {"?strategy=bitmap", "?strategy=bitmap&chunked=1"}) {
    key_ = fresh_key();
    const auto store = open(options);
    // Runs of neighbours, gaps of each size around the widest number of BITFIELD, and lonely ones far off.
    std::vector<std::string> all;
    std::uint64_t id = 3;
    for (std::uint64_t gap = 1; gap < 140; ++gap) {
      all.push_back(std::to_string(id));
      id += gap;
    }
    for (const char* lonely : {"70000", "1000000", "1000063", "100000000"}) {
      all.emplace_back(lonely);
    }
    std::vector<Seen> seen;
    for (std::size_t i = 0; i < all.size(); i += 2) {
      seen.push_back({all[i], i % 4 == 0 ? kNow : kNow - 300});
    }
    ASSERT_TRUE(store->record_all(seen, kNow).ok());
    const auto expect_found = [&](std::size_t begin, std::size_t end) {
      // Backwards, and the first of them twice.
      std::vector<std::string_view> asked(all.rbegin() + static_cast<std::ptrdiff_t>(all.size() - end),
                                          all.rend() - static_cast<std::ptrdiff_t>(begin));
      asked.push_back(asked.front());
      const auto answers = std::make_unique<bool[]>(asked.size());
      const std::uint64_t before = round_trips();
      ASSERT_TRUE(store->online(asked, {kNow, 5}, {answers.get(), asked.size()}).ok());
      EXPECT_EQ(round_trips(), before + 1);
      for (std::size_t i = 0; i + 1 < asked.size(); ++i) {
        EXPECT_EQ(answers[i], (end - 1 - i) % 2 == 0) << options << " " << asked[i];
      }
      EXPECT_EQ(answers[asked.size() - 1], answers[0]);
    };
    expect_found(0, all.size());
    expect_found(0, 40);
    expect_found(100, 120);
    for (std::size_t i = 0; i < all.size(); i += 13) {
      expect_found(i, i + 1);
    }
  }
}

TEST_F(RedisStoreTest, AHyperLogLogIsWithinItsErrorAndSmall) {
  const auto store = open("?strategy=hll");
  std::vector<std::string> ids;
  for (int i = 0; i < 100'000; ++i) {
    ids.push_back("visitor" + std::to_string(i));
  }
  std::vector<Seen> seen;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    seen.push_back({ids[i], kNow - static_cast<UnixTime>(i % 3) * 60});
  }
  ASSERT_TRUE(store->record_all(seen, kNow).ok());
  // Four standard errors of 0.81 %; the hash has no seed, so this holds each time or never.
  EXPECT_NEAR(static_cast<double>(store->count({kNow, 5}).value()), 100'000, 3'240);
  const std::string key = key_ + ":hll:" + std::to_string(kNow / 60);
  EXPECT_EQ(admin_({"TTL", key}).integer, 61 * 60);
  EXPECT_LT(admin_({"MEMORY", "USAGE", key}).integer, 17'000);
}

TEST_F(RedisStoreTest, EachCallIsOneRoundTrip) {
  std::vector<std::string> ids;
  for (int i = 0; i < 200; ++i) {
    ids.push_back(std::to_string(i * 4999));
  }
  const std::vector<std::string_view> asked(ids.begin(), ids.end());
  const auto answers = std::make_unique<bool[]>(asked.size());
  for (const char* options :
       {"", "?strategy=sets", "?strategy=bitmap", "?strategy=bitmap&chunked=1", "?strategy=hll"}) {
    const auto store = open(options);
    ASSERT_TRUE(store->record("1", kNow).ok());
    std::uint64_t calls = 0;
    const std::uint64_t before = round_trips();
    const auto ask = [&](const auto& result) {
      calls += result.ok() || result.error().code != ErrorCode::unsupported ? 1 : 0;
      EXPECT_EQ(round_trips() - before, calls) << options;
    };
    ask(store->record("1", kNow));
    ask(store->record("2", kNow + 60));
    ask(store->count({kNow, 5}));
    ask(store->ids({kNow, 5}));
    ask(store->online(asked, {kNow, 5}, {answers.get(), asked.size()}));
    ask(store->last_seen("1", kNow));
    ask(store->forget("1", kNow));
    ask(store->replace("2", "3", kNow));
  }
}

TEST_F(RedisStoreTest, OptionsThatDoNotExistOrFitAreRefused) {
  const auto expect = [&](const Error& error, const char* part) {
    EXPECT_EQ(error.code, ErrorCode::invalid_argument) << error.message;
    EXPECT_NE(error.message.find(part), std::string::npos) << error.message;
  };
  expect(refused("?strategy=nonsense"), "zset, sets, bitmap or hll");
  expect(refused("?window_size=300"), "known for redis are strategy, db, ssl_ca");
  expect(refused("?strategy=bitmap&sets=1"), "window_size, max_id, chunked");
  expect(refused("?strategy=bitmap&window_size=0"), "between 1 and 86400");
  expect(refused("?strategy=bitmap&window_size=5m"), "between 1 and 86400");
  expect(refused("?strategy=bitmap&window_size=600"), "goes with a window of 10 minutes, not 5");
  expect(refused("?strategy=bitmap&max_id=4294967296"), "0 to 4294967295");
  expect(refused("?strategy=bitmap&chunked=yes"), "must be 0 or 1");
  expect(refused("?strategy=bitmap", 1441, 2000), "at most a day");
  expect(refused("?strategy=sets", 5, 1441), "at most 1440");
  expect(refused("?strategy=hll", 5, 1441), "at most 1440");
  expect(refused("?db=1"), "twice");
}

}  // namespace
}  // namespace presence

#endif  // PRESENCE_HAVE_REDIS
