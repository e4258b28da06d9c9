#include "base/clock.h"

#include <ctime>

namespace presence::clock {

UnixTime now() {
  timespec time;
  clock_gettime(CLOCK_REALTIME_COARSE, &time);
  return time.tv_sec;
}

double monotonic() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

}  // namespace presence::clock
