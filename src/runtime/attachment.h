// One thread's place in shared memory.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/forks.h"
#include "runtime/settings.h"
#include "runtime/shared_state.h"
#include "segment/lane.h"

namespace presence {

/// The segment and the thread's lane in it, taken at first use. What could not be had is tried again once a minute. A
/// forked child starts anew.
class Attachment {
 public:
  explicit Attachment(const Settings& settings);

  /// Counts up when this process turns out to be a fork: what was taken from the attachment before is the parent's and
  /// must be dropped. Costs a load.
  [[nodiscard]] static std::uint32_t epoch() { return forks::count(); }

  /// Counts up when visitors() would give another memory than before: what was made of that must be made anew. Costs
  /// some loads; while visitors are elsewhere than in shared(), a look at the clock.
  [[nodiscard]] std::uint32_t visitors_generation();

  /// The segment; null if it cannot be had.
  [[nodiscard]] SharedState* shared();

  /// The folder of what waits for a database: that of the segment, or where there is none, of the settings.
  [[nodiscard]] std::string data_folder();

  /// Whether the settings name another folder than data_folder(). Batches from times without shared memory may wait
  /// there.
  [[nodiscard]] bool has_other_folder();

  /// The thread's lane; null if there is no segment or no lane left.
  [[nodiscard]] const Lane* lane();

  /// The memory for visitors: that of shared(), or where it cannot be had, of a file in the data folder, with its lane.
  struct Visitors {
    SharedState* shared = nullptr;
    const Lane* lane = nullptr;
  };
  /// Error: unavailable if neither can be had; it says why.
  Result<Visitors> visitors();

  /// Whether take_warning() has something to give.
  [[nodiscard]] bool has_warning() const { return !warning_.empty(); }

  /// Adds something that the administrator should read.
  void warn(const std::string& text) { warning_ += warning_.empty() ? text : "; " + text; }

  /// What the administrator should read, once: why shared memory is not in use, or was replaced. Empty if nothing.
  [[nodiscard]] std::string take_warning();

  [[nodiscard]] const Settings& settings() const { return settings_; }

 private:
  /// A mapped segment and the lane in it.
  struct Place {
    std::shared_ptr<SharedState> state;
    std::unique_ptr<Lane> lane;
    UnixTime again = 0;  ///< When to try again, after a failure; 0: not tried yet.
    UnixTime lane_again = 0;
  };

  void forget_parent();
  void do_without(const Error& why);
  void compare_folders();
  [[nodiscard]] const Lane* lane_in(Place& place);

  Settings settings_;
  std::uint32_t forks_;
  Place main_;
  Place spare_;
  bool other_folder_ = false;
  std::uint32_t moves_ = 0;  ///< Times that visitors got another memory.
  bool elsewhere_ = false;   ///< Visitors were looked for, and not in shared().
  bool warned_ = false;      ///< That there is no shared memory.
  std::string why_not_;
  std::string warning_;
};

}  // namespace presence
