#include "php/counters_class.h"

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/version.h"
#include "counters/row_hash.h"
#include "counters/series_input.h"
#include "php/convert.h"
#include "php/globals.h"
#include "php/guard.h"

using presence::Error;
using presence::ErrorCode;
using presence::RowHash;
using presence::Status;
using presence::UnixTime;
using presence::php::bytes;
using presence::php::guarded;
using presence::php::optional_bytes;
using presence::php::throw_argument_error;

namespace {

/// Whether a name can be a counter's; throws if not.
bool valid_name(const zend_string* name) {
  const Status named = presence::check_series_name(bytes(name));
  return named.ok() || throw_argument_error(1, named.error());
}

Status not_there_yet(const char* method) {
  return Error{ErrorCode::internal, std::string(method) + " is not there yet in version " PRESENCE_VERSION};
}

}  // namespace

extern "C" {

PHP_METHOD(Counters, connect) {
  zend_string* dsn;
  ZEND_PARSE_PARAMETERS_START(1, 1)
    Z_PARAM_STR(dsn)
  ZEND_PARSE_PARAMETERS_END();
  if (!PRESENCE_G(enabled)) {
    return;
  }
  guarded([&] { return not_there_yet("Counters::connect()"); });
}

PHP_METHOD(Counters, available) {
  ZEND_PARSE_PARAMETERS_NONE();
  RETURN_FALSE;
}

PHP_METHOD(Counters, add) {
  zend_string* name;
  zend_string* argument = nullptr;
  double value = 1.0;
  ZEND_PARSE_PARAMETERS_START(1, 3)
    Z_PARAM_STR(name)
    Z_PARAM_OPTIONAL
    Z_PARAM_STR_OR_NULL(argument)
    Z_PARAM_DOUBLE(value)
  ZEND_PARSE_PARAMETERS_END();
  if (!PRESENCE_G(enabled)) {
    return;
  }
  guarded([&] { return not_there_yet("Counters::add()"); });
}

PHP_METHOD(Counters, time) {
  zend_string* name;
  zend_string* argument = nullptr;
  zend_fcall_info call;
  zend_fcall_info_cache callee;
  ZEND_PARSE_PARAMETERS_START(3, 3)
    Z_PARAM_STR(name)
    Z_PARAM_STR_OR_NULL(argument)
    Z_PARAM_FUNC(call, callee)
  ZEND_PARSE_PARAMETERS_END();
  if (PRESENCE_G(enabled)) {
    guarded([&] { valid_name(name); });
    if (EG(exception) != nullptr) {
      return;
    }
  }
  // No C++ object is alive here: the callable may bail out, or never come back from a suspended fiber.
  call.retval = return_value;
  const double start = presence::clock::monotonic();
  zend_call_function(&call, &callee);
  const double seconds = presence::clock::monotonic() - start;
  if (Z_ISREF_P(return_value)) {
    zend_unwrap_reference(return_value);
  }
  if (!PRESENCE_G(enabled)) {
    return;
  }
  (void)seconds;
  guarded([&] { return not_there_yet("Counters::time()"); });
}

PHP_METHOD(Counters, flush) {
  ZEND_PARSE_PARAMETERS_NONE();
  if (!PRESENCE_G(enabled)) {
    RETURN_LONG(0);
  }
  guarded([&] { return not_there_yet("Counters::flush()"); });
}

PHP_METHOD(Counters, slot) {
  zend_long time = 0;
  bool now = true;
  ZEND_PARSE_PARAMETERS_START(0, 1)
    Z_PARAM_OPTIONAL
    Z_PARAM_LONG_OR_NULL(time, now)
  ZEND_PARSE_PARAMETERS_END();
  if (ZEND_NUM_ARGS() == 0 || now) {
    time = presence::clock::now();
  }
  // Rounded down also before 1970. The lowest integers have no minute that starts at or before them.
  const zend_long into_minute = ((time % 60) + 60) % 60;
  if (time < ZEND_LONG_MIN + into_minute) {
    zend_argument_value_error(1, "must be a Unix time");
    return;
  }
  RETURN_LONG(time - into_minute);
}

PHP_METHOD(Counters, hash) {
  zend_string* name;
  zend_string* argument = nullptr;
  zend_long slot;
  ZEND_PARSE_PARAMETERS_START(3, 3)
    Z_PARAM_STR(name)
    Z_PARAM_STR_OR_NULL(argument)
    Z_PARAM_LONG(slot)
  ZEND_PARSE_PARAMETERS_END();
  if (slot % 60 != 0) {
    zend_argument_value_error(3, "must be the start of a minute, a multiple of 60");
    return;
  }
  RowHash hash{};
  guarded([&] {
    if (!valid_name(name)) {
      return;
    }
    std::string fixed;
    std::optional<std::string_view> stored = optional_bytes(argument);
    if (stored && presence::fix_argument(*stored, fixed) != presence::ArgumentFix::none) {
      stored = fixed;
    }
    hash = presence::row_hash(bytes(name), stored, UnixTime{slot});
  });
  if (EG(exception) != nullptr) {
    return;
  }
  RETURN_STRINGL(hash.data(), hash.size());
}

PHP_METHOD(Counters, read) {
  zend_string* name;
  zend_long since;
  zend_long until = 0;
  bool until_now = true;
  zend_long step = 60;
  zend_string* argument = nullptr;
  ZEND_PARSE_PARAMETERS_START(2, 5)
    Z_PARAM_STR(name)
    Z_PARAM_LONG(since)
    Z_PARAM_OPTIONAL
    Z_PARAM_LONG_OR_NULL(until, until_now)
    Z_PARAM_LONG(step)
    Z_PARAM_STR_OR_NULL(argument)
  ZEND_PARSE_PARAMETERS_END();
  if (!PRESENCE_G(enabled)) {
    RETURN_EMPTY_ARRAY();
  }
  guarded([&] { return not_there_yet("Counters::read()"); });
}

PHP_METHOD(Counters, pending) {
  ZEND_PARSE_PARAMETERS_NONE();
  if (!PRESENCE_G(enabled)) {
    RETURN_EMPTY_ARRAY();
  }
  guarded([&] { return not_there_yet("Counters::pending()"); });
}

PHP_METHOD(Counters, install) {
  ZEND_PARSE_PARAMETERS_NONE();
  if (!PRESENCE_G(enabled)) {
    return;
  }
  guarded([&] { return not_there_yet("Counters::install()"); });
}

PHP_METHOD(Counters, status) {
  ZEND_PARSE_PARAMETERS_NONE();
  if (!PRESENCE_G(enabled)) {
    array_init(return_value);
    add_assoc_bool(return_value, "enabled", false);
    return;
  }
  guarded([&] { return not_there_yet("Counters::status()"); });
}

}  // extern "C"
