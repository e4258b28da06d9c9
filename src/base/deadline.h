// How long one call may wait for a server, over all its steps.
#pragma once

#include <cmath>

#include "base/clock.h"

namespace presence {

/// A point on the clock that never jumps.
class Deadline {
 public:
  /// `seconds` from now.
  explicit Deadline(double seconds) : at_(clock::monotonic() + seconds) {}

  /// Seconds left; 0 once it has passed.
  [[nodiscard]] double remaining() const {
    const double left = at_ - clock::monotonic();
    return left > 0 ? left : 0;
  }
  /// The same for poll(2), rounded up, so that nothing polls its last millisecond away.
  [[nodiscard]] int milliseconds() const { return static_cast<int>(std::ceil(remaining() * 1000)); }
  [[nodiscard]] bool passed() const { return remaining() <= 0; }

 private:
  double at_;
};

}  // namespace presence
