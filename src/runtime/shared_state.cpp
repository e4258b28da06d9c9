#include "runtime/shared_state.h"

#include <array>
#include <map>
#include <mutex>
#include <utility>

#include "base/forks.h"

namespace presence {
namespace {

/// What this process has mapped, by path.
struct Mapped {
  std::mutex mutex;
  std::uint32_t forks = 0;
  std::map<std::string, std::shared_ptr<SharedState>> states;
};

Mapped& mapped() {
  static Mapped instance;
  return instance;
}

}  // namespace

SharedState::SharedState(Segment segment)
    : segment_(std::move(segment)), lanes_(segment_), targets_(segment_), minutes_(segment_) {}

Result<std::shared_ptr<SharedState>> SharedState::attach(const Settings& settings, std::string& warning) {
  const std::string path = segment_path(settings);
  Mapped& process = mapped();
  const std::lock_guard<std::mutex> guard(process.mutex);
  if (process.forks != forks::count()) {
    process.forks = forks::count();
    process.states.clear();
  }
  if (const auto known = process.states.find(path); known != process.states.end()) {
    return known->second;
  }
  const std::array<SectionSpec, 3> sections = {Lanes::section(), TargetTable::section(),
                                               MinuteTables::section(settings.max_series)};
  Result<Segment::Opened> opened = Segment::open({path}, sections);
  if (!opened) {
    return std::move(opened).error();
  }
  warning = opened->warning;
  std::shared_ptr<SharedState> state(new SharedState(std::move(opened->segment)));
  if (!state->targets_.valid() || !state->minutes_.valid()) {
    return Error{ErrorCode::damaged,
                 "the segment " + path + " is damaged: stop PHP, remove the file, and start PHP again"};
  }
  process.states[path] = state;
  return state;
}

}  // namespace presence
