#include "segment/lane.h"

#include <linux/membarrier.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <mutex>
#include <utility>

#include "base/forks.h"
#include "base/stop_points.h"
#include "segment/file_lock.h"

namespace presence {
namespace {

constexpr std::uint32_t kLanesVersion = 1;

/// At the start of the section, before the lanes.
struct alignas(128) LanesHeader {
  std::atomic<std::uint32_t> used;
};

constexpr std::size_t kSectionSize = sizeof(LanesHeader) + Lanes::kCount * sizeof(LaneRecord);

long membarrier(int command) { return syscall(__NR_membarrier, command, 0, 0); }

/// The descriptors behind this process's lanes (in any segment), plus one; 0 where there is none. Only atomics: a fork
/// may happen while another thread changes them, and the child may not wait for a lock that such a thread held.
std::array<std::atomic<int>, Lanes::kCount> descriptors;

/// Swaps one value of the list for another. A list that is full is no fault: that lane is closed when the child ends.
void change_descriptor(int from, int to) {
  for (std::atomic<int>& descriptor : descriptors) {
    int expected = from;
    if (descriptor.load(std::memory_order_relaxed) == from &&
        descriptor.compare_exchange_strong(expected, to, std::memory_order_relaxed)) {
      return;
    }
  }
}

void close_lanes_in_child() {
  for (std::atomic<int>& descriptor : descriptors) {
    if (const int fd = descriptor.exchange(0, std::memory_order_relaxed); fd != 0) {
      close(fd - 1);
    }
  }
}

void watch_forks() {
  static std::once_flag once;
  std::call_once(once, [] { pthread_atfork(nullptr, nullptr, close_lanes_in_child); });
}

bool owner_lives(const LaneRecord& record) {
  const pid_t owner = record.owner_pid.load(std::memory_order_relaxed);
  return owner > 0 && (kill(owner, 0) == 0 || errno == EPERM);
}

LanesHeader& header_of(const Segment& segment) {
  return *reinterpret_cast<LanesHeader*>(segment.section(SectionId::lanes).data());
}

}  // namespace

SectionSpec Lanes::section() { return {SectionId::lanes, kLanesVersion, kSectionSize, {}}; }

Lanes::Lanes(const Segment& segment) : segment_(&segment) {
  std::span<std::byte> bytes = segment.section(SectionId::lanes);
  if (bytes.size() >= kSectionSize) {
    records_ = {reinterpret_cast<LaneRecord*>(bytes.data() + sizeof(LanesHeader)), kCount};
  }
}

bool Lanes::alive(LaneIndex lane) const { return file_lock::held_by_other(segment_->fd(), LockByte::lanes + lane); }

std::uint32_t Lanes::used() const {
  // Acquire pairs with the release in Lane::claim: a lane counted here has its record.
  const std::uint32_t used = header_of(*segment_).used.load(std::memory_order_acquire);
  return used <= kCount ? used : kCount;
}

Result<Lane> Lane::claim(const Lanes& lanes) {
  if (lanes.records_.empty()) {
    return Error{ErrorCode::damaged, "the segment has no lanes"};
  }
  watch_forks();
  Result<UniqueFd> fd = lanes.segment_->reopen();
  if (!fd) {
    return std::move(fd).error();
  }
  const int descriptor = fd->get();
  // Most lanes are held, and a lock that is refused costs microseconds once many are; so lanes whose owner plainly
  // lives are passed over at first. A process id may mean another process in another container, hence the second round.
  for (const bool look_first : {true, false}) {
    for (std::uint32_t i = 0; i < Lanes::kCount; ++i) {
      if (look_first && owner_lives(lanes.records_[i])) {
        continue;
      }
      if (file_lock::try_acquire(descriptor, LockByte::lanes + i)) {
        return Lane(lanes, fd->release(), static_cast<LaneIndex>(i));
      }
    }
  }
  return Error{ErrorCode::no_space, "all " + std::to_string(Lanes::kCount) + " lanes of the segment are in use"};
}

Lane::Lane(const Lanes& lanes, int fd, LaneIndex index)
    : fd_(fd),
      index_(index),
      record_(&lanes.records_[index]),
      fenced_(membarrier(MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED) != 0),
      forks_(forks::count()) {
  change_descriptor(0, fd + 1);
  stop_point("lane.locked");
  // The last owner is dead or gone, so what it was writing to is as finished as it will ever be.
  record_->writing_to.store(0, std::memory_order_release);
  stop_point("lane.cleared");
  record_->owner_pid.store(getpid(), std::memory_order_relaxed);
  stop_point("lane.owned");
  std::atomic<std::uint32_t>& used = header_of(*lanes.segment_).used;
  std::uint32_t seen = used.load(std::memory_order_relaxed);
  // Seq_cst: the count must be raised before this lane enters anything, as seen by a sealer that closed a table.
  while (seen <= index && !used.compare_exchange_weak(seen, index + 1U, std::memory_order_seq_cst)) {
  }
  stop_point("lane.claimed");
}

Lane::Lane(Lane&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      index_(other.index_),
      record_(other.record_),
      fenced_(other.fenced_),
      forks_(other.forks_) {}

Lane::~Lane() {
  if (fd_ >= 0 && !inherited()) {
    change_descriptor(fd_ + 1, 0);
    record_->owner_pid.store(0, std::memory_order_relaxed);
    close(fd_);
  }
}

bool Lane::inherited() const { return forks_ != forks::count(); }

void order_with_lanes() {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  // Interrupts each processor that runs a registered process, which orders that process's stores before its loads. The
  // second command does the same for all processes, in milliseconds.
  if (membarrier(MEMBARRIER_CMD_GLOBAL_EXPEDITED) == 0 || membarrier(MEMBARRIER_CMD_GLOBAL) == 0) {
    return;
  }
  // This process may not use membarrier. Where that is so for all, the lanes order themselves. A lane of a process that
  // may was promised a barrier; its store has left the processor's store buffer long before this pause ends.
  constexpr timespec kPause{0, 50'000'000};
  nanosleep(&kPause, nullptr);
}

}  // namespace presence
