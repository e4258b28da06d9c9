#include "php/guard.h"

#include <exception>
#include <new>

#include "php/exceptions.h"

namespace presence::php {
namespace {

/// Throws, or warns where no code runs that could catch: at the end of a request an exception is a fatal error. Only
/// inside run_zend().
void throw_or_warn(zend_class_entry* type, const char* message) {
  if (EG(current_execute_data) == nullptr) {
    zend_error(E_WARNING, "%s", message);
  } else {
    zend_throw_exception(type, message, 0);
  }
}

}  // namespace

namespace detail {

// Never inlined: the caller's registers must survive the longjmp, and it holds C++ objects.
[[gnu::noinline]] bool run_zend(void (*body)(void*), void* context) {
  bool bailed_out = false;
  zend_try { body(context); }
  zend_catch {
    PRESENCE_G(bailout_pending) = true;
    bailed_out = true;  // Written after the jump, so it needs no volatile.
  }
  zend_end_try();
  return !bailed_out;
}

void throw_current_exception() noexcept {
  const char* message = "presence: an unknown C++ exception; please report this";
  try {
    throw;
  } catch (const std::bad_alloc&) {
    message = "presence: the system is out of memory";
  } catch (const std::exception&) {
    message = "presence: an unexpected C++ exception; please report this";
  } catch (...) {
  }
  if (!PRESENCE_G(bailout_pending)) {
    static_cast<void>(php::run_zend([message] { throw_or_warn(presence_ce_presence_exception, message); }));
  }
}

}  // namespace detail

void throw_error(const Error& error) noexcept {
  if (PRESENCE_G(bailout_pending)) {
    return;
  }
  zend_class_entry* type = exception_class(error.code);
  const char* message = error.message.c_str();
  static_cast<void>(run_zend([type, message] { throw_or_warn(type, message); }));
}

bool throw_argument_error(int argument, const Error& error) noexcept {
  if (!PRESENCE_G(bailout_pending)) {
    const auto number = static_cast<std::uint32_t>(argument);
    const char* message = error.message.c_str();
    static_cast<void>(run_zend([number, message] { zend_argument_value_error(number, "%s", message); }));
  }
  return false;
}

}  // namespace presence::php
