#include "base/forks.h"

#include <pthread.h>

#include <atomic>

namespace presence::forks {
namespace {

std::atomic<std::uint32_t> forks_so_far;

// Registered when the library is loaded, so that no fork is missed. A handler goes away with the library that set it.
[[maybe_unused]] const int registered = pthread_atfork(nullptr, nullptr, [] {
  forks_so_far.fetch_add(1, std::memory_order_relaxed);
});

}  // namespace

std::uint32_t count() { return forks_so_far.load(std::memory_order_relaxed); }

}  // namespace presence::forks
