// Noticing that this process is a copy of another one.
#pragma once

#include <atomic>
#include <cstdint>

namespace presence::forks {

namespace detail {
extern std::atomic<std::uint32_t> forks_so_far;
}

/// How many forks lie between the process that loaded this code and the calling one. What was made under another count
/// belongs to a parent. Costs a load.
inline std::uint32_t count() { return detail::forks_so_far.load(std::memory_order_relaxed); }

}  // namespace presence::forks
