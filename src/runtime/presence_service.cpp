#include "runtime/presence_service.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "exchange/buffered_store.h"
#include "stores/shm_store.h"

namespace presence {
namespace {

/// Seconds in which a buffered visitor is recorded once, where nobody says otherwise.
constexpr int kThrottle = 30;

/// A time at which minutes, hours and all blocks that divide an hour begin.
constexpr UnixTime kBlockStart = 1'800'000'000;

StoreOptions store_options(const PresenceOptions& options) {
  return {options.key, options.window, options.retention, options.throttle, options.timeout, is_room_key(options.key)};
}

}  // namespace

Result<const VisitorTable*> PresenceService::table() {
  if (const std::uint32_t generation = attachment_.visitors_generation(); generation != generation_) {
    generation_ = generation;
    // After a fork both are the parent's.
    const bool forked = std::exchange(forks_, Attachment::epoch()) != Attachment::epoch();
    exchanges_.reset();
    replicas_.clear();
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
                     "\"; there are key, window, retention, throttle, mode, sync, timeout and on_error"};
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

Result<std::unique_ptr<Store>> PresenceService::open_buffered(const Dsn& dsn, const PresenceOptions& options) {
  Result<std::unique_ptr<Store>> remote = stores_.open(dsn, store_options(options));
  if (!remote) {
    return remote;
  }
  // What a window covers at least: a store that knows minutes or blocks covers less at the beginning of one.
  const int covered = static_cast<int>(kBlockStart - (*remote)->since({kBlockStart, options.window}));
  if (options.throttle && *options.throttle > covered) {
    return Error{ErrorCode::invalid_argument,
                 "option \"throttle\" must be at most " + std::to_string(covered) +
                     " seconds for this window and strategy: visitors who stay would seem to leave"};
  }
  const int throttle = options.throttle.value_or(std::min(kThrottle, covered / 2));
  const Result<const VisitorTable*> visitors = table();
  if (!visitors) {
    return remote;  // no memory to buffer in: each call asks the server
  }
  const ReplicaTable& replicas = attachment_.visitors()->shared->replicas();
  const ReplicaSpec spec{dsn.text(),
                         options.key,
                         options.window,
                         options.retention,
                         throttle,
                         static_cast<int>(options.sync * 1000),
                         is_room_key(options.key)};
  const std::optional<std::uint32_t> number = replicas.find_or_add(spec);
  if (!number) {
    return remote;
  }
  replicas_.insert(*number);
  bring_home(spec.space_name(), static_cast<std::uint32_t>(spec.retention) * 60);
  return std::unique_ptr<Store>(
      std::make_unique<BufferedStore>(**visitors, spec, replicas.state(*number), std::move(*remote)));
}

Result<PresenceTracker> PresenceService::open_remote(Dsn dsn, const PresenceOptions& options) {
  if (Status known = StoreOpener::check_scheme(dsn); !known) {
    return std::move(known).error();
  }
  for (const auto& [name, value] : options.strategy) {
    if (dsn.option(name)) {
      return Error{ErrorCode::invalid_argument, "and the options both have \"" + name + "\"; name it once"};
    }
  }
  dsn.options.insert(dsn.options.end(), options.strategy.begin(), options.strategy.end());
  dsn.options_beside_text = options.strategy.size();
  std::string place = dsn.redacted();
  return PresenceTracker::open(
      options, std::move(place),
      [this, dsn = std::move(dsn)](const PresenceOptions& of_room) -> Result<std::unique_ptr<Store>> {
        if (of_room.mode == PresenceMode::buffered) {
          return open_buffered(dsn, of_room);
        }
        return stores_.open(dsn, store_options(of_room));
      },
      cache_);
}

Exchanges& PresenceService::exchanges() {
  if (!exchanges_) {
    exchanges_ = std::make_unique<Exchanges>(*table_, attachment_.visitors()->shared->replicas(), stores_,
                                             attachment_.settings().timeout);
  }
  return *exchanges_;
}

Status PresenceService::flush() {
  if (replicas_.empty() || !table()) {
    return {};
  }
  Status first;
  for (const std::uint32_t number : replicas_) {
    Status done = exchanges().run(number, clock::now());
    if (!done && first) {
      first = std::move(done);
    }
  }
  return first;
}

bool PresenceService::due(bool last_chance) {
  if (replicas_.empty() || attachment_.settings().flusher == FlusherMode::off) {
    return false;
  }
  const UnixTime now = clock::now();
  if (flusher_.wanted()) {
    return flusher_.alone(now);
  }
  return last_chance || now != exchanged_;
}

void PresenceService::end_request(bool last_chance) {
  if (flusher_.wanted()) {
    const bool lives = flusher_.lives();
    if (!last_chance) {
      flusher_.start(clock::now());
    }
    // Where none can be started, its work is done here and now.
    if (flusher_.wanted() && (!last_chance || lives)) {
      return;
    }
  }
  exchanged_ = clock::now();
  (void)flush();
}

}  // namespace presence
