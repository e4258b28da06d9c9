#include "runtime/attachment.h"

#include <utility>

#include "base/forks.h"
#include "flusher/data_folder_record.h"
#include "flusher/spool.h"

namespace presence {
namespace {

/// Seconds after which what failed is tried again.
constexpr UnixTime kPause = 60;

/// Whether something may be tried, and if so, when the next time is.
bool is_time(UnixTime& again) {
  const UnixTime now = clock::now();
  // A pause that is longer than it can be means that the clock was moved.
  if (again != 0 && now < again && again - now <= kPause) {
    return false;
  }
  again = now + kPause;
  return true;
}

}  // namespace

Attachment::Attachment(const Settings& settings) : settings_(settings), forks_(forks::count()) {}

void Attachment::forget_parent() {
  forks_ = forks::count();
  main_ = {};
  spare_ = {};
  other_folder_ = false;
  elsewhere_ = false;
  warned_ = false;
}

std::uint32_t Attachment::visitors_generation() {
  if (forks_ != forks::count()) [[unlikely]] {
    forget_parent();
  }
  if (elsewhere_) [[unlikely]] {
    static_cast<void>(lane());
  }
  // Both only grow, and so does their sum.
  return forks::count() + moves_;
}

SharedState* Attachment::shared() {
  if (forks_ != forks::count()) [[unlikely]] {
    forget_parent();
  }
  if (!main_.state && is_time(main_.again)) {
    Result<std::shared_ptr<SharedState>> state = SharedState::attach(segment_path(settings_), settings_, warning_);
    if (state) {
      main_.state = std::move(*state);
      compare_folders();
    } else {
      do_without(state.error());
    }
  }
  return main_.state.get();
}

void Attachment::do_without(const Error& why) {
  why_not_ = why.message;
  if (!std::exchange(warned_, true)) {
    warn("presence works without shared memory, and slowly: " + why_not_);
  }
}

void Attachment::compare_folders() {
  const SharedState& state = *main_.state;
  other_folder_ = !same_folder(state.data_folder(), data_dir(settings_));
  if (other_folder_ && DataFolderRecord::of(state.segment())->first_to_note()) {
    warn("counters that wait for their database are kept in " + state.data_folder() +
         " and not in this process's presence.data_dir, " + data_dir(settings_) + ": the segment " +
         state.segment().path() +
         " was created with the first, and all who use it must agree. Set the same presence.data_dir for all of "
         "them, or a presence.segment of its own for this one");
  }
}

std::string Attachment::data_folder() {
  const SharedState* const state = shared();
  return state != nullptr ? state->data_folder() : data_dir(settings_);
}

bool Attachment::has_other_folder() { return shared() != nullptr && other_folder_; }

const Lane* Attachment::lane_in(Place& place) {
  if (!place.lane && place.state && is_time(place.lane_again)) {
    if (Result<Lane> lane = Lane::claim(place.state->lanes())) {
      place.lane = std::make_unique<Lane>(std::move(*lane));
    } else {
      do_without(lane.error());
    }
  }
  return place.lane.get();
}

const Lane* Attachment::lane() {
  if (shared() == nullptr) {
    return nullptr;
  }
  if (!main_.lane && lane_in(main_) != nullptr && elsewhere_) {
    elsewhere_ = false;
    ++moves_;
  }
  return main_.lane.get();
}

Result<Attachment::Visitors> Attachment::visitors() {
  if (const Lane* own = lane()) {
    return Visitors{main_.state.get(), own};
  }
  elsewhere_ = true;
  if (!spare_.state && is_time(spare_.again) && make_private_folder(data_dir(settings_))) {
    // presence.segment_size is about shared memory, of which this takes none.
    Settings unlimited = settings_;
    unlimited.segment_size = 0;
    std::string ignored;
    if (auto state = SharedState::attach(data_dir(settings_) + "/segment", unlimited, ignored)) {
      spare_.state = std::move(*state);
    }
  }
  if (const Lane* own = lane_in(spare_)) {
    return Visitors{spare_.state.get(), own};
  }
  return Error{ErrorCode::unavailable,
               "visitors can be kept nowhere: " + why_not_ + "; and a file in presence.data_dir, " +
                   data_dir(settings_) +
                   ", cannot be used either: set one of them to a place that this user alone may write to"};
}

std::string Attachment::take_warning() { return std::exchange(warning_, {}); }

}  // namespace presence
