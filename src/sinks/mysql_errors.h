// What the error numbers of MySQL and MariaDB mean for a batch of rows.
#pragma once

#include <string_view>

#include "base/result.h"

namespace presence::mysql {

// Numbers that some code acts on. Sources: MySQL's and MariaDB's server error references; numbers from 2000 to 2999
// come from the client library.
inline constexpr unsigned kDuplicateKey = 1062;
inline constexpr unsigned kTableAccessDenied = 1142;
inline constexpr unsigned kNoSuchTable = 1146;

/// Whether the error says that there is no such table. Whoever has rights on single tables only is denied one that does
/// not exist.
constexpr bool is_missing_table(unsigned error) { return error == kNoSuchTable || error == kTableAccessDenied; }

/// unavailable, transient, not_installed or rejected. An error that is not known to lie in the data is transient: rows
/// that wait are better than rows set aside for a fault that somebody will mend.
[[nodiscard]] ErrorCode classify(unsigned number, std::string_view sqlstate);

/// Whether the server gave up this transaction in favour of another, so that it may succeed if repeated at once.
[[nodiscard]] bool is_lock_conflict(unsigned number);

/// Whether the connection is gone: closed, killed, timed out or out of step.
[[nodiscard]] bool is_connection_lost(unsigned number);

/// Whether a COMMIT that failed so may have taken place nevertheless.
[[nodiscard]] bool is_unanswered(unsigned number);

}  // namespace presence::mysql
