// The values of Memcached that hold a table of visitors, and how they are changed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/deadline.h"
#include "stores/memcached/memcached_server_list.h"
#include "stores/store.h"

namespace presence {

/// A part as it was read. The entries point into its text, or to ids of whoever changes it.
struct MemcachedTablePart {
  std::size_t index = 0;
  std::optional<std::uint64_t> cas;  ///< None if there is no such value yet.
  std::string text;
  std::vector<Seen> entries;
};

/// A table of visitor ids and times in `parts` values: KEY:0, KEY:1, …; with one part, KEY itself. Each is an array as
/// PHP's serialize() writes it. A visitor is in the part that crc32(id) modulo parts names. One more value of the same
/// form, KEY:gone, is this extension's own: who was forgotten, and when.
class MemcachedTableParts {
 public:
  using Part = MemcachedTablePart;
  /// Changes the entries of a part: whether there was anything to change. May be called again for the same part, read
  /// anew.
  using Change = std::function<bool(Part& part)>;

  struct Layout {
    std::string key;
    int parts = 1;
    int retention = 60;  ///< Minutes that a part lives after its last change.
    int lease = 0;       ///< Seconds that the lease lives; see update().
  };

  MemcachedTableParts(std::shared_ptr<MemcachedServerList> servers, Layout layout)
      : servers_(std::move(servers)), layout_(std::move(layout)) {}

  [[nodiscard]] std::size_t part_of(std::string_view visitor) const;
  [[nodiscard]] std::vector<std::size_t> all() const;
  /// The number under which KEY:gone is read and changed.
  [[nodiscard]] std::size_t gone() const { return static_cast<std::size_t>(layout_.parts); }

  /// Reads those parts, in one round trip. Errors: unavailable, transient, damaged (not our table).
  Result<std::vector<Part>> read(std::span<const std::size_t> parts, const Deadline& deadline);

  struct Outcome {
    bool written = false;  ///< Something was changed.
    bool lease = false;    ///< This call has the lease.
  };
  /// Reads the parts, lets `change` change them, and writes each back if nobody else wrote it meanwhile, otherwise the
  /// same again: a bounded number of times, after a pause that differs from process to process. With the first write
  /// goes the question for the lease `KEY:sweep` if `take_lease`; one caller at a time gets it. Two round trips where
  /// nobody interferes, one if there is nothing to change. Errors: those of read(), no_space (a part is larger than the
  /// server takes).
  Result<Outcome> update(std::vector<std::size_t> parts, const Change& change, bool take_lease,
                         const Deadline& deadline);

 private:
  [[nodiscard]] std::string key_of(std::size_t part) const;
  [[nodiscard]] Result<Part> parse(std::size_t index, MemcachedReply& reply) const;
  void write(MemcachedBatch& batch, const Part& part) const;
  /// What a write was answered: true if it is done, false if somebody else was faster.
  [[nodiscard]] Result<bool> written(const Part& part, const MemcachedReply& reply) const;
  [[nodiscard]] Error crowded() const;

  std::shared_ptr<MemcachedServerList> servers_;
  Layout layout_;
};

}  // namespace presence
