#include "php/thread_runtime.h"

#include <cstring>
#include <string>

#include "php/globals.h"
#include "php/guard.h"

namespace presence::php {
namespace {

/// A script on the command line ends with its request, and maybe nobody comes after it.
bool is_last_request() { return std::strcmp(sapi_module.name, "cli") == 0; }

/// Sends the response off, so that nobody waits for what follows. Where the server has no such thing the visitor waits
/// along, once a minute.
void finish_response() {
  zval* function = zend_hash_str_find(CG(function_table), ZEND_STRL("fastcgi_finish_request"));
  // Preloading runs a request of its own, which answers nobody.
  if (function == nullptr || SG(server_context) == nullptr) {
    return;
  }
  zval result;
  ZVAL_UNDEF(&result);
  zend_call_known_function(static_cast<zend_function*>(Z_PTR_P(function)), nullptr, nullptr, &result, 0, nullptr,
                           nullptr);
  zval_ptr_dtor(&result);
}

}  // namespace

ThreadRuntime& thread_runtime() {
  if (PRESENCE_G(runtime) == nullptr) {
    PRESENCE_G(runtime) = new ThreadRuntime(*PRESENCE_G(settings));
    PRESENCE_G(runtime_revision) = PRESENCE_G(settings_revision);
  }
  return *PRESENCE_G(runtime);
}

void begin_request() {
  ThreadRuntime* runtime = PRESENCE_G(runtime);
  if (runtime == nullptr) {
    return;
  }
  if (PRESENCE_G(runtime_revision) != PRESENCE_G(settings_revision)) {
    if (runtime->attachment.settings() == *PRESENCE_G(settings)) {
      PRESENCE_G(runtime_revision) = PRESENCE_G(settings_revision);
    } else {
      PRESENCE_G(runtime) = nullptr;
      delete runtime;
      return;
    }
  }
  runtime->pdo.begin_request();
  runtime->counters.begin_request();
  runtime->presences.begin_request();
}

void end_request() {
  ThreadRuntime* runtime = PRESENCE_G(runtime);
  if (runtime == nullptr || !PRESENCE_G(enabled)) {
    return;
  }
  bool due = false;
  bool presences_due = false;
  guarded([&] {
    presences_due = runtime->presences.due(is_last_request());
    PdoBinding& pdo = runtime->pdo;
    static_cast<void>(pdo.follow(runtime->counters, runtime->attachment.epoch()).ok());
    due = runtime->counters.due(is_last_request());
    // After a fatal error a connection may have stopped in the middle of an answer.
    if (due && (CG(unclean_shutdown) || !pdo.ready_to_write())) {
      runtime->counters.use(nullptr);  // Its rows wait for a request that can write them.
    }
  });
  if (due || presences_due) {
    finish_response();
  }
  if (due) {
    guarded([&] { runtime->counters.end_request(is_last_request()); });
  }
  if (presences_due) {
    guarded([&] { runtime->presences.end_request(is_last_request()); });
  }
  guarded([&] { runtime->pdo.end_request(runtime->counters); });
}

void end_thread(ThreadRuntime* runtime) { delete runtime; }

void raise_pending_core_warning() {
  char message[1024];
  message[0] = '\0';
  guarded([&] {
    if (PRESENCE_G(runtime) == nullptr) {
      return;
    }
    const std::string warning = PRESENCE_G(runtime)->attachment.take_warning();
    const std::size_t size = std::min(warning.size(), sizeof message - 1);
    std::memcpy(message, warning.data(), size);
    message[size] = '\0';
  });
  if (message[0] != '\0') {
    php_error_docref(nullptr, E_WARNING, "%s", message);
  }
}

}  // namespace presence::php
