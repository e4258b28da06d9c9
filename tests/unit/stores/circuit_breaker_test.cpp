#include "stores/circuit_breaker.h"

#include <gtest/gtest.h>

namespace presence {
namespace {

const Error kDown{ErrorCode::unavailable, "redis://h:1 does not answer"};

TEST(CircuitBreakerTest, IsClosedUntilSomethingFails) {
  CircuitBreaker breaker;
  EXPECT_TRUE(breaker.allow(100));
  EXPECT_FALSE(breaker.open(100));
  EXPECT_EQ(breaker.last_error(), "");
}

TEST(CircuitBreakerTest, AFailureKeepsCallsAwayForASecond) {
  CircuitBreaker breaker;
  breaker.failed(kDown, 100, 1'800'000'000);
  const Status refused = breaker.allow(100.5);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::unavailable);
  EXPECT_EQ(refused.error().message, "redis://h:1 does not answer; it is tried again in 1 s");
  EXPECT_TRUE(breaker.open(100.999));
  EXPECT_TRUE(breaker.allow(101));
  EXPECT_EQ(breaker.last_error_time(), 1'800'000'000);
}

TEST(CircuitBreakerTest, ThePauseDoublesUpToHalfAMinute) {
  CircuitBreaker breaker;
  double time = 100;
  for (const double pause : {1, 2, 4, 8, 16, 30, 30}) {
    breaker.failed(kDown, time, 1);
    EXPECT_TRUE(breaker.open(time + pause - 0.001)) << pause;
    EXPECT_FALSE(breaker.open(time + pause)) << pause;
    time += pause;
  }
}

TEST(CircuitBreakerTest, ASuccessStartsAfreshAndKeepsTheLastErrorForPeople) {
  CircuitBreaker breaker;
  breaker.failed(kDown, 100, 7);
  breaker.failed(kDown, 101, 8);
  breaker.succeeded();
  EXPECT_FALSE(breaker.open(101.5));
  EXPECT_EQ(breaker.last_error(), kDown.message);
  EXPECT_EQ(breaker.last_error_time(), 8);
  breaker.failed(kDown, 200, 9);
  EXPECT_FALSE(breaker.open(201));
}

}  // namespace
}  // namespace presence
