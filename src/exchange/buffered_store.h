// A store on a server, answered from this machine's memory.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "exchange/replica_table.h"
#include "stores/shm_store.h"
#include "stores/store.h"

namespace presence {

/// The replica of a key: calls touch the visitor table, and an Exchange brings what changed to the store and back. Only
/// what memory cannot know asks the store itself: what others recorded before the first exchange, or within a window
/// longer than what was brought so far; then once. If the store cannot say, memory answers.
///
/// A visitor who was seen within the throttle period is not recorded again, so that this server and all others have the
/// same time of it.
class BufferedStore final : public Store {
 public:
  /// `table` and `state` must outlive the store. `remote`: the same key, asked directly.
  BufferedStore(const VisitorTable& table, const ReplicaSpec& spec, ReplicaState& state, std::unique_ptr<Store> remote);

  Status record(std::string_view visitor, UnixTime now) override;
  Result<std::int64_t> count(const Window& window) override;
  Result<std::vector<std::string>> ids(const Window& window) override;
  Status online(std::span<const std::string_view> visitors, const Window& window, std::span<bool> answers) override;
  Result<UnixTime> last_seen(std::string_view visitor, UnixTime now) override;
  Status forget(std::string_view visitor, UnixTime now) override;
  Status replace(std::string_view from, std::string_view to, UnixTime now) override;
  Status purge(UnixTime now) override;
  [[nodiscard]] UnixTime since(const Window& window) const override { return remote_->since(window); }
  [[nodiscard]] StoreHealth health() const override;
  [[nodiscard]] bool in_memory() const override { return true; }

 private:
  /// The window as the visitor table is asked for it, once all of it is held.
  Window held(const Window& window);
  void used(UnixTime now);
  /// The time under which a visit is recorded: a second after the visitor was forgotten, if that was in this very
  /// second, or by a server whose clock is a little ahead. What is not later than a forgetting ends with it.
  UnixTime after_forgetting(std::string_view visitor, UnixTime time);
  /// Something was changed that the store is to be told of, or not.
  Status changed(Status status);

  const VisitorTable& table_;
  const ReplicaSpec spec_;
  ReplicaState& state_;
  std::unique_ptr<Store> remote_;
  ShmStore visitors_;
  ShmStore gone_;
  bool tells_ids_ = true;  ///< What the store's strategy can do; known once it was asked.
};

}  // namespace presence
