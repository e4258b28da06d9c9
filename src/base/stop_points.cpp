#include "base/stop_points.h"

#ifdef PRESENCE_STOP_POINTS

#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>
#include <utility>

namespace presence {
namespace {

/// What is to happen at one point, each `every` hits of it.
struct Order {
  std::string point;
  std::uint32_t every = 0;  ///< 0: never.
  long microseconds = 0;
  int signal = SIGKILL;
  std::uint32_t hits = 0;

  [[nodiscard]] bool is_due(std::string_view name) { return every != 0 && name == point && ++hits % every == 0; }
};

struct Orders {
  Order stop;
  Order linger;
  std::string broken;
  bool noting = false;
  std::vector<std::string> noted;
};

/// `point:hit:microseconds`, the last two optional.
Order order_from(const char* variable) {
  const char* text = std::getenv(variable);
  if (text == nullptr) {
    return {};
  }
  std::array<std::string, 3> parts;
  std::size_t part = 0;
  for (const char c : std::string_view(text)) {
    if (c == ':' && part + 1 < parts.size()) {
      ++part;
    } else {
      parts[part].push_back(c);
    }
  }
  const unsigned long hit = parts[1].empty() ? 1 : std::strtoul(parts[1].c_str(), nullptr, 10);
  return {parts[0], static_cast<std::uint32_t>(hit), std::strtol(parts[2].c_str(), nullptr, 10), SIGKILL, 0};
}

Orders& orders() {
  static Orders instance = [] {
    const char* broken = std::getenv("PRESENCE_BREAK");
    return Orders{
        order_from("PRESENCE_STOP"), order_from("PRESENCE_LINGER"), broken == nullptr ? "" : broken, false, {}};
  }();
  return instance;
}

}  // namespace

void stop_point(const char* name) {
  Orders& current = orders();
  if (current.noting && std::find(current.noted.begin(), current.noted.end(), name) == current.noted.end()) {
    current.noted.emplace_back(name);
  }
  if (current.stop.is_due(name)) {
    current.stop.every = 0;
    kill(getpid(), current.stop.signal);
  }
  if (current.linger.is_due(name)) {
    const timespec time{current.linger.microseconds / 1'000'000, current.linger.microseconds % 1'000'000 * 1000};
    nanosleep(&time, nullptr);
  }
}

bool is_broken(Promise promise) {
  constexpr std::array<std::string_view, 3> kNames{"sealing", "ledger", "push"};
  return orders().broken == kNames.at(static_cast<std::size_t>(promise));
}

namespace stop_points {

void signal_at(std::string name, std::uint32_t hit, int signal) {
  orders().stop = {std::move(name), hit, 0, signal, 0};
}

void start_noting() { orders().noting = true; }

std::vector<std::string> noted() { return orders().noted; }

}  // namespace stop_points
}  // namespace presence

#endif
