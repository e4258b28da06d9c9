// Noticing that this process is a copy of another one.
#pragma once

#include <cstdint>

namespace presence::forks {

/// How many forks lie between the first process that called this and the calling one. What was made under another count
/// belongs to a parent. Costs a load.
std::uint32_t count();

}  // namespace presence::forks
