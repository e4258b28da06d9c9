// Closing a minute, so that its rows can be read and nobody changes them any more.
#pragma once

#include <cstdint>
#include <vector>

#include "base/clock.h"
#include "counters/minute_tables.h"
#include "segment/lane.h"

namespace presence {

/// Which open tables a sealer takes.
enum class SealScope {
  finished,  ///< All but those of the running minute.
  all,       ///< The running minute, too. Later adds open another table for it.
};

/// Seals every table in scope and gives each its batch number. Only by the holder of the flush lock.
///
/// Waits for lanes that are inside such a table, which takes nanoseconds, or until a lane's process turns out to be
/// dead. A process that is stopped (SIGSTOP, a debugger) inside a table cannot be waited for: after a tenth of a second
/// its table stays in phase `closing`, and the next call goes on with it.
void seal(const MinuteTables& tables, const Lanes& lanes, SealScope scope, std::int64_t running_minute);

}  // namespace presence
