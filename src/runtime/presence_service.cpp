#include "runtime/presence_service.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "stores/shm_store.h"

namespace presence {

Result<const VisitorTable*> PresenceService::table() {
  if (const std::uint32_t generation = attachment_.visitors_generation(); generation != generation_) {
    generation_ = generation;
    // After a fork both are the parent's.
    const bool forked = std::exchange(forks_, Attachment::epoch()) != Attachment::epoch();
    table_before_ = forked ? nullptr : std::move(table_);
    table_.reset();
  }
  if (!table_) {
    const Result<Attachment::Visitors> place = attachment_.visitors();
    if (!place) {
      return place.error();
    }
    const SharedState& shared = *place->shared;
    Result<VisitorTable> attached =
        VisitorTable::attach(shared.segment().section(SectionId::visitors), shared.segment().seed(),
                             place->lane->index(), [&shared](LaneIndex lane) { return shared.lanes().alive(lane); });
    if (!attached) {
      return std::move(attached).error();
    }
    table_ = std::make_unique<VisitorTable>(std::move(*attached));
  }
  return table_.get();
}

void PresenceService::bring_home(std::string_view key, std::uint32_t retention) {
  const std::optional<Space> from =
      table_before_ ? table_before_->find_space(table_before_->space_key(key)) : std::nullopt;
  if (!from) {
    return;
  }
  const UnixTime now = clock::now();
  const std::optional<Space> to = table_->open_space(table_->space_key(key), retention, now);
  for (const std::string& visitor : to ? table_before_->ids(*from, 0) : std::vector<std::string>()) {
    const std::optional<UnixTime> seen = table_before_->last_seen(*from, visitor);
    // Others who have not come back yet may record there for another minute; they bring home what they leave.
    if (seen && table_->adopt(*to, visitor, *seen, now) == Recorded::yes) {
      table_before_->forget(*from, visitor);
    }
  }
}

PresenceOptions PresenceService::default_options() const {
  const Settings& settings = attachment_.settings();
  PresenceOptions options;
  options.key = settings.key;
  options.window = settings.window;
  options.retention = settings.retention;
  options.throttle = settings.throttle;
  options.mode = settings.mode;
  options.timeout = settings.timeout;
  options.on_error = settings.on_error;
  return options;
}

Result<PresenceTracker> PresenceService::open(std::string_view text, const PresenceOptions& options) {
  Result<Dsn> dsn = parse_dsn(text);
  if (!dsn) {
    return dsn.error();
  }
  if (dsn->scheme != "shm") {
    return open_remote(std::move(*dsn), options);
  }
  if (!options.strategy.empty()) {
    return Error{ErrorCode::invalid_argument,
                 "\"shm:\" has no option \"" + options.strategy.front().first +
                     "\"; there are key, window, retention, throttle, mode, timeout and on_error"};
  }
  if (dsn->user || dsn->password || !dsn->hosts.empty() || !dsn->path.empty() || !dsn->options.empty()) {
    return Error{ErrorCode::invalid_argument,
                 "must be \"shm:\" and no more; the memory's file is the INI entry presence.segment"};
  }
  return PresenceTracker::open(
      options, dsn->redacted(),
      [this](const PresenceOptions& of_room) -> Result<std::unique_ptr<Store>> {
        Result<const VisitorTable*> visitors = table();
        if (!visitors) {
          return std::move(visitors).error();
        }
        bring_home(of_room.key, static_cast<std::uint32_t>(of_room.retention) * 60);
        return std::unique_ptr<Store>(std::make_unique<ShmStore>(**visitors, of_room.key, of_room.retention));
      },
      cache_);
}

Result<PresenceTracker> PresenceService::open_remote(Dsn dsn, const PresenceOptions& options) {
  if (Status known = StoreOpener::check_scheme(dsn); !known) {
    return std::move(known).error();
  }
  if (options.mode == PresenceMode::buffered) {
    return Error{
        ErrorCode::unsupported,
        "buffered mode comes with a later version for stores on servers; set the option \"mode\" (or the INI entry "
        "presence.mode) to \"direct\""};
  }
  for (const auto& [name, value] : options.strategy) {
    if (dsn.option(name)) {
      return Error{ErrorCode::invalid_argument, "and the options both have \"" + name + "\"; name it once"};
    }
  }
  dsn.options.insert(dsn.options.end(), options.strategy.begin(), options.strategy.end());
  std::string place = dsn.redacted();
  return PresenceTracker::open(
      options, std::move(place),
      [this, dsn = std::move(dsn)](const PresenceOptions& of_room) {
        return stores_.open(dsn, {of_room.key, of_room.window, of_room.retention, of_room.throttle, of_room.timeout,
                                  is_room_key(of_room.key)});
      },
      cache_);
}

}  // namespace presence
