// The border between PHP and C++. Two things must never cross it:
//
// - A C++ exception must not reach Zend, which is C and would not be unwound. Every entry point (method, handler, hook)
//   runs its C++ inside guarded(), which turns what flies into a PHP exception.
// - A bailout, PHP's longjmp on a fatal error (memory_limit, exit in old code paths, a timeout), must not skip the
//   destructor of a C++ object. Almost every call into Zend may bail out: what allocates, throws or calls user code.
//
// The rule that follows: a call into Zend is made either from a frame chain that holds no object with a destructor (the
// method itself, before and after guarded()), or inside run_zend(). run_zend() catches the bailout, returns false, and
// the C++ frames above return as from any other failure; guarded() lets it go on once they are gone. A body given to
// run_zend() holds no objects with destructors itself; what it needs of them it takes by reference from outside.
#pragma once

#include <type_traits>
#include <utility>

#include "base/result.h"
#include "php/globals.h"

namespace presence::php {

namespace detail {

bool run_zend(void (*body)(void*), void* context);

/// Makes a PHP exception of the C++ exception being handled. Only called inside a catch block.
void throw_current_exception() noexcept;

}  // namespace detail

/// Throws the PHP exception for an error. Uses run_zend(), so it may be called with C++ objects around.
void throw_error(const Error& error) noexcept;

/// Throws a ValueError about an argument of the running method, as PHP words it: "Counters::add(): Argument #1 ($name)
/// must …". The error's message is what comes after the name. False, so that a check can return it.
bool throw_argument_error(int argument, const Error& error) noexcept;

/// Runs a piece of Zend code that may bail out. False: it did, and the caller returns to guarded() without calling Zend
/// again. Costs a setjmp (some 10 ns).
template <class Body>
[[nodiscard]] bool run_zend(Body&& body) {
  using Plain = std::remove_reference_t<Body>;
  return detail::run_zend([](void* context) { (*static_cast<Plain*>(context))(); },
                          const_cast<void*>(static_cast<const void*>(&body)));
}

/// Lets a bailout that run_zend() caught go on. No C++ object with a destructor may be alive in the frames above.
inline void resume_bailout() {
  if (PRESENCE_G(bailout_pending)) [[unlikely]] {
    PRESENCE_G(bailout_pending) = false;
    zend_bailout();
  }
}

/// Runs the C++ of an entry point. The body returns nothing or a Status; a failure becomes a PHP exception. The caller
/// must not hold C++ objects with destructors, and looks at EG(exception) if it has more to do.
template <class Body>
void guarded(Body&& body) {
  try {
    if constexpr (std::is_void_v<std::invoke_result_t<Body>>) {
      body();
    } else if (const Status status = body(); !status.ok()) [[unlikely]] {
      throw_error(status.error());
    }
  } catch (...) {
    detail::throw_current_exception();
  }
  resume_bailout();
}

}  // namespace presence::php
