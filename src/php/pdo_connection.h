// A PDO object of the application, as a connection to send SQL over.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "php/php_api.h"

namespace presence::php {

enum class PdoDriver { mysql, sqlite };

/// Which database a PDO object leads to, found out without asking it.
struct PdoIdentity {
  PdoDriver driver;
  /// 32 hex digits; equal for connections to the same database as the same user. What a connection did later ("USE
  /// other") does not show in it.
  std::string fingerprint;
  /// The database lives and dies with this object (SQLite in memory or in an unnamed file): rows for it cannot wait.
  bool is_private;
};

/// Error: unsupported for another driver than mysql and sqlite, unavailable if the object was never constructed.
Result<PdoIdentity> identify_pdo(zend_object* pdo);

/// What PDO said about a failure, in memory that a bailout may leave behind.
struct PdoFailure {
  char sqlstate[6];
  zend_long number;
  char message[512];
};

/// Sends SQL through the methods of the class PDO itself, not those of a subclass. Leaves no trace in PHP: no warning,
/// exception or error handler of the application sees what happens here, in whichever error mode the object is. Never
/// commits or rolls back what the application began; whoever uses this asks in_transaction() first. Inside guarded()
/// only: a bailout is handed on (see guard.h), and shows as an internal error until then.
class PdoConnection {
 public:
  using Rows = std::vector<std::vector<std::string>>;

  /// Keeps the object alive. `pdo` has been identified.
  PdoConnection(zend_object* pdo, PdoDriver driver);
  ~PdoConnection();
  PdoConnection(const PdoConnection&) = delete;
  PdoConnection& operator=(const PdoConnection&) = delete;

  /// Runs one statement that answers no rows.
  Status run(std::string_view statement);

  /// Runs one query; NULLs come as empty texts, numbers in the fewest digits that read back as the same number.
  Result<Rows> query(std::string_view statement);

  /// Whether the application has a transaction open, as far as PDO knows.
  Result<bool> in_transaction();

  /// The driver's number of the last error; 0 if it gave none.
  [[nodiscard]] unsigned last_error() const { return last_error_; }

  [[nodiscard]] PdoDriver driver() const { return driver_; }

 private:
  /// Calls Zend code with the application's error handling out of the way, and a stack frame in place.
  template <class Body>
  bool quietly(Body&& body);

  Error failure_of(const PdoFailure& failure);

  zend_object* pdo_;
  PdoDriver driver_;
  unsigned last_error_ = 0;
};

}  // namespace presence::php
