// Several threads of one process at once, each with its own way into the core, as on a thread-safe PHP.
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "runtime/attachment.h"
#include "runtime/counter_service.h"
#include "runtime/presence_service.h"
#include "unit/temp_folder.h"

namespace presence {
namespace {

/// What a thread of PHP has.
struct ThreadOfPhp {
  explicit ThreadOfPhp(const Settings& settings) : attachment(settings), counters(attachment), presences(attachment) {
    counters.begin_request();
    presences.begin_request();
  }

  Attachment attachment;
  CounterService counters;
  PresenceService presences;
};

TEST(RuntimeThreadsTest, ThreadsThatAttachAddAndStoreAtOnceLoseNothing) {
  constexpr int kThreads = 4;
  constexpr int kAdds = 20'000;
  constexpr int kRequests = 20;
  const TempFolder folder;
  Settings settings;
  settings.segment = folder.file("segment");
  settings.data_dir = folder.file("data");
  settings.flusher = FlusherMode::off;
  settings.max_series = 256;
  settings.max_visitors = 256;

  const UnixTime began = clock::now();
  std::atomic<int> running = kThreads;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      ThreadOfPhp php(settings);
      Result<PresenceTracker> tracker = php.presences.open("shm:", php.presences.default_options());
      EXPECT_TRUE(tracker.ok());
      for (int i = 0; tracker && i < kAdds; ++i) {
        const std::string argument = std::to_string(i % 50);
        if (!php.counters.add_known("views", argument, static_cast<std::uint64_t>(i % 50), 1)) {
          EXPECT_TRUE(php.counters.add("views", argument, static_cast<std::uint64_t>(i % 50), 1).ok());
        }
        EXPECT_TRUE(tracker->persist(std::to_string(t * 1000 + i % 40), clock::now()).ok());
        if (i % (kAdds / kRequests) == 0) {
          php.counters.end_request(false);
          EXPECT_TRUE(tracker->is_online(std::to_string(t * 1000), std::nullopt, clock::now()).ok());
          php.counters.begin_request();
          php.presences.begin_request();
        }
      }
      --running;
    });
  }
  ThreadOfPhp storing(settings);
  while (running > 0) {
    EXPECT_TRUE(storing.counters.flush(SealScope::all).ok());
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  ASSERT_TRUE(storing.counters.flush(SealScope::all).ok());

  CounterQuery query;
  query.name = "views";
  query.since = began - 60;
  query.until = began + 86400;
  query.step = 172800;
  const auto buckets = storing.counters.read(query);
  ASSERT_TRUE(buckets.ok()) << buckets.error().message;
  std::int64_t count = 0;
  for (const CounterBucket& bucket : *buckets) {
    count += bucket.sums.count;
  }
  EXPECT_EQ(count, kThreads * kAdds);
  Result<PresenceTracker> tracker = storing.presences.open("shm:", storing.presences.default_options());
  ASSERT_TRUE(tracker.ok());
  EXPECT_EQ(*tracker->count(std::nullopt, clock::now()), kThreads * 40);
}

}  // namespace
}  // namespace presence
