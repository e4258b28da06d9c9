// Places between two steps at which a test kills a process, and promises that a test breaks on purpose to see that it
// would notice. Only builds with -DPRESENCE_STOP_POINTS=1 have them; in all others they are nothing, also in the
// hottest loops.
//
// Such a build obeys the environment, read once for each process:
//   PRESENCE_STOP=seal.closing:3        the third time that a process comes to seal.closing, it dies as by kill -9
//   PRESENCE_LINGER=cell.total:100:2000 each hundredth time it stays there for 2000 microseconds
//   PRESENCE_BREAK=sealing              breaks a promise, see Promise
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace presence {

/// What a test may break.
enum class Promise {
  sealing,  ///< A sealer waits until nobody is inside a minute any more.
  ledger,   ///< A database applies a batch once.
  push,     ///< A visitor counts as sent once the store has it.
};

#ifdef PRESENCE_STOP_POINTS

/// A step of the caller is done and the next one not begun. `name` lives as long as the program.
void stop_point(const char* name);

/// Whether the promise is to be broken.
[[nodiscard]] bool is_broken(Promise promise);

namespace stop_points {

/// From here on this process sends itself the signal the `hit`-th time (from 1) that it comes to the point: SIGKILL, or
/// SIGSTOP to stay there until it is told to go on. Replaces what was set before.
void signal_at(std::string name, std::uint32_t hit, int signal);

/// From here on the names of the points that this process comes to are noted.
void start_noting();

/// The noted names in the order of their first hits, each once.
[[nodiscard]] std::vector<std::string> noted();

}  // namespace stop_points

#else

inline void stop_point(const char*) {}
[[nodiscard]] constexpr bool is_broken(Promise) { return false; }

#endif

}  // namespace presence
