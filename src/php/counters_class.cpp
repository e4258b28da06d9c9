#include "php/counters_class.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/hash.h"
#include "counters/row_hash.h"
#include "counters/series_input.h"
#include "php/convert.h"
#include "php/counters_status.h"
#include "php/globals.h"
#include "php/guard.h"
#include "php/thread_runtime.h"
#include "runtime/counter_status.h"

using presence::CounterBucket;
using presence::CounterQuery;
using presence::CounterRow;
using presence::CounterService;
using presence::CounterStatus;
using presence::ErrorCode;
using presence::Result;
using presence::RowHash;
using presence::Status;
using presence::Sums;
using presence::UnixTime;
using presence::php::bytes;
using presence::php::guarded;
using presence::php::optional_bytes;
using presence::php::raise_core_warning;
using presence::php::run_zend;
using presence::php::throw_argument_error;

namespace {

/// Whether a name can be a counter's; throws if not.
bool valid_name(const zend_string* name) {
  const Status named = presence::check_series_name(bytes(name));
  return named.ok() || throw_argument_error(1, named.error());
}

/// Longer steps are cut down to this one, which covers all time there is as well: a database can add two of them.
constexpr zend_long kLongestStep = (zend_long{1} << 61) / 60 * 60;

CounterQuery query_of(const zend_string* name, const zend_string* argument, zend_long since, zend_long until,
                      zend_long step) {
  CounterQuery query;
  query.name = bytes(name);
  if (argument != nullptr) {
    std::string fixed;
    const bool fits = presence::fix_argument(bytes(argument), fixed) == presence::ArgumentFix::none;
    query.argument = fits ? std::string(bytes(argument)) : fixed;
  }
  step = std::min(step, kLongestStep);
  const zend_long into_step = ((since % step) + step) % step;
  query.since = since < ZEND_LONG_MIN + into_step ? since : since - into_step;
  query.until = until;
  query.step = step;
  return query;
}

/// Runs `work(service)`, with the service writing over Counters::$db if that is set; its failure becomes an exception.
/// Only from a frame without C++ objects that have destructors.
template <class Work>
void with_counters(Work&& work) {
  guarded([&]() -> Status {
    presence::php::ThreadRuntime& runtime = presence::php::thread_runtime();
    if (Status followed = runtime.pdo.follow(runtime.counters, runtime.attachment.epoch()); !followed) [[unlikely]] {
      return followed;
    }
    return work(runtime.counters);
  });
}

/// Adds where the fast path did not. Only from a frame without C++ objects that have destructors.
[[gnu::noinline]] void add_slowly(zend_string* name, zend_string* argument, std::uint64_t quick_hash, double value) {
  with_counters([&](CounterService& service) -> Status {
    Status added = service.add(bytes(name), optional_bytes(argument), quick_hash, value);
    if (!added && added.error().code == ErrorCode::invalid_argument) {
      static_cast<void>(throw_argument_error(static_cast<int>(service.bad_argument()), added.error()));
      return {};
    }
    return added;
  });
  raise_core_warning();
}

/// Adds, and throws what it throws. Only from a frame without C++ objects that have destructors.
[[gnu::always_inline]] inline void add(zend_string* name, zend_string* argument, double value) {
  // PHP keeps the hash of a string once it was asked for, and has that of literals from the start.
  const std::uint64_t quick_hash =
      presence::fold_multiply(zend_string_hash_val(name), argument != nullptr ? zend_string_hash_val(argument) : 1);
  presence::php::ThreadRuntime* runtime = PRESENCE_G(runtime);
  if (runtime == nullptr || !runtime->pdo.unchanged(presence::Attachment::epoch()) ||
      !runtime->counters.add_known(bytes(name), optional_bytes(argument), quick_hash, value)) [[unlikely]] {
    add_slowly(name, argument, quick_hash, value);
  }
}

/// Makes a warning of a PresenceException that is on its way: what the caller waits for is worth more than the failure.
/// Only from a frame without C++ objects that have destructors.
void warn_instead_of_throwing() {
  zend_object* thrown = EG(exception);
  if (thrown == nullptr || !instanceof_function(thrown->ce, presence_ce_presence_exception)) {
    return;
  }
  zval ignored;
  zend_string* message =
      zval_get_string(zend_read_property_ex(thrown->ce, thrown, ZSTR_KNOWN(ZEND_STR_MESSAGE), true, &ignored));
  zend_clear_exception();
  php_error_docref(nullptr, E_WARNING, "%s", ZSTR_VAL(message));
  zend_string_release(message);
}

/// The columns that every row of sums has. Only inside run_zend().
void add_sums(zval* row, const Sums& sums) {
  add_assoc_double(row, "total", sums.total);
  add_assoc_long(row, "count", sums.count);
  add_assoc_double(row, "minimum", sums.minimum);
  add_assoc_double(row, "maximum", sums.maximum);
}

}  // namespace

