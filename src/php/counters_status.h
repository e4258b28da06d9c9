// What Counters::status() shows.
#pragma once

#include "php/php_api.h"
#include "runtime/counter_status.h"

namespace presence::php {

/// Makes the array of the counters' state, without secrets. Only inside run_zend().
void set_counters_status(zval* array, const CounterStatus& status);

}  // namespace presence::php
