// Finished minutes on disk, from the moment they leave shared memory until a database has them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/counter_row.h"
#include "base/result.h"
#include "base/unique_fd.h"
#include "sinks/sink.h"

namespace presence {

/// Names a batch and the database it is for. Also the file's name: `<source>-<number>-<fingerprint>.batch`.
struct SpoolEntry {
  BatchId id;
  std::string fingerprint;  ///< 32 hex digits.
};

/// The batch as the ledger of its database knows it. Two targets (a DSN and a PDO object, two users) may lead to one
/// database, and their batches have the same source and number: in the ledger each target is a source of its own.
BatchId ledger_id(const SpoolEntry& entry);

/// A folder of batch files of one user. A file appears whole (written beside, synced, renamed) or not at all, and is
/// only removed once its rows are committed, so a kill at any moment neither loses nor doubles a batch.
class Spool {
 public:
  /// The folder `spool` in `data_dir`; both are made (mode 0700) where they are missing. Errors: unavailable if that
  /// fails or the data folder belongs to somebody else.
  static Result<Spool> open(const std::string& data_dir);

  /// Stores a batch unless it is there already. Syncs the file and the folder before it returns. Errors: no_space,
  /// unavailable.
  Status put(const SpoolEntry& entry, std::span<const CounterRow> rows) const;

  /// The right to send: batches of one source must go out one after the other, and several segments may share a folder.
  /// None if another process has it. Ends with the descriptor.
  [[nodiscard]] std::optional<UniqueFd> lock_for_sending() const;

  /// All batches, those of one database and source by growing number. Other files in the folder are passed over.
  [[nodiscard]] Result<std::vector<SpoolEntry>> list() const;

  /// The rows of a batch. Errors: damaged, unavailable.
  [[nodiscard]] Result<std::vector<CounterRow>> load(const SpoolEntry& entry) const;

  /// Removes a batch that is committed.
  Status remove(const SpoolEntry& entry) const;

  /// Moves a batch out of the way into `set-aside`, with the reason in a text file beside it.
  Status set_aside(const SpoolEntry& entry, std::string_view reason) const;

  [[nodiscard]] const std::string& folder() const { return folder_; }

 private:
  explicit Spool(std::string folder) : folder_(std::move(folder)) {}

  [[nodiscard]] std::string path_of(const SpoolEntry& entry) const;

  std::string folder_;
};

/// Makes a folder of this user that nobody else may enter, and checks that it is one. Error: unavailable.
Status make_private_folder(const std::string& path);

}  // namespace presence
