// Visitors in shared memory: the store behind `shm:`.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "stores/store.h"
#include "visitors/visitor_table.h"

namespace presence {

/// A Store over one space of the visitor table: exact to the second, on this machine. Times more than kMaxSkew seconds
/// ahead of now count as expired. Nothing in it is unavailable; a full table pushes others out (see VisitorTable) and
/// is no error. Error no_space: more different keys and rooms are used in one and the same second than the table has
/// spaces; a larger presence.max_visitors brings more.
class ShmStore final : public Store {
 public:
  /// `table` must outlive the store. `key`: names the space. `retention`: minutes, at least 1.
  ShmStore(const VisitorTable& table, std::string_view key, int retention);

  Status record(std::string_view visitor, UnixTime now) override;
  Status record_all(std::span<const Seen> seen, UnixTime now) override;
  Result<std::int64_t> count(const Window& window) override;
  Result<std::vector<std::string>> ids(const Window& window) override;
  Status online(std::span<const std::string_view> visitors, const Window& window, std::span<bool> answers) override;
  Result<UnixTime> last_seen(std::string_view visitor, UnixTime now) override;
  Status forget(std::string_view visitor, UnixTime now) override;
  Status replace(std::string_view from, std::string_view to, UnixTime now) override;
  Status purge(UnixTime now) override;
  /// Nobody is told gone: all who share the memory see it.
  Status changes(UnixTime since, UnixTime now, const Tell& each, const Tell& gone) override;
  [[nodiscard]] bool in_memory() const override { return true; }

 private:
  /// Finds the space if it exists and runs `ask(Space)`; again if the space was given away meanwhile. Without a space,
  /// or if it keeps being given away, `nobody`.
  template <class Answer, class Ask>
  Answer ask(Answer nobody, Ask ask);
  template <class Write>
  Status write(UnixTime now, Write write);
  [[nodiscard]] UnixTime expiry(UnixTime now) const { return now - static_cast<UnixTime>(retention_); }
  /// Whoever was seen after that was so before the clock was set back.
  static UnixTime latest(UnixTime now) { return now + static_cast<UnixTime>(kMaxSkew); }

  const VisitorTable& table_;
  SpaceKey key_;
  std::uint32_t retention_;  ///< Seconds.
  std::optional<Space> space_;
};

}  // namespace presence
