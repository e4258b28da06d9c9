// From Counters::$db to the counters' sink.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "php/classes.h"
#include "runtime/counter_service.h"

namespace presence::php {

/// Follows what the application puts into Counters::$db. One for each thread; used inside guarded() only.
class PdoBinding {
 public:
  /// Makes the counters write over the object in Counters::$db, or no longer, if that changed since the last call.
  /// Called ahead of each use of the counters: costs two loads if nothing changed. `epoch`: Attachment::epoch(); a
  /// connection from before a fork is the parent's and is not used in the child. Errors: as identify_pdo().
  Status follow(CounterService& counters, std::uint32_t epoch) {
    return unchanged(epoch) ? Status() : change(counters, current(), epoch);
  }

  /// Whether the property holds what it held at the last call of follow().
  [[nodiscard]] bool unchanged(std::uint32_t epoch) const { return current() == pdo_ && epoch == epoch_; }

  /// Whether rows can be written now, or there is no object to write over. Costs a call into PDO. Errors: transient if
  /// the application has a transaction open, or the object cannot be used in this process.
  [[nodiscard]] Status ready_to_write();

  /// At the end of a request, after the last write and while objects still exist: lets go of the object. Whatever is
  /// counted after that, in a session handler say, waits in memory.
  void end_request(CounterService& counters);

  /// Before CounterService::begin_request().
  void begin_request();

 private:
  /// The object in the property, or null. The property's table is there once a request has touched it.
  static zend_object* current() {
    zval* table = CE_STATIC_MEMBERS(presence_ce_counters);
    if (table == nullptr) {
      return nullptr;
    }
    zval* value = table;  // The class's only static property.
    ZVAL_DEREF(value);
    return Z_TYPE_P(value) == IS_OBJECT ? Z_OBJ_P(value) : nullptr;
  }

  Status change(CounterService& counters, zend_object* now, std::uint32_t epoch);
  void bind(CounterService& counters, std::unique_ptr<Sink> sink);

  zend_object* pdo_ = nullptr;  ///< What was in the property at the last call.
  bool holds_object_ = false;   ///< `sink_` is one over the object, and keeps it alive.
  std::uint32_t epoch_ = 0;
  std::unique_ptr<Sink> sink_;
  std::string fingerprint_;
  bool is_private_ = false;
  bool ended_ = false;
};

}  // namespace presence::php
