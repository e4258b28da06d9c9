#include "presence/presence_tracker.h"

#include <algorithm>
#include <utility>

#include "presence/visitor_id.h"

namespace presence {

PresenceTracker::PresenceTracker(PresenceOptions options, std::string place, OpenStore open_store,
                                 std::unique_ptr<Store> store, AnswerCache& cache)
    : options_(std::move(options)),
      place_(std::move(place)),
      cache_key_(place_ + (options_.mode == PresenceMode::direct ? "\n" : "\n~") + options_.key),
      open_store_(std::move(open_store)),
      store_(std::move(store)),
      cache_(&cache) {}

Result<PresenceTracker> PresenceTracker::open(PresenceOptions options, std::string place, OpenStore open_store,
                                              AnswerCache& cache) {
  if (const Status valid = options.validate(); !valid) {
    return valid.error();
  }
  Result<std::unique_ptr<Store>> store = open_store(options);
  if (!store) {
    return std::move(store).error();
  }
  return PresenceTracker(std::move(options), std::move(place), std::move(open_store), std::move(store).value(), cache);
}

Status PresenceTracker::check_visitor(std::string_view visitor) const {
  Status valid = check_visitor_id(visitor);
  return valid ? store_->accepts(visitor) : std::move(valid);
}

Status PresenceTracker::check_minutes(std::optional<std::int64_t> minutes) const {
  const Result<Window> checked = window(minutes, 0);
  return checked ? Status() : Status(checked.error());
}

Result<Window> PresenceTracker::window(std::optional<std::int64_t> minutes, UnixTime now) const {
  const std::int64_t asked = minutes.value_or(options_.window);
  if (asked < 1 || asked > options_.retention) {
    return Error{ErrorCode::invalid_argument, "must be between 1 and " + std::to_string(options_.retention) +
                                                  " (the retention), " + std::to_string(asked) + " given"};
  }
  return Window{now, static_cast<int>(asked)};
}

Answers& PresenceTracker::answers() {
  if (generation_ != cache_->generation() || answers_ == nullptr) {
    answers_ = &cache_->of(cache_key_);
    generation_ = cache_->generation();  // of() may have begun a new one
  }
  return *answers_;
}

Answers& PresenceTracker::answers(UnixTime now) {
  Answers& kept = answers();
  kept.at(now);
  return kept;
}

bool PresenceTracker::hushed(const Error& error) {
  if (options_.on_error != OnError::silent || error.code == ErrorCode::invalid_argument ||
      error.code == ErrorCode::unsupported || error.code == ErrorCode::internal) {
    return false;
  }
  last_error_ = error.message;
  return true;
}

Status PresenceTracker::settle(Status status) {
  return status.ok() || !hushed(status.error()) ? std::move(status) : Status();
}

template <class T>
Result<T> PresenceTracker::settle(Result<T> result, T nobody) {
  return result.ok() || !hushed(result.error()) ? std::move(result) : Result<T>(std::move(nobody));
}

Status PresenceTracker::persist(std::string_view visitor, UnixTime now) {
  if (Status valid = check_visitor_id(visitor); !valid) {
    return valid;
  }
  answers().changed(visitor);
  return settle(store_->record(visitor, now));
}

Status PresenceTracker::purge(UnixTime now) {
  answers().clear();
  return settle(store_->purge(now));
}

Result<std::int64_t> PresenceTracker::count(std::optional<std::int64_t> minutes, UnixTime now) {
  const Result<Window> asked = window(minutes, now);
  if (!asked) {
    return asked.error();
  }
  Answers& kept = answers(now);
  if (const std::optional<std::int64_t> count = kept.count(asked->minutes)) {
    return *count;
  }
  Result<std::int64_t> counted = store_->count(*asked);
  if (counted) {
    kept.keep_count(asked->minutes, *counted);
  }
  return settle(std::move(counted), std::int64_t{0});
}

Result<std::vector<std::string>> PresenceTracker::ids(std::optional<std::int64_t> minutes, UnixTime now) {
  const Result<Window> asked = window(minutes, now);
  if (!asked) {
    return asked.error();
  }
  Result<std::vector<std::string>> found = store_->ids(*asked);
  if (found) {
    answers(now).keep_count(asked->minutes, static_cast<std::int64_t>(found->size()));
  }
  return settle(std::move(found), {});
}

Result<bool> PresenceTracker::is_online(std::string_view visitor, std::optional<std::int64_t> minutes, UnixTime now) {
  bool answer = false;
  if (Status status = find_online({&visitor, 1}, {&answer, 1}, minutes, now); !status) {
    return std::move(status).error();
  }
  return answer;
}

Status PresenceTracker::are_online(std::span<const std::string_view> visitors, std::span<bool> answers_out,
                                   std::optional<std::int64_t> minutes, UnixTime now) {
  Status status = find_online(visitors, answers_out, minutes, now);
  if (status || status.error().code != ErrorCode::invalid_argument) {
    return status;
  }
  for (std::size_t i = 0; i < visitors.size(); ++i) {
    if (const Status valid = check_visitor(visitors[i]); !valid) {
      return Error{ErrorCode::invalid_argument,
                   "must hold valid ids only: number " + std::to_string(i + 1) + " " + valid.error().message};
    }
  }
  return status;
}

Status PresenceTracker::find_online(std::span<const std::string_view> visitors, std::span<bool> answers_out,
                                    std::optional<std::int64_t> minutes, UnixTime now) {
  const Result<Window> asked = window(minutes, now);
  if (!asked) {
    return asked.error();
  }
  for (const std::string_view visitor : visitors) {
    if (Status valid = check_visitor_id(visitor); !valid) {
      return valid;
    }
  }
  Status status =
      store_->in_memory() ? store_->online(visitors, *asked, answers_out) : ask_online(visitors, answers_out, *asked);
  if (!status && hushed(status.error())) {
    std::fill(answers_out.begin(), answers_out.end(), false);
    return {};
  }
  return status;
}

Status PresenceTracker::ask_online(std::span<const std::string_view> visitors, std::span<bool> answers_out,
                                   const Window& asked) {
  Answers& kept = answers(asked.now);
  std::vector<std::string_view> unknown;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < visitors.size(); ++i) {
    if (const std::optional<bool> online = kept.online(asked.minutes, visitors[i])) {
      answers_out[i] = *online;
    } else {
      unknown.push_back(visitors[i]);
      places.push_back(i);
    }
  }
  if (unknown.empty()) {
    return {};
  }
  const auto fresh = std::make_unique<bool[]>(unknown.size());
  const std::span<bool> fresh_answers(fresh.get(), unknown.size());
  if (Status status = store_->online(unknown, asked, fresh_answers); !status) {
    return status;
  }
  for (std::size_t i = 0; i < unknown.size(); ++i) {
    answers_out[places[i]] = fresh_answers[i];
    kept.keep_online(asked.minutes, unknown[i], fresh_answers[i]);
  }
  return {};
}

