// Counter rows in MySQL or MariaDB.
#pragma once

#include <memory>

#include "base/dsn.h"
#include "base/result.h"
#include "sinks/sink.h"

namespace presence {

/// The sink for `mysql://user:password@host:port/database`, with the options `socket` (path of a Unix socket, instead
/// of a host), `table`, `timeout` (seconds; the client library rounds up to whole ones), `ssl=1` (nothing goes over the
/// wire in the clear, but whoever answers is trusted) and `ssl_ca` (path of a PEM file; the server must show a
/// certificate for its name that was signed by one of these). As with other clients, the host `localhost` without a
/// port means the Unix socket.
///
/// Connects at the first call and stays connected; in a forked child it connects anew and leaves its parent's
/// connection alone. Needs the tables of install(), or an older counter table without a ledger, into which it writes
/// without asking whether a batch came before.
///
/// Error: invalid_argument where the host or the database is missing, or an option is unknown or wrong.
Result<std::unique_ptr<Sink>> open_mysql_sink(const Dsn& dsn, const SinkOptions& options);

}  // namespace presence
