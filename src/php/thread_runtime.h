// The core's objects of one thread of PHP, made when a request first needs them and kept over requests.
#pragma once

#include <cstdint>

#include "php/globals.h"
#include "php/pdo_binding.h"
#include "runtime/attachment.h"
#include "runtime/counter_service.h"
#include "runtime/presence_service.h"
#include "runtime/settings.h"

namespace presence::php {

/// One thread's way into the core.
struct ThreadRuntime {
  explicit ThreadRuntime(const Settings& settings)
      : attachment(settings), counters(attachment), presences(attachment) {}

  Attachment attachment;
  CounterService counters;
  PresenceService presences;
  PdoBinding pdo;
};

/// The calling thread's. Only inside guarded(): making it may throw std::bad_alloc.
ThreadRuntime& thread_runtime();

/// From RINIT: a new request begins. Drops the objects if they were made of other settings.
void begin_request();

/// From RSHUTDOWN: stores what is due, after the response has gone out where the server allows that.
void end_request();

/// From GSHUTDOWN.
void end_thread(ThreadRuntime* runtime);

/// Raises the core's warning as E_WARNING; see raise_core_warning().
void raise_pending_core_warning();

/// Raises the warning, if the core has one, as E_WARNING. Only from frames without C++ objects that have destructors.
inline void raise_core_warning() {
  if (PRESENCE_G(runtime) != nullptr && PRESENCE_G(runtime)->attachment.has_warning()) [[unlikely]] {
    raise_pending_core_warning();
  }
}

}  // namespace presence::php
