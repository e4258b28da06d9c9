#include "runtime/presence_service.h"

#include <string>
#include <utility>

#include "stores/shm_store.h"

namespace presence {

Result<const VisitorTable*> PresenceService::table() {
  if (epoch_ != attachment_.epoch()) {
    epoch_ = attachment_.epoch();
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
  dsn.options.insert(dsn.options.end(), options.strategy.begin(), options.strategy.end());
  std::string place = dsn.redacted();
  return PresenceTracker::open(
      options, std::move(place),
      [this, dsn = std::move(dsn)](const PresenceOptions& of_room) {
        return stores_.open(dsn, {of_room.key, of_room.window, of_room.retention, of_room.throttle, of_room.timeout});
      },
      cache_);
}

}  // namespace presence
