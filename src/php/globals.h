// What the extension keeps for each thread of PHP (for the process, where PHP has no threads).
#pragma once

#include <cstdint>

#include "php/php_api.h"
#include "runtime/settings.h"

namespace presence::php {
struct ThreadRuntime;
}

ZEND_BEGIN_MODULE_GLOBALS(presence)
  /// presence.enabled, asked on every call: a copy of settings->enabled.
  bool enabled;
  /// A bailout was caught below C++ frames and waits until they are gone. See guard.h.
  bool bailout_pending;
  /// Grows when an INI entry changes: what was made of the settings before is then out of date.
  std::uint32_t settings_revision;
  /// The INI entries, validated. Never null between GINIT and GSHUTDOWN.
  presence::Settings* settings;
  /// The core's objects; null until a request needs them. See thread_runtime.h.
  presence::php::ThreadRuntime* runtime;
  /// The settings_revision that `runtime` was made of.
  std::uint32_t runtime_revision;
ZEND_END_MODULE_GLOBALS(presence)

ZEND_EXTERN_MODULE_GLOBALS(presence)

#define PRESENCE_G(v) ZEND_MODULE_GLOBALS_ACCESSOR(presence, v)

#if defined(ZTS) && defined(COMPILE_DL_PRESENCE)
ZEND_TSRMLS_CACHE_EXTERN()
#endif
