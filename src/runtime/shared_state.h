// Everything that the processes of one user share, mapped and put together.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "counters/minute_tables.h"
#include "counters/target_table.h"
#include "exchange/replica_table.h"
#include "flusher/flusher_process.h"
#include "runtime/settings.h"
#include "segment/lane.h"
#include "segment/segment.h"

namespace presence {

/// The mapped segment and the tables in it. Made once per process and segment path; shared by its threads.
class SharedState {
 public:
  /// Maps the segment, or takes what this process has mapped before under that path. In a forked child it is mapped
  /// anew: the child may run as another user than its parent. `warning` is set where the administrator should know
  /// something, once per mapping. Errors: those of Segment::open, and damaged.
  static Result<std::shared_ptr<SharedState>> attach(const std::string& path, const Settings& settings,
                                                     std::string& warning);

  SharedState(const SharedState&) = delete;
  SharedState& operator=(const SharedState&) = delete;

  [[nodiscard]] const Segment& segment() const { return segment_; }
  [[nodiscard]] const Lanes& lanes() const { return lanes_; }
  [[nodiscard]] const TargetTable& targets() const { return targets_; }
  [[nodiscard]] const MinuteTables& minutes() const { return minutes_; }
  [[nodiscard]] const ReplicaTable& replicas() const { return replicas_; }
  /// Where batches of this segment wait, whatever presence.data_dir of this process says; see DataFolderRecord.
  [[nodiscard]] const std::string& data_folder() const { return data_folder_; }
  [[nodiscard]] FlusherSource flusher() const {
    return {segment_, lanes_, minutes_, targets_, *FlusherRecord::of(segment_), &replicas_};
  }

 private:
  explicit SharedState(Segment segment);

  Segment segment_;
  Lanes lanes_;
  TargetTable targets_;
  MinuteTables minutes_;
  ReplicaTable replicas_;
  std::string data_folder_;
};

}  // namespace presence
