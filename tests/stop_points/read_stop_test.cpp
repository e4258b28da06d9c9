// What a reader is told after somebody died on the way of a value.
#include "runtime/attachment.h"
#include "runtime/counter_service.h"
#include "stop_points/stop_point_fixture.h"

namespace presence {
namespace {

constexpr std::array kPointsOnTheWay = {"seal.closing",   "seal.numbered",  "seal.sealed",      "spool.named",
                                        "drain.spooled",  "drain.stored",   "reset.index",      "reset.free",
                                        "send.connected", "sqlite.written", "sqlite.committed", "send.answered",
                                        "spool.removed",  "drain.sent"};

class ReadStopTest : public StopPointFixture, public testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override {}  // The service makes its own segment.

  [[nodiscard]] Settings settings() const {
    Settings settings;
    settings.segment = path_;
    settings.data_dir = data_;
    settings.max_series = 64;
    settings.max_visitors = 64;
    return settings;
  }

  struct Process {
    explicit Process(const Settings& settings) : attachment(settings), counters(attachment) {}
    Attachment attachment;
    CounterService counters;
  };
};

TEST_P(ReadStopTest, EachAddIsReadOnceAlthoughADrainWasKilled) {
  Process process(settings());
  ASSERT_TRUE(process.counters.add("a", std::nullopt, 0, 2).ok());
  ASSERT_TRUE(process.counters.flush(SealScope::all).ok());
  for (std::uint32_t hit = 1; hit <= 2; ++hit) {
    ASSERT_TRUE(process.counters.add("a", std::nullopt, 0, 3).ok());
    const int status = run_until(GetParam(), 1, SIGKILL, [this] {
      Process doomed(settings());
      (void)doomed.counters.flush(SealScope::all);
    });
    ASSERT_TRUE(WIFSIGNALED(status)) << "nothing comes to this point";
    CounterQuery query;
    query.name = "a";
    query.until = std::int64_t{1} << 40;
    query.step = 86400;
    const Result<std::vector<CounterBucket>> read = process.counters.read(query);
    ASSERT_TRUE(read.ok()) << read.error().message;
    Sums sums;
    for (const CounterBucket& bucket : *read) {
      sums.count += bucket.sums.count;
      sums.total += bucket.sums.total;
    }
    EXPECT_EQ(sums.count, 1 + hit);
    EXPECT_EQ(sums.total, 2 + 3 * hit);
  }
}

INSTANTIATE_TEST_SUITE_P(Read, ReadStopTest, testing::ValuesIn(kPointsOnTheWay));

}  // namespace
}  // namespace presence
