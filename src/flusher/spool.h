// Finished minutes on disk, from the moment they leave shared memory until a database has them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/counter_row.h"
#include "base/result.h"
#include "base/unique_fd.h"
#include "sinks/sink.h"

namespace presence {

/// Names a batch and the database it is for. Also the file's name: `<source>-<number>-<fingerprint>.batch`.
struct SpoolEntry {
  BatchId id;
  std::string fingerprint;  ///< 32 hex digits.
  std::uint64_t bytes = 0;  ///< What it takes on disk; only from list().
  UnixTime stored = 0;      ///< When it was put there; only from list().
};

/// What waits in a spool.
struct SpoolUsage {
  std::uint64_t bytes = 0;  ///< On disk, in whole blocks of 4096.
  std::uint32_t batches = 0;
  UnixTime oldest = 0;  ///< When the oldest batch was put there; 0 if none waits.
};

[[nodiscard]] SpoolUsage usage_of(std::span<const SpoolEntry> entries);

/// What a spool may take on disk, in bytes, unless somebody sets another limit.
inline constexpr std::uint64_t kSpoolMax = std::uint64_t{256} << 20;

/// What a file survives once put() has returned.
enum class Survives {
  power_cuts,  ///< Synced: costs milliseconds.
  kills,       ///< As what is in shared memory.
};

/// Files that belong to a batch and are named after it.
enum class Beside {
  attempt,   ///< What is known of an attempt to send it (see SpoolNotes). Beside the batch, and useless without.
  refused,   ///< Its rows that the database refuses, one JSON object a line. In `set-aside`; stays.
  doubtful,  ///< All of its rows, if nobody can tell whether they were committed. Likewise.
};

/// The batch as the ledger of its database knows it. Two targets (a DSN and a PDO object, two users) may lead to one
/// database, and their batches have the same source and number: in the ledger each target is a source of its own.
BatchId ledger_id(const SpoolEntry& entry);

/// The spool of a data folder.
[[nodiscard]] std::string spool_folder(const std::string& data_dir);

/// A folder of batch files of one user. A file appears whole (written beside, synced, renamed) or not at all, and is
/// only removed once its rows are committed, so a kill at any moment neither loses nor doubles a batch.
class Spool {
 public:
  /// The folder `spool` in `data_dir`; both are made (mode 0700) where they are missing. Errors: unavailable if that
  /// fails or the data folder belongs to somebody else.
  static Result<Spool> open(const std::string& data_dir);

  /// Stores a batch unless it is there already, and syncs it if it is to survive power cuts: how many bytes that
  /// took on disk. Errors: no_space if that is more than `room` bytes, or the disk is full; unavailable.
  Result<std::uint64_t> put(const SpoolEntry& entry, std::span<const CounterRow> rows, std::uint64_t room = kSpoolMax,
                            Survives what = Survives::power_cuts) const;

  /// The right to send: batches of one source must go out one after the other, and several segments may share a folder.
  /// None if another process has it. Ends with the descriptor.
  [[nodiscard]] std::optional<UniqueFd> lock_for_sending() const;

  /// All batches, those of one database and source by growing number. Other files in the folder are passed over.
  [[nodiscard]] Result<std::vector<SpoolEntry>> list() const;

  /// The rows of a batch. Errors: damaged, unavailable.
  [[nodiscard]] Result<std::vector<CounterRow>> load(const SpoolEntry& entry) const;

  /// Removes a batch that is committed, and then its attempt.
  Status remove(const SpoolEntry& entry) const;

  /// Removes what a kill left behind: attempts at batches that are gone. Only with the right to send.
  void remove_orphans() const;

  /// Writes, replaces, reads and removes a file beside a batch. As put(), a write is synced, and whole or not at all.
  Status write_beside(const SpoolEntry& entry, Beside kind, std::string_view bytes) const;
  [[nodiscard]] Result<std::optional<std::string>> read_beside(const SpoolEntry& entry, Beside kind) const;
  Status remove_beside(const SpoolEntry& entry, Beside kind) const;

  /// What the folder `set-aside` takes on disk, in bytes.
  [[nodiscard]] std::uint64_t bytes_set_aside() const;

  /// Moves a batch out of the way into `set-aside`, with the reason in a text file beside it.
  Status set_aside(const SpoolEntry& entry, std::string_view reason) const;

  [[nodiscard]] const std::string& folder() const { return folder_; }

 private:
  explicit Spool(std::string folder) : folder_(std::move(folder)) {}

  [[nodiscard]] std::string path_of(const SpoolEntry& entry) const;
  [[nodiscard]] std::string path_of(const SpoolEntry& entry, Beside kind) const;
  [[nodiscard]] std::string folder_aside() const { return folder_ + "/set-aside"; }

  std::string folder_;
};

/// Makes a folder of this user that nobody else may enter, and checks that it is one. Error: unavailable.
Status make_private_folder(const std::string& path);

}  // namespace presence
