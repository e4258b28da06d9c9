// What Presence::status() shows.
#pragma once

#include <optional>

#include "php/php_api.h"
#include "presence/presence_tracker.h"
#include "visitors/visitor_table.h"

namespace presence::php {

/// Makes the array of the tracker's options and of its store's state; with how full the visitor table is, where given.
/// Only inside run_zend().
void set_presence_status(zval* result, const PresenceTracker& tracker, const std::optional<VisitorTableUsage>& usage);

}  // namespace presence::php
