#include "base/forks.h"

#include <pthread.h>

namespace presence::forks {
namespace detail {

std::atomic<std::uint32_t> forks_so_far;

}  // namespace detail

namespace {

// Registered when the library is loaded, so that no fork is missed. A handler goes away with the library that set it.
[[maybe_unused]] const int registered =
    pthread_atfork(nullptr, nullptr, [] { detail::forks_so_far.fetch_add(1, std::memory_order_relaxed); });

}  // namespace
}  // namespace presence::forks
