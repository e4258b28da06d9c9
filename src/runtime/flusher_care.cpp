#include "runtime/flusher_care.h"

#include "flusher/flusher_process.h"

namespace presence {
namespace {

/// Seconds for which a process that may not fork does the work itself before it tries again.
constexpr UnixTime kForkPause = 60;

}  // namespace

bool FlusherCare::wanted() {
  return attachment_.settings().flusher == FlusherMode::automatic && attachment_.shared() != nullptr &&
         clock::now() >= fork_again_;
}

bool FlusherCare::alone(UnixTime now) { return !flusher_seems_fine(attachment_.shared()->flusher().record, now); }

bool FlusherCare::lives() { return flusher_lives(attachment_.shared()->flusher()); }

void FlusherCare::start(UnixTime now) {
  const SharedState& shared = *attachment_.shared();
  if (alone(now) && start_flusher(shared.flusher(), shared.data_folder(), attachment_.settings().spool_max) ==
                        FlusherStart::forbidden) {
    fork_again_ = now + kForkPause;
  }
}

}  // namespace presence
