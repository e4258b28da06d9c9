#include "presence/answer_cache.h"

namespace presence {

void Answers::at(UnixTime now) {
  if (now != second_) {
    windows_.clear();
    second_ = now;
  }
}

const Answers::WindowAnswers* Answers::find(int minutes) const {
  for (const WindowAnswers& window : windows_) {
    if (window.minutes == minutes) {
      return &window;
    }
  }
  return nullptr;
}

Answers::WindowAnswers& Answers::window(int minutes) {
  for (WindowAnswers& window : windows_) {
    if (window.minutes == minutes) {
      return window;
    }
  }
  return windows_.emplace_back(WindowAnswers{minutes, {}, {}});
}

std::optional<std::int64_t> Answers::count(int minutes) const {
  const WindowAnswers* window = find(minutes);
  return window != nullptr ? window->count : std::nullopt;
}

void Answers::keep_count(int minutes, std::int64_t count) { window(minutes).count = count; }

std::optional<bool> Answers::online(int minutes, std::string_view visitor) const {
  const WindowAnswers* window = find(minutes);
  if (window == nullptr) {
    return std::nullopt;
  }
  const auto found = window->online.find(visitor);
  return found != window->online.end() ? std::optional<bool>(found->second) : std::nullopt;
}

void Answers::keep_online(int minutes, std::string_view visitor, bool online) {
  window(minutes).online.insert_or_assign(std::string(visitor), online);
}

void Answers::changed(std::string_view visitor) {
  for (WindowAnswers& window : windows_) {
    window.count.reset();
    if (const auto found = window.online.find(visitor); found != window.online.end()) {
      window.online.erase(found);
    }
  }
}

void AnswerCache::begin_request() {
  answers_.clear();
  ++generation_;
}

Answers& AnswerCache::of(const std::string& store_and_key) {
  if (answers_.size() >= kMaxKeys && !answers_.contains(store_and_key)) {
    begin_request();
  }
  return answers_[store_and_key];
}

}  // namespace presence