Result<std::optional<UnixTime>> PresenceTracker::last_seen(std::string_view visitor, UnixTime now) {
  if (const Status valid = check_visitor_id(visitor); !valid) {
    return valid.error();
  }
  const Result<UnixTime> seen = settle(store_->last_seen(visitor, now), UnixTime{0});
  if (!seen) {
    return seen.error();
  }
  return *seen != 0 ? std::optional<UnixTime>(*seen) : std::nullopt;
}

Status PresenceTracker::forget(std::string_view visitor, UnixTime now) {
  if (Status valid = check_visitor_id(visitor); !valid) {
    return valid;
  }
  answers().changed(visitor);
  return settle(store_->forget(visitor, now));
}

Status PresenceTracker::replace(std::string_view from, std::string_view to, UnixTime now) {
  for (const std::string_view visitor : {from, to}) {
    if (Status valid = check_visitor(visitor); !valid) {
      return valid;
    }
  }
  Answers& kept = answers();
  kept.changed(from);
  kept.changed(to);
  return settle(store_->replace(from, to, now));
}

Result<PresenceTracker> PresenceTracker::room(std::string_view name) const {
  Result<std::string> key = room_key(options_.key, name);
  if (!key) {
    return std::move(key).error();
  }
  PresenceOptions options = options_;
  options.key = std::move(key).value();
  return open(std::move(options), place_, open_store_, *cache_);
}

}  // namespace presence
