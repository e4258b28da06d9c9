// The one place where time comes from.
#pragma once

#include <cstdint>
#include <ctime>

namespace presence {

/// Seconds since 1970 (Unix time). Signed: a clock may be set to before 1970.
using UnixTime = std::int64_t;

namespace clock {

namespace detail {
/// time(2), as the rest of the process calls it.
extern std::time_t (*const process_time)(std::time_t*);
}  // namespace detail

/// Now, in whole seconds: time(2), which reads the same clock as clock_gettime(CLOCK_REALTIME_COARSE) at half its cost,
/// some 3 ns. It may lag behind the fine clock by one timer tick (at most 10 ms).
inline UnixTime now() { return detail::process_time(nullptr); }

/// Seconds on a clock that never jumps, for measuring how long something took. No relation to the time of day.
double monotonic();

}  // namespace clock

/// Minutes since 1970, rounded down (also before 1970).
constexpr std::int64_t minute_of(UnixTime time) { return time >= 0 ? time / 60 : -((-time + 59) / 60); }

}  // namespace presence
