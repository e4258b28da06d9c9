#include "base/clock.h"

#include <dlfcn.h>

#include <ctime>

namespace presence::clock {
namespace {

using TimeFunction = std::time_t (*)(std::time_t*);

/// The time() that the rest of the process calls. Some versions of PHP (8.2) load extensions with RTLD_DEEPBIND, which
/// would bind a plain call to the C library's and pass by a replacement that was preloaded (libfaketime): time() in PHP
/// and the minutes counted here would then disagree.
TimeFunction time_of_process() {
  void* const process = dlopen(nullptr, RTLD_LAZY);
  void* const found = process == nullptr ? nullptr : dlsym(process, "time");
  return found == nullptr ? &std::time : reinterpret_cast<TimeFunction>(found);
}

}  // namespace

const TimeFunction detail::process_time = time_of_process();

double monotonic() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

}  // namespace presence::clock
