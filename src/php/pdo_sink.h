// Counter rows through a PDO object of the application.
#pragma once

#include <memory>

#include "php/pdo_connection.h"
#include "sinks/sink.h"

namespace presence::php {

/// The sink over a PDO object, in the tables `counter` and `counter_batch` of the database it is connected to. Sends
/// nothing yet. The calls work between the application's transactions: with one open, write() and install() answer
/// transient and change nothing. They take as long as the object's own settings allow. Used inside guarded() only,
/// since PHP may bail out in them. Errors: as identify_pdo().
Result<std::unique_ptr<Sink>> open_pdo_sink(zend_object* pdo);

/// Whether write() would find no transaction of the application. Errors: transient, and as identify_pdo().
Status check_no_transaction(zend_object* pdo);

}  // namespace presence::php
