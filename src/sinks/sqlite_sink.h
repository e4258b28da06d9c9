// Counter rows in an SQLite file: the sink that works with nothing configured.
#pragma once

#include <memory>

#include "base/dsn.h"
#include "base/result.h"
#include "sinks/sink.h"

namespace presence {

/// The sink for `sqlite:/absolute/path?table=…&timeout=…`. The first write creates the file (mode 0600) and its tables;
/// reading creates nothing, and finds no rows where there is no file or table. Several processes may write at once.
///
/// Each call opens the file and closes it again, so no connection is ever carried over a fork, which SQLite forbids.
/// With WAL, one call costs a few file operations and one or two fsyncs.
///
/// Error: invalid_argument where the path is missing or not absolute, or an option is unknown.
Result<std::unique_ptr<Sink>> open_sqlite_sink(const Dsn& dsn, const SinkOptions& options);

}  // namespace presence
