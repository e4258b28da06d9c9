#include "runtime/attachment.h"

#include <utility>

#include "base/forks.h"
#include "flusher/data_folder_record.h"
#include "flusher/spool.h"

namespace presence {

Attachment::Attachment(const Settings& settings) : settings_(settings), forks_(forks::count()) {}

void Attachment::forget_parent() {
  forks_ = forks::count();
  main_ = {};
  spare_ = {};
  other_folder_ = false;
}

SharedState* Attachment::shared() {
  if (forks_ != forks::count()) [[unlikely]] {
    forget_parent();
  }
  if (!main_.tried) {
    main_.tried = true;
    Result<std::shared_ptr<SharedState>> state = SharedState::attach(segment_path(settings_), settings_, warning_);
    if (state) {
      main_.state = std::move(*state);
      compare_folders();
    } else {
      why_not_ = state.error().message;
      warning_ = "presence works without shared memory, and slowly: " + why_not_;
    }
  }
  return main_.state.get();
}

void Attachment::compare_folders() {
  const SharedState& state = *main_.state;
  other_folder_ = !same_folder(state.data_folder(), data_dir(settings_));
  if (other_folder_ && DataFolderRecord::of(state.segment())->first_to_note()) {
    warn("counters that wait for their database are kept in " + state.data_folder() +
         " and not in this process's presence.data_dir, " + data_dir(settings_) + ": the segment " +
         state.segment().path() +
         " was created with the first, and all who use it must agree. Set the same presence.data_dir for all of them, "
         "or "
         "a presence.segment of its own for this one");
  }
}

std::string Attachment::data_folder() {
  const SharedState* const state = shared();
  return state != nullptr ? state->data_folder() : data_dir(settings_);
}

bool Attachment::has_other_folder() { return shared() != nullptr && other_folder_; }

const Lane* Attachment::lane_in(Place& place) {
  if (!place.lane_tried && place.state) {
    place.lane_tried = true;
    if (Result<Lane> lane = Lane::claim(place.state->lanes())) {
      place.lane = std::make_unique<Lane>(std::move(*lane));
    } else {
      warning_ = "presence works without shared memory, and slowly: " + lane.error().message;
    }
  }
  return place.lane.get();
}

const Lane* Attachment::lane() { return shared() == nullptr ? nullptr : lane_in(main_); }

Result<Attachment::Visitors> Attachment::visitors() {
  if (const Lane* own = lane()) {
    return Visitors{main_.state.get(), own};
  }
  if (!spare_.tried) {
    spare_.tried = true;
    std::string ignored;
    if (make_private_folder(data_dir(settings_))) {
      // presence.segment_size is about shared memory, of which this takes none.
      Settings unlimited = settings_;
      unlimited.segment_size = 0;
      if (auto state = SharedState::attach(data_dir(settings_) + "/segment", unlimited, ignored)) {
        spare_.state = std::move(*state);
      }
    }
  }
  if (const Lane* own = lane_in(spare_)) {
    return Visitors{spare_.state.get(), own};
  }
  return Error{ErrorCode::unavailable,
               "visitors can be kept nowhere: " + why_not_ + "; and a file in presence.data_dir cannot be used either"};
}

std::string Attachment::take_warning() { return std::exchange(warning_, {}); }

}  // namespace presence
