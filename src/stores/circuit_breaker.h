// Staying away from a server that does not answer, so that not each page pays a timeout for it.
#pragma once

#include <string>

#include "base/clock.h"
#include "base/result.h"

namespace presence {

/// Closed while the server answers. A failure opens it for a second; each further failure in a row doubles that, up to
/// 30 seconds. While it is open, calls fail at once. When the time is over, the next call tries the server, and its
/// outcome closes the breaker or opens it again. One for each server and thread.
class CircuitBreaker {
 public:
  static constexpr double kFirstPause = 1;  ///< Seconds.
  static constexpr double kLongestPause = 30;

  /// Whether the server may be tried at `monotonic` (see clock::monotonic). Error: unavailable, with the last failure
  /// and the seconds until the next try.
  [[nodiscard]] Status allow(double monotonic) const;

  /// The server did not answer. `now`: for people.
  void failed(const Error& error, double monotonic, UnixTime now);
  /// The server answered, whatever it said.
  void succeeded() { pause_ = 0; }

  [[nodiscard]] bool open(double monotonic) const { return pause_ > 0 && monotonic < until_; }
  /// The last failure, also when the server is back; empty if there was none.
  [[nodiscard]] const std::string& last_error() const { return last_error_; }
  /// When it was; 0 if there was none.
  [[nodiscard]] UnixTime last_error_time() const { return last_error_time_; }

 private:
  double pause_ = 0;  ///< Of the current row of failures; 0 if the last call succeeded.
  double until_ = 0;
  std::string last_error_;
  UnixTime last_error_time_ = 0;
};

}  // namespace presence
