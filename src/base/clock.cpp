#include "base/clock.h"

#include <ctime>

namespace presence::clock {

UnixTime now() {
  return time(nullptr);
}

double monotonic() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

}  // namespace presence::clock
