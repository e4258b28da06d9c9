#include "stores/circuit_breaker.h"

#include <algorithm>
#include <cmath>

namespace presence {

Status CircuitBreaker::allow(double monotonic) const {
  if (!open(monotonic)) {
    return {};
  }
  const auto seconds = static_cast<int>(std::ceil(until_ - monotonic));
  return Error{ErrorCode::unavailable, last_error_ + "; it is tried again in " + std::to_string(seconds) + " s"};
}

void CircuitBreaker::failed(const Error& error, double monotonic, UnixTime now) {
  pause_ = pause_ == 0 ? kFirstPause : std::min(pause_ * 2, kLongestPause);
  until_ = monotonic + pause_;
  last_error_ = error.message;
  last_error_time_ = now;
}

}  // namespace presence
