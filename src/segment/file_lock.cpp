#include "segment/file_lock.h"

#include <fcntl.h>

namespace presence::file_lock {
namespace {

struct flock range_of(LockByte byte, short type) {
  struct flock range {};
  range.l_type = type;
  range.l_whence = SEEK_SET;
  range.l_start = static_cast<off_t>(byte);
  range.l_len = 1;
  return range;
}

}  // namespace

bool try_acquire(int fd, LockByte byte) {
  struct flock range = range_of(byte, F_WRLCK);
  return fcntl(fd, F_OFD_SETLK, &range) == 0;
}

void release(int fd, LockByte byte) {
  struct flock range = range_of(byte, F_UNLCK);
  fcntl(fd, F_OFD_SETLK, &range);
}

bool held_by_other(int fd, LockByte byte) {
  struct flock range = range_of(byte, F_WRLCK);
  // Where the kernel does not answer, the owner counts as alive: waiting in vain is safer than taking what is in use.
  return fcntl(fd, F_OFD_GETLK, &range) != 0 || range.l_type != F_UNLCK;
}

}  // namespace presence::file_lock
