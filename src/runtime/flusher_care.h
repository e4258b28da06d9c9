// Seeing to it that a flusher lives, where one is wanted.
#pragma once

#include "base/clock.h"
#include "runtime/attachment.h"

namespace presence {

/// For the services of one thread, at the end of requests.
class FlusherCare {
 public:
  explicit FlusherCare(Attachment& attachment) : attachment_(attachment) {}

  /// Whether a flusher does the work: presence.flusher is `auto`, there is shared memory, and no fork failed lately.
  [[nodiscard]] bool wanted();
  /// Whether none seems to live. Only if wanted(); costs two loads as long as one lives.
  [[nodiscard]] bool alone(UnixTime now);
  /// Whether one lives for certain. Only if wanted(); one system call.
  [[nodiscard]] bool lives();
  /// Starts one where none seems to live. Only if wanted().
  void start(UnixTime now);

 private:
  Attachment& attachment_;
  UnixTime fork_again_ = 0;  ///< Not before this time.
};

}  // namespace presence
