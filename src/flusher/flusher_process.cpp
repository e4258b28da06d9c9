#include "flusher/flusher_process.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "base/stop_points.h"
#include "flusher/process_name.h"
#include "flusher/visitor_exchange.h"
#include "segment/file_lock.h"

namespace presence {
namespace {

constexpr auto relaxed = std::memory_order_relaxed;

/// A heartbeat older than this is looked into, which costs a system call. What a killed flusher left to its successor
/// must reach the stores within the seconds by which other servers' pulls overlap (Exchange::kSkew).
constexpr UnixTime kHeartbeatFresh = 2;
/// Seconds after a minute's end before it is sealed: adds that read the clock just before the end are mostly in then.
constexpr UnixTime kGrace = 1;
/// How long nobody may have used the segment before the flusher goes.
constexpr UnixTime kIdleMax = 120;
constexpr UnixTime kIdleCheck = 5;
constexpr double kSinkTimeout = 5;

/// Leaves the parent's descriptors, terminal and signals behind. What is kept is the segment's descriptor number, which
/// gets a description of its own.
bool leave_parent(const Segment& segment) {
  Result<UniqueFd> own = segment.reopen();
  if (!own || dup3(own->get(), segment.fd(), O_CLOEXEC) < 0) {
    return false;
  }
  const auto kept = static_cast<unsigned>(segment.fd());
  if (kept > 0) {
    syscall(SYS_close_range, 0U, kept - 1, 0U);
  }
  syscall(SYS_close_range, kept + 1, ~0U, 0U);
  (void)own->release();  // Closed with the others.
  // Libraries write to descriptors 0 to 2 whatever they are.
  const int nowhere = open("/dev/null", O_RDWR);
  for (int fd = 0; fd <= 2; ++fd) {
    if (fd != nowhere && fd != segment.fd()) {
      dup2(nowhere, fd);
    }
  }
  for (int number = 1; number < NSIG; ++number) {
    signal(number, SIG_DFL);
  }
  signal(SIGPIPE, SIG_IGN);
  (void)!chdir("/");
  umask(077);
  name_process("presence: flusher");
  return true;
}

/// The flusher's life, from the lock to the end.
class Flusher {
 public:
  Flusher(const FlusherSource& source, const std::string& data_dir, std::uint64_t spool_max)
      : source_(source), data_dir_(data_dir), spool_max_(spool_max) {
    sigemptyset(&ends_);
    sigaddset(&ends_, SIGTERM);
    sigaddset(&ends_, SIGINT);
    sigaddset(&ends_, SIGHUP);
    sigprocmask(SIG_SETMASK, &ends_, nullptr);
  }

  void run() {
    if (!take_lock()) {
      return;
    }
    last_use_ = clock::monotonic();
    while (!ended_) {
      beat();
      if (due(clock::now())) {
        run_drain(SealScope::finished);
        stop_point("flusher.drained");
      }
      exchange();
      if (should_go()) {
        break;
      }
      sleep();
    }
    go();
  }

 private:
  [[nodiscard]] bool take_lock() {
    Result<UniqueFd> fd = source_.segment.reopen();
    if (!fd || !file_lock::try_acquire(fd->get(), LockByte::flusher)) {
      return false;
    }
    lock_ = std::move(*fd);
    stop_point("flusher.locked");
    source_.record.pid.store(getpid(), relaxed);
    source_.record.started.store(clock::now(), relaxed);
    source_.record.build.store(flusher_build(), relaxed);
    // Who wanted a newer one may be gone, as after a rollback; if not, it asks again.
    source_.record.wanted_build.store(0, relaxed);
    stop_point("flusher.announced");
    return true;
  }

  /// Brings visitors to the stores they are kept in, and back, where any are.
  void exchange() {
    if (!exchanges_ && source_.replicas != nullptr && source_.replicas->used() > 0) {
      exchanges_ = VisitorExchange::begin(source_);
    }
    if (exchanges_) {
      exchanges_->run(clock::now());
    }
  }

  void beat() { source_.record.heartbeat.store(clock::now(), relaxed); }

  [[nodiscard]] bool due(UnixTime now) const {
    // Just after a minute's end the tables are left alone, unless something else is waiting.
    const UnixTime into_minute = now - minute_of(now) * 60;
    return drain_is_due(source_.tables, into_minute < kGrace ? now - kGrace : now) &&
           (into_minute >= kGrace || source_.tables.drains().waiting.load(relaxed) > 0);
  }

  void run_drain(SealScope scope) {
    DrainOptions options;
    options.scope = scope;
    options.sink.timeout = kSinkTimeout;
    options.spool_max = spool_max_;
    const DrainSource source{source_.segment, source_.lanes, source_.tables, source_.targets};
    (void)drain(&source, data_dir_, options, clock::now());
  }

