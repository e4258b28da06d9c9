// What is written down on disk while a batch is sent.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "flusher/spool.h"
#include "sinks/sink.h"

namespace presence {

/// The notes of one batch, in files beside it. Names follow from the batch, so writing them again after a kill makes no
/// second copy.
class SpoolNotes : public BatchNotes {
 public:
  /// All must outlive the notes. `max_aside`: bytes that `set-aside` may take altogether.
  SpoolNotes(const Spool& spool, const SpoolEntry& entry, std::span<const CounterRow> rows, std::uint64_t max_aside)
      : spool_(spool), entry_(entry), rows_(rows), max_aside_(max_aside) {}

  /// Error: no_space if what was set aside takes too much already, or the disk is full.
  Status before_commit(std::span<const RefusedRow> refused, std::span<const StoredSums> expected) override;
  void not_committed() override;
  Result<std::vector<StoredSums>> unanswered() override;

  /// How many rows an attempt that turned out to be committed had refused.
  [[nodiscard]] std::uint64_t rows_refused_before() const;

  /// Keeps all rows for people to decide about: nobody can tell whether they were committed.
  Status set_aside_as_doubtful();

 private:
  Status check_room(std::size_t bytes) const;

  const Spool& spool_;
  const SpoolEntry& entry_;
  std::span<const CounterRow> rows_;
  std::uint64_t max_aside_;
};

/// The text of an attempt, and back. Error: damaged.
std::string encode_attempt(std::span<const StoredSums> expected);
Result<std::vector<StoredSums>> decode_attempt(std::string_view text);

}  // namespace presence
