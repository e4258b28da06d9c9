// Which sink a DSN means.
#include "sinks/mysql_sink.h"
#include "sinks/sink.h"
#include "sinks/sqlite_sink.h"

namespace presence {

Result<std::unique_ptr<Sink>> open_sink(const Dsn& dsn, const SinkOptions& options) {
  if (dsn.scheme == "sqlite") {
#ifdef PRESENCE_HAVE_SQLITE
    return open_sqlite_sink(dsn, options);
#else
    static_cast<void>(options);
    return Error{
        ErrorCode::unsupported,
        "this build of presence has no SQLite: install its development files (Debian: libsqlite3-dev) and build "
        "again"};
#endif
  }
  if (dsn.scheme == "mysql") {
#ifdef PRESENCE_HAVE_MYSQL
    return open_mysql_sink(dsn, options);
#else
    static_cast<void>(options);
    return Error{ErrorCode::unsupported,
                 "this build of presence has no MySQL: install the MariaDB client's development files (Debian: "
                 "libmariadb-dev) and build again, or set Counters::$db to a PDO object"};
#endif
  }
  return Error{ErrorCode::unsupported,
               "counters cannot be written there: the DSN of a sink must begin with \"sqlite:\" or \"mysql:\""};
}

}  // namespace presence
