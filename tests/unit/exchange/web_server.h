// Web servers that exchange visitors with one store. The store is a visitor table of its own: as real as the others.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "exchange/buffered_store.h"
#include "exchange/exchange.h"
#include "stores/shm_store.h"
#include "unit/visitors/table_memory.h"

namespace presence {

/// The store on a server, which may be out of reach, and counts what is asked of it.
class Server final : public Store {
 public:
  explicit Server(const VisitorTable& table, const std::string& key, int retention, UnixTime unit = 1)
      : visitors_(table, key, retention), gone_(table, key + ":gone", retention), unit_(unit) {}

  Status record(std::string_view visitor, UnixTime now) override {
    return down_ ? down() : visitors_.record(visitor, now);
  }
  Status record_all(std::span<const Seen> seen, UnixTime now) override {
    recorded_ += down_ ? 0 : seen.size();
    return down_ ? down() : visitors_.record_all(seen, now);
  }
  Result<std::int64_t> count(const Window& window) override {
    return down_ ? Result<std::int64_t>(down()) : visitors_.count(window);
  }
  Result<std::vector<std::string>> ids(const Window& window) override {
    return down_ ? Result<std::vector<std::string>>(down()) : visitors_.ids(window);
  }
  Status online(std::span<const std::string_view> visitors, const Window& window, std::span<bool> answers) override {
    return down_ ? down() : visitors_.online(visitors, window, answers);
  }
  Result<UnixTime> last_seen(std::string_view visitor, UnixTime now) override {
    return down_ ? Result<UnixTime>(down()) : visitors_.last_seen(visitor, now);
  }
  Status forget(std::string_view visitor, UnixTime now) override {
    if (down_) {
      return down();
    }
    if (Status noted = gone_.record(visitor, now); !noted) {
      return noted;
    }
    return visitors_.forget(visitor, now);
  }
  Status forget_all(std::span<const Seen> forgotten, UnixTime now) override {
    for (const Seen& one : forgotten) {
      if (down_) {
        return down();
      }
      EXPECT_TRUE(gone_.record_all({&one, 1}, now).ok());
      if (visitors_.last_seen(one.visitor, now).value() <= one.time) {
        EXPECT_TRUE(visitors_.forget(one.visitor, now).ok());
      }
    }
    return {};
  }
  Status replace(std::string_view from, std::string_view to, UnixTime now) override {
    return down_ ? down() : visitors_.replace(from, to, now);
  }
  Status purge(UnixTime now) override { return down_ ? down() : visitors_.purge(now); }
  Status changes(UnixTime since, UnixTime now, const Tell& each, const Tell& gone) override {
    ++pulls_;
    if (down_) {
      return down();
    }
    if (Status told = gone_.changes(since, now, gone, {}); !told) {
      return told;
    }
    const auto rounded = [&](const Seen& seen) { each({seen.visitor, seen.time - seen.time % unit_}); };
    return visitors_.changes(since - since % unit_, now, rounded, {});
  }
  [[nodiscard]] UnixTime time_unit() const override { return unit_; }

  void set_down(bool is_down) { down_ = is_down; }
  [[nodiscard]] std::size_t recorded() const { return recorded_; }
  [[nodiscard]] int pulls() const { return pulls_; }

 private:
  static Error down() { return {ErrorCode::unavailable, "the store does not answer"}; }

  ShmStore visitors_;
  ShmStore gone_;
  UnixTime unit_;
  bool down_ = false;
  std::size_t recorded_ = 0;
  int pulls_ = 0;
};

/// A web server: its memory, which forked children share, a page's way in, and its flusher's exchange.
struct WebServer {
  explicit WebServer(const VisitorTable& central, UnixTime unit = 1, int throttle = 30) {
    spec.dsn = "redis://central";
    spec.key = "users:online";
    spec.throttle = throttle;
    auto asked = std::make_unique<Server>(central, "central", 60, unit);
    by_page = asked.get();
    by_exchange = std::make_unique<Server>(central, "central", 60, unit);
    page = std::make_unique<BufferedStore>(table, spec, state, std::move(asked));
    exchange = std::make_unique<Exchange>(table, spec, state, *by_exchange, known);
  }

  void set_down(bool is_down) const {
    by_page->set_down(is_down);
    by_exchange->set_down(is_down);
  }
  bool online(std::string_view visitor, UnixTime now) const {
    bool answer = false;
    EXPECT_TRUE(page->online({&visitor, 1}, {now, 5}, {&answer, 1}).ok());
    return answer;
  }
  std::int64_t count(UnixTime now) const { return page->count({now, 5}).value(); }

  TableMemory memory{4000};
  VisitorTable table = memory.table();
  ReplicaSpec spec;
  SharedArray<ReplicaState> shared_state{1};
  ReplicaState& state = shared_state[0];
  Server* by_page = nullptr;
  std::unique_ptr<Server> by_exchange;
  KnownSlots known;
  std::unique_ptr<BufferedStore> page;
  std::unique_ptr<Exchange> exchange;
};

}  // namespace presence
