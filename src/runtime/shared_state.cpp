#include "runtime/shared_state.h"

#include <array>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "base/forks.h"
#include "flusher/data_folder_record.h"
#include "visitors/visitor_table.h"

namespace presence {
namespace {

/// What this process has mapped, by path.
struct Mapped {
  std::mutex mutex;
  std::uint32_t forks = 0;
  std::map<std::string, std::shared_ptr<SharedState>> states;
};

using Sections = std::array<SectionSpec, 7>;

/// The sections as the settings want them, scaled down to what presence.segment_size allows.
Result<Sections> sections_for(const Settings& settings) {
  const std::string folder = data_dir(settings);
  if (folder.size() > DataFolderRecord::kPathMax) {
    return Error{ErrorCode::unavailable,
                 "presence.data_dir is longer than " + std::to_string(DataFolderRecord::kPathMax) + " bytes"};
  }
  for (double scale = 1; scale > 0.001; scale *= 0.9) {
    const auto scaled = [scale](std::uint32_t number) {
      return static_cast<std::uint32_t>(static_cast<double>(number) * scale);
    };
    Sections sections = {Lanes::section(),
                         TargetTable::section(),
                         MinuteTables::section(scaled(settings.max_series)),
                         VisitorTable::section(scaled(settings.max_visitors)),
                         FlusherRecord::section(),
                         DataFolderRecord::section(folder),
                         ReplicaTable::section()};
    if (settings.segment_size == 0 || Segment::size_of(sections) <= settings.segment_size) {
      return sections;
    }
  }
  return Error{ErrorCode::no_space, "presence.segment_size is too small: " + std::to_string(settings.segment_size) +
                                        " bytes do not hold even small tables; 0 makes it as large as needed"};
}

Mapped& mapped() {
  static Mapped instance;
  return instance;
}

}  // namespace

SharedState::SharedState(Segment segment)
    : segment_(std::move(segment)), lanes_(segment_), targets_(segment_), minutes_(segment_), replicas_(segment_) {}

Result<std::shared_ptr<SharedState>> SharedState::attach(const std::string& path, const Settings& settings,
                                                         std::string& warning) {
  Mapped& process = mapped();
  const std::lock_guard<std::mutex> guard(process.mutex);
  if (process.forks != forks::count()) {
    process.forks = forks::count();
    process.states.clear();
  }
  if (const auto known = process.states.find(path); known != process.states.end()) {
    return known->second;
  }
  const Result<Sections> sections = sections_for(settings);
  if (!sections) {
    return sections.error();
  }
  Result<Segment::Opened> opened = Segment::open({path}, *sections);
  if (!opened) {
    return std::move(opened).error();
  }
  warning = opened->warning;
  std::shared_ptr<SharedState> state(new SharedState(std::move(opened->segment)));
  const DataFolderRecord* const record = DataFolderRecord::of(state->segment_);
  std::optional<std::string> folder = record == nullptr ? std::nullopt : record->path();
  if (!state->targets_.valid() || !state->minutes_.valid() || !state->replicas_.valid() ||
      FlusherRecord::of(state->segment_) == nullptr || !folder) {
    return Error{ErrorCode::damaged,
                 "the segment " + path + " is damaged: stop PHP, remove the file, and start PHP again"};
  }
  state->data_folder_ = std::move(*folder);
  process.states[path] = state;
  return state;
}

}  // namespace presence
