// The second argument of Presence's constructor.
#pragma once

#include "base/result.h"
#include "php/php_api.h"
#include "presence/options.h"

namespace presence::php {

/// Puts what the array says into the options, which hold the defaults before. Checks each value's type and that there
/// is such an option, not yet whether the options fit together. Error: invalid_argument.
Status read_options(HashTable* given, PresenceOptions& options);

}  // namespace presence::php
