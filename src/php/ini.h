// The INI entries: their names, defaults, ranges, and who may set them.
#pragma once

#include "php/globals.h"

namespace presence::php {

/// Registers the presence.* entries. From MINIT. A value that is out of range is refused with a warning and the default
/// stays.
void register_ini(int module_number);

/// From MSHUTDOWN.
void unregister_ini(int module_number);

/// Prints the entries, without the secrets of DSNs. For phpinfo().
void print_ini(zend_module_entry* module);

}  // namespace presence::php