extern "C" {

PHP_METHOD(Counters, __construct) { ZEND_PARSE_PARAMETERS_NONE(); }

PHP_METHOD(Counters, connect) {
  zend_string* dsn;
  ZEND_PARSE_PARAMETERS_START(1, 1)
    Z_PARAM_STR(dsn)
  ZEND_PARSE_PARAMETERS_END();
  if (!PRESENCE_G(enabled)) {
    return;
  }
  with_counters([&](CounterService& service) -> Status {
    Status connected = service.connect(bytes(dsn));
    if (!connected && connected.error().code == ErrorCode::invalid_argument) {
      static_cast<void>(throw_argument_error(1, connected.error()));
      return {};
    }
    return connected;
  });
}

PHP_METHOD(Counters, available) {
  ZEND_PARSE_PARAMETERS_NONE();
  bool available = false;
  if (PRESENCE_G(enabled)) {
    guarded([&] { available = presence::php::thread_runtime().counters.available(); });
    raise_core_warning();
  }
  RETURN_BOOL(available);
}

PHP_METHOD(Counters, add) {
  zend_string* name;
  zend_string* argument = nullptr;
  double value = 1.0;
  ZEND_PARSE_PARAMETERS_START(1, 3)
    Z_PARAM_STR(name)
    Z_PARAM_OPTIONAL
    Z_PARAM_STR_OR_NULL(argument)
    PRESENCE_PARAM_NOT_NULL_DOUBLE(value)
  ZEND_PARSE_PARAMETERS_END();
  if (!PRESENCE_G(enabled)) {
    return;
  }
  add(name, argument, value);
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
  // The sum must be kept although $work threw, and what it threw must stay.
  zend_object* thrown = EG(exception);
  if (thrown == nullptr) {
    add(name, argument, seconds);
    warn_instead_of_throwing();
    return;
  }
  const zend_op* before = EG(opline_before_exception);
  GC_ADDREF(thrown);
  zend_clear_exception();
  add(name, argument, seconds);
  if (EG(exception) != nullptr) {
    zend_clear_exception();
  }
  zend_throw_exception_internal(thrown);
  EG(opline_before_exception) = before;
}

PHP_METHOD(Counters, flush) {
  ZEND_PARSE_PARAMETERS_NONE();
  if (!PRESENCE_G(enabled)) {
    RETURN_LONG(0);
  }
  zend_long rows = 0;
  with_counters([&](CounterService& service) -> Status {
    if (Status ready = presence::php::thread_runtime().pdo.ready_to_write(); !ready) {
      return ready;
    }
    const Result<std::int64_t> flushed = service.flush();
    rows = flushed ? *flushed : 0;
    return flushed ? Status() : Status(flushed.error());
  });
  raise_core_warning();
  RETURN_LONG(rows);
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
  if (step <= 0 || step % 60 != 0) {
    zend_argument_value_error(4, "must be a positive multiple of 60, in seconds");
    return;
  }
  if (until_now) {
    until = std::max<zend_long>(since, presence::clock::now()) + 60;
  } else if (until < since) {
    zend_argument_value_error(3, "must not be before argument #2 ($since)");
    return;
  }
  with_counters([&](CounterService& service) -> Status {
    if (const Status named = presence::check_series_name(bytes(name)); !named) {
      static_cast<void>(throw_argument_error(1, named.error()));
      return {};
    }
    const Result<std::vector<CounterBucket>> buckets = service.read(query_of(name, argument, since, until, step));
    if (!buckets) {
      return buckets.error();
    }
    static_cast<void>(run_zend([&] {
      array_init_size(return_value, static_cast<std::uint32_t>(buckets->size()));
      for (const CounterBucket& bucket : *buckets) {
        zval row;
        array_init(&row);
        add_assoc_long(&row, "slot", bucket.slot);
        add_sums(&row, bucket.sums);
        add_assoc_double(&row, "average", bucket.sums.total / static_cast<double>(bucket.sums.count));
        add_next_index_zval(return_value, &row);
      }
    }));
    return {};
  });
  raise_core_warning();
}

PHP_METHOD(Counters, pending) {
  ZEND_PARSE_PARAMETERS_NONE();
  if (!PRESENCE_G(enabled)) {
    RETURN_EMPTY_ARRAY();
  }
  with_counters([&](CounterService& service) -> Status {
    const Result<std::vector<CounterRow>> rows = service.pending();
    if (!rows) {
      return rows.error();
    }
    static_cast<void>(run_zend([&] {
      array_init_size(return_value, static_cast<std::uint32_t>(rows->size()));
      for (const CounterRow& pending : *rows) {
        zval row;
        array_init(&row);
        add_assoc_stringl(&row, "name", pending.name.data(), pending.name.size());
        if (pending.argument) {
          add_assoc_stringl(&row, "argument", pending.argument->data(), pending.argument->size());
        } else {
          add_assoc_null(&row, "argument");
        }
        add_assoc_long(&row, "slot", pending.slot);
        add_sums(&row, pending.sums);
        add_next_index_zval(return_value, &row);
      }
    }));
    return {};
  });
  raise_core_warning();
}

PHP_METHOD(Counters, install) {
  ZEND_PARSE_PARAMETERS_NONE();
  if (!PRESENCE_G(enabled)) {
    return;
  }
  with_counters([](CounterService& service) { return service.install(); });
}

PHP_METHOD(Counters, status) {
  ZEND_PARSE_PARAMETERS_NONE();
  if (!PRESENCE_G(enabled)) {
    array_init(return_value);
    add_assoc_bool(return_value, "enabled", false);
    return;
  }
  guarded([&] {
    presence::php::ThreadRuntime& runtime = presence::php::thread_runtime();
    CounterStatus status = presence::counter_status(runtime.attachment);
    status.refused_adds += runtime.counters.refused_adds();
    static_cast<void>(run_zend([&] { presence::php::set_counters_status(return_value, status); }));
  });
  raise_core_warning();
}

}  // extern "C"
