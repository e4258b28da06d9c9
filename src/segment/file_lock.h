// Locks that the kernel gives back when their holder dies, however it dies.
#pragma once

#include <cstdint>

#include "base/result.h"

namespace presence {

/// Which byte of the segment file stands for what. The bytes are lock names only; their content does not matter.
enum class LockByte : std::int64_t {
  flush = 1,     ///< Held by the one process that seals, spools and sends.
  replace = 2,   ///< Held while a damaged segment is taken out of its path.
  flusher = 3,   ///< Held by the flusher process for as long as it lives.
  lanes = 4096,  ///< + lane number.
};

constexpr LockByte operator+(LockByte byte, std::uint32_t offset) {
  return static_cast<LockByte>(static_cast<std::int64_t>(byte) + offset);
}

/// Open-file-description locks (fcntl(2), F_OFD_SETLK) on one byte of a file. None of these calls waits.
namespace file_lock {

/// Takes the byte exclusively. False if another description holds it, or where the kernel has no such locks.
[[nodiscard]] bool try_acquire(int fd, LockByte byte);

/// Gives the byte back.
void release(int fd, LockByte byte);

/// Whether another description than `fd` holds the byte: its owner is alive.
[[nodiscard]] bool held_by_other(int fd, LockByte byte);

}  // namespace file_lock
}  // namespace presence