  /// A newer build wants its place, or nobody has used the segment for a while and nothing is left to do.
  [[nodiscard]] bool should_go() {
    if (source_.record.wanted_build.load(relaxed) > flusher_build()) {
      return true;
    }
    const double now = clock::monotonic();
    if (now - last_look_ < kIdleCheck) {
      return false;
    }
    last_look_ = now;
    if (anybody_there() || (exchanges_ && exchanges_->waiting(clock::now()))) {
      last_use_ = now;
      return false;
    }
    const bool at_its_path = still_at_its_path();
    if (now - last_use_ < kIdleMax && at_its_path) {
      return false;
    }
    run_drain(SealScope::all);
    // What waits on disk is only worth staying for while this segment is the one in use: another segment's flusher
    // sends it just as well. And where the data folder is gone, too, somebody has cleared all of it away.
    return source_.tables.drains().waiting.load(relaxed) == 0 ||
           (!at_its_path && (nothing_in_memory() || access(data_dir_.c_str(), F_OK) != 0));
  }

  [[nodiscard]] bool nothing_in_memory() const {
    for (std::uint32_t number = 0; number < MinuteTables::kTables; ++number) {
      if (source_.tables.table(number).state().phase() != TablePhase::free) {
        return false;
      }
    }
    return true;
  }

  [[nodiscard]] bool anybody_there() const {
    const std::uint32_t used = source_.lanes.used();
    for (std::uint32_t lane = 0; lane < used; ++lane) {
      const bool own = exchanges_ && exchanges_->lane() == lane;
      if (!own && source_.lanes.alive(static_cast<LaneIndex>(lane))) {
        return true;
      }
    }
    return false;
  }

  [[nodiscard]] bool still_at_its_path() const {
    struct stat ours {};
    struct stat named {};
    return fstat(source_.segment.fd(), &ours) == 0 && stat(source_.segment.path().c_str(), &named) == 0 &&
           ours.st_ino == named.st_ino && ours.st_dev == named.st_dev;
  }

  void sleep() {
    constexpr timespec kTick{0, 500'000'000};
    ended_ = sigtimedwait(&ends_, nullptr, &kTick) > 0;
  }

  /// Asked to end, it stores the running minute, too: the machine may be about to stop.
  void go() {
    run_drain(ended_ ? SealScope::all : SealScope::finished);
    if (exchanges_) {
      exchanges_->run_all(clock::now());
    }
    source_.record.pid.store(0, relaxed);
    source_.record.heartbeat.store(0, relaxed);
    stop_point("flusher.leaving");
    // Whoever added something and then found this flusher alive left it the work. So: the lock goes first, then one
    // more look. Who adds later finds the lock free and sees to it himself.
    lock_.reset();
    stop_point("flusher.unlocked");
    run_drain(ended_ ? SealScope::all : SealScope::finished);
  }

  const FlusherSource& source_;
  const std::string& data_dir_;
  const std::uint64_t spool_max_;
  UniqueFd lock_;
  std::unique_ptr<VisitorExchange> exchanges_;
  sigset_t ends_{};
  bool ended_ = false;
  double last_use_ = 0;
  double last_look_ = 0;
};

[[noreturn]] void live_as_flusher(const FlusherSource& source, const std::string& data_dir, std::uint64_t spool_max) {
  stop_point("flusher.forked");
  // Found out while the file can still be found: a program's own name may be relative, and is about to be overwritten.
  static_cast<void>(flusher_build());
  if (leave_parent(source.segment)) {
    stop_point("flusher.detached");
    Flusher(source, data_dir, spool_max).run();
  }
  // Nothing of the parent's may run: no destructor, no exit handler, no flushing of its output buffers.
  _exit(0);
}

}  // namespace

bool flusher_lives(const FlusherSource& source) {
  return file_lock::held_by_other(source.segment.fd(), LockByte::flusher);
}

bool flusher_seems_fine(const FlusherRecord& record, UnixTime now) {
  const UnixTime age = now - record.heartbeat.load(relaxed);
  return age <= kHeartbeatFresh && age >= -kHeartbeatFresh && record.build.load(relaxed) >= flusher_build();
}

FlusherStart start_flusher(const FlusherSource& source, const std::string& data_dir, std::uint64_t spool_max) {
  if (flusher_lives(source)) {
    if (source.record.build.load(relaxed) < flusher_build()) {
      source.record.wanted_build.store(flusher_build(), relaxed);
    }
    return FlusherStart::lives;
  }
  const pid_t child = fork();
  if (child < 0) {
    source.record.fork_failures.fetch_add(1, relaxed);
    return FlusherStart::forbidden;
  }
  if (child == 0) {
    setsid();
    // Forked again: what has no session to lead cannot get a terminal, and who has no parent here leaves no zombie.
    if (const pid_t grandchild = fork(); grandchild != 0) {
      _exit(grandchild < 0 ? 1 : 0);
    }
    live_as_flusher(source, data_dir, spool_max);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    source.record.fork_failures.fetch_add(1, relaxed);
    return FlusherStart::forbidden;
  }
  return FlusherStart::started;
}

std::uint64_t flusher_build() {
  static const std::uint64_t build = [] {
    Dl_info info{};
    struct stat status {};
    if (dladdr(reinterpret_cast<const void*>(&flusher_lives), &info) == 0 || info.dli_fname == nullptr ||
        stat(info.dli_fname, &status) != 0) {
      return std::uint64_t{1};
    }
    return static_cast<std::uint64_t>(status.st_mtim.tv_sec) * 1'000'000'000 +
           static_cast<std::uint64_t>(status.st_mtim.tv_nsec);
  }();
  return build;
}

}  // namespace presence
