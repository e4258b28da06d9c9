#include "php/presence_status.h"

#include <string>

namespace presence::php {
namespace {

void add_text(zval* array, const char* name, const std::string& text) {
  if (text.empty()) {
    add_assoc_null_ex(array, name, strlen(name));
  } else {
    add_assoc_stringl_ex(array, name, strlen(name), text.data(), text.size());
  }
}

/// A Unix time; null for never.
void add_time(zval* array, const char* name, UnixTime time) {
  if (time == 0) {
    add_assoc_null_ex(array, name, strlen(name));
  } else {
    add_assoc_long_ex(array, name, strlen(name), time);
  }
}

/// How full the visitor table is.
void add_visitors(zval* array, const VisitorTableUsage& usage) {
  zval part;
  array_init(&part);
  add_assoc_long(&part, "used", static_cast<zend_long>(usage.visitors));
  add_assoc_long(&part, "max", usage.max_visitors);
  add_assoc_long(&part, "keys_used", usage.spaces);
  add_assoc_long(&part, "keys_max", usage.max_spaces);
  add_assoc_long(&part, "evicted_expired", static_cast<zend_long>(usage.evicted_expired));
  add_assoc_long(&part, "evicted_live", static_cast<zend_long>(usage.evicted_live));
  add_assoc_long(&part, "refused", static_cast<zend_long>(usage.refused));
  add_assoc_zval(array, "visitors", &part);
}

/// What is known of the store's server.
void add_health(zval* array, const StoreHealth& health) {
  zval part;
  array_init(&part);
  add_assoc_string(&part, "breaker", health.breaker_open ? "open" : "closed");
  add_text(&part, "last_error", health.last_error);
  add_time(&part, "last_error_time", health.last_error_time);
  if (health.exchanged) {
    add_assoc_long(&part, "pushed", static_cast<zend_long>(health.exchanged->pushed));
    add_assoc_long(&part, "pulled", static_cast<zend_long>(health.exchanged->pulled));
    add_assoc_long(&part, "waiting", health.exchanged->waiting);
    add_time(&part, "last_push", health.exchanged->last_push);
    add_time(&part, "last_pull", health.exchanged->last_pull);
  }
  add_assoc_zval(array, "server", &part);
}

}  // namespace

void set_presence_status(zval* result, const PresenceTracker& tracker, const std::optional<VisitorTableUsage>& usage) {
  const PresenceOptions& options = tracker.options();
  array_init(result);
  add_assoc_bool(result, "enabled", true);
  add_text(result, "store", tracker.place());
  add_text(result, "key", options.key);
  add_assoc_long(result, "window", options.window);
  add_assoc_long(result, "retention", options.retention);
  if (usage) {
    add_visitors(result, *usage);
  } else {
    add_assoc_string(result, "mode", options.mode == PresenceMode::direct ? "direct" : "buffered");
    add_health(result, tracker.health());
  }
  add_text(result, "last_error", tracker.last_error());
}

}  // namespace presence::php
