#include "sinks/mysql_errors.h"

#include <algorithm>
#include <array>

namespace presence::mysql {
namespace {

constexpr std::array kLockConflicts{
    1020U,  // Record has changed since last read (MariaDB with innodb_snapshot_isolation)
    1205U,  // Lock wait timeout
    1213U,  // Deadlock
};

constexpr std::array kConnectionLost{
    1053U,  // Server shutdown in progress
    1077U,  // Normal shutdown
    1079U,  // Shutdown complete
    1152U,  // Aborted connection
    1184U,  // Aborted connection, before login
    1927U,  // Connection was killed (MariaDB)
    3169U,  // Session was killed (MySQL)
    4031U,  // Disconnected for inactivity (MySQL)
};

// The server can be reached but does not let us in, or not at this table: somebody must change its settings.
constexpr std::array kNoAccess{
    1040U,  // Too many connections
    1044U,  // Access denied to database
    1045U,  // Access denied
    1049U,  // Unknown database
    1129U,  // Host is blocked
    1130U,  // Host is not allowed
    1142U,  // Command denied on table
    1143U,  // Command denied on column
    1203U,  // Too many connections of this user
    1226U,  // The user's quota is exceeded
    1227U,  // A privilege is missing
    1698U,  // Access denied, without a password
    1820U,  // The password has expired
    1862U,  // The password has expired
};

constexpr std::array kNotInstalled{
    1054U,  // Unknown column
    1136U,  // Column count does not match
    1146U,  // No such table
    1364U,  // A column of the table that has no default and is not one of ours
};

// Errors in the data that some server reports with a general SQLSTATE. Not among them is 1526, no partition for the
// value: somebody forgot to add one, and all rows of the time to come are concerned.
constexpr std::array kRejected{
    1153U,  // Packet too large
    1264U,  // Out of range
    1265U,  // Data truncated
    1300U,  // Invalid UTF-8
    1366U,  // Incorrect value
    1644U,  // A trigger's SIGNAL
    3819U,  // CHECK constraint (MySQL)
    3854U,  // Cannot convert the string (MySQL)
    3988U,  // Conversion from the collation is impossible (MySQL)
    4025U,  // CHECK constraint (MariaDB)
};

template <std::size_t size>
bool contains(const std::array<unsigned, size>& numbers, unsigned number) {
  return std::find(numbers.begin(), numbers.end(), number) != numbers.end();
}

}  // namespace

ErrorCode classify(unsigned number, std::string_view sqlstate) {
  if (is_connection_lost(number) || contains(kNoAccess, number)) {
    return ErrorCode::unavailable;
  }
  if (contains(kNotInstalled, number)) {
    return ErrorCode::not_installed;
  }
  // Classes 22 "data exception" and 23 "integrity constraint violation".
  if (contains(kRejected, number) || sqlstate.starts_with("22") || sqlstate.starts_with("23")) {
    return ErrorCode::rejected;
  }
  return ErrorCode::transient;
}

bool is_lock_conflict(unsigned number) { return contains(kLockConflicts, number); }

bool is_connection_lost(unsigned number) {
  return (number >= 2000 && number < 3000) || contains(kConnectionLost, number);
}

bool is_unanswered(unsigned number) {
  constexpr unsigned kErrorDuringCommit = 1180;
  constexpr unsigned kInterrupted = 1317;
  return is_connection_lost(number) || number == kErrorDuringCommit || number == kInterrupted;
}

}  // namespace presence::mysql
