#include "php/presence_class.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "php/convert.h"
#include "php/globals.h"
#include "php/guard.h"
#include "php/presence_answers.h"
#include "php/presence_options.h"
#include "php/presence_status.h"
#include "php/thread_runtime.h"

using presence::Error;
using presence::ErrorCode;
using presence::PresenceOptions;
using presence::PresenceService;
using presence::PresenceTracker;
using presence::Result;
using presence::Status;
using presence::UnixTime;
using presence::php::bytes;
using presence::php::guarded;
using presence::php::raise_core_warning;
using presence::php::read_options;
using presence::php::run_zend;
using presence::php::set_answers;
using presence::php::set_presence_status;
using presence::php::throw_argument_error;
using presence::php::VisitorId;
using presence::php::VisitorIds;

namespace {

/// The C++ behind an object.
struct Handle {
  std::string store;  ///< DSN.
  PresenceOptions options;
  std::optional<PresenceTracker> tracker;
  std::uint32_t generation = 0;  ///< Of the service when the tracker was opened.
};

/// What stands behind an object. Zend allocates it and knows the last member only; the others are made and ended by
/// create_object() and free_object().
struct PresenceObject {
  Handle* handle;  ///< Null until constructed.
  zend_object std;
};

zend_object_handlers handlers;

PresenceObject* from(zend_object* object) {
  return reinterpret_cast<PresenceObject*>(reinterpret_cast<char*>(object) - offsetof(PresenceObject, std));
}

zend_object* create_object(zend_class_entry* type) {
  auto* object = static_cast<PresenceObject*>(zend_object_alloc(sizeof(PresenceObject), type));
  object->handle = nullptr;
  zend_object_std_init(&object->std, type);
  object_properties_init(&object->std, type);
#if PHP_VERSION_ID < 80300
  object->std.handlers = &handlers;
#endif
  return &object->std;
}

void free_object(zend_object* object) {
  delete from(object)->handle;
  zend_object_std_dtor(object);
}

PresenceService& presences() { return presence::php::thread_runtime().presences; }

/// Opens the tracker, if it is not open, or belongs to the process that this one was forked from or to memory that is
/// not in use any more.
Status open_tracker(Handle& handle) {
  PresenceService& service = presences();
  if (handle.tracker && handle.generation == service.generation()) [[likely]] {
    return {};
  }
  handle.tracker.reset();
  Result<PresenceTracker> opened = service.open(handle.store, handle.options);
  if (!opened) {
    return std::move(opened).error();
  }
  handle.tracker.emplace(std::move(*opened));
  handle.generation = service.generation();
  return {};
}

/// Throws what a method returned: wrong input as ValueError that names the argument.
Status raise(Status status, int argument) {
  if (!status && status.error().code == ErrorCode::invalid_argument) {
    static_cast<void>(throw_argument_error(argument, status.error()));
    return {};
  }
  return status;
}

/// Runs one method: with its tracker, and with whatever flies or fails turned into a PHP exception. `argument`: the
/// number of the one that an invalid_argument is about. Only from a frame without C++ objects that have destructors.
template <class Body>
void with_tracker(zval* self, int argument, Body&& body) {
  Handle* handle = from(Z_OBJ_P(self))->handle;
  if (handle == nullptr) {
    zend_throw_error(nullptr, "The Presence object has not been constructed");
    return;
  }
  guarded([&]() -> Status {
    if (Status opened = open_tracker(*handle); !opened) {
      return opened;
    }
    return raise(body(*handle->tracker), argument);
  });
  raise_core_warning();
}

/// The same for a method whose second argument is a number of minutes.
template <class Body>
void with_minutes(zval* self, std::optional<std::int64_t> minutes, Body&& body) {
  with_tracker(self, 1, [&](PresenceTracker& tracker) -> Status {
    if (Status checked = tracker.check_minutes(minutes); !checked) [[unlikely]] {
      return raise(std::move(checked), 2);
    }
    return body(tracker);
  });
}

std::optional<std::int64_t> minutes_asked(zend_long minutes, bool as_configured) {
  return as_configured ? std::nullopt : std::optional<std::int64_t>(minutes);
}

UnixTime now() { return presence::clock::now(); }

}  // namespace

namespace presence::php {

void init_presence_objects() {
  handlers = *zend_get_std_object_handlers();
  handlers.offset = offsetof(PresenceObject, std);
  handlers.free_obj = free_object;
  handlers.clone_obj = nullptr;
  handlers.compare = zend_objects_not_comparable;
  presence_ce_presence->create_object = create_object;
#if PHP_VERSION_ID >= 80300
  presence_ce_presence->default_object_handlers = &handlers;
#endif
}

}  // namespace presence::php

extern "C" {

PHP_METHOD(Presence, __construct) {
  zend_string* store = nullptr;
  HashTable* options = nullptr;
  ZEND_PARSE_PARAMETERS_START(0, 2)
    Z_PARAM_OPTIONAL
    Z_PARAM_STR_OR_NULL(store)
    Z_PARAM_ARRAY_HT(options)
  ZEND_PARSE_PARAMETERS_END();
  PresenceObject* object = from(Z_OBJ_P(ZEND_THIS));
  if (object->handle != nullptr) {
    zend_throw_error(nullptr, "The Presence object is constructed already");
    return;
  }
  guarded([&]() -> Status {
    auto handle = std::make_unique<Handle>();
    handle->store = store == nullptr ? PRESENCE_G(settings)->store : std::string(bytes(store));
    handle->options = presences().default_options();
    if (Status read = options == nullptr ? Status() : read_options(options, handle->options); !read) {
      return raise(std::move(read), 2);
    }
    if (Status valid = handle->options.validate(); !valid) {
      return raise(std::move(valid), 2);
    }
    if (PRESENCE_G(enabled)) {
      if (Status opened = open_tracker(*handle); !opened) {
        return raise(std::move(opened), 1);
      }
    }
    object->handle = handle.release();
    return {};
  });
  raise_core_warning();
}

PHP_METHOD(Presence, persist) {
  zend_string* id = nullptr;
  zend_long number = 0;
  ZEND_PARSE_PARAMETERS_START(1, 1)
    PRESENCE_PARAM_ID(id, number)
  ZEND_PARSE_PARAMETERS_END();
  if (!PRESENCE_G(enabled)) {
    return;
  }
  const VisitorId visitor(id, number);
  with_tracker(ZEND_THIS, 1, [&](PresenceTracker& tracker) {
    const UnixTime time = now();
    Status persisted = tracker.persist(visitor.bytes(), time);
    presences().look_after(time);
    return persisted;
  });
}

PHP_METHOD(Presence, purge) {
  ZEND_PARSE_PARAMETERS_NONE();
  if (!PRESENCE_G(enabled)) {
    return;
  }
  with_tracker(ZEND_THIS, 0, [&](PresenceTracker& tracker) { return tracker.purge(now()); });
}

PHP_METHOD(Presence, count) {
  zend_long minutes = 0;
  bool as_configured = true;
  ZEND_PARSE_PARAMETERS_START(0, 1)
    Z_PARAM_OPTIONAL
    Z_PARAM_LONG_OR_NULL(minutes, as_configured)
  ZEND_PARSE_PARAMETERS_END();
  if (!PRESENCE_G(enabled)) {
    RETURN_LONG(0);
  }
  with_tracker(ZEND_THIS, 1, [&](PresenceTracker& tracker) -> Status {
    const Result<std::int64_t> count = tracker.count(minutes_asked(minutes, as_configured), now());
    if (!count) {
      return count.error();
    }
    ZVAL_LONG(return_value, *count);
    return {};
  });
}

PHP_METHOD(Presence, ids) {
  zend_long minutes = 0;
  bool as_configured = true;
  ZEND_PARSE_PARAMETERS_START(0, 1)
    Z_PARAM_OPTIONAL
    Z_PARAM_LONG_OR_NULL(minutes, as_configured)
  ZEND_PARSE_PARAMETERS_END();
  if (!PRESENCE_G(enabled)) {
    RETURN_EMPTY_ARRAY();
  }
  with_tracker(ZEND_THIS, 1, [&](PresenceTracker& tracker) -> Status {
    const Result<std::vector<std::string>> ids = tracker.ids(minutes_asked(minutes, as_configured), now());
    if (!ids) {
      return ids.error();
    }
    static_cast<void>(run_zend([&] {
      array_init_size(return_value, static_cast<std::uint32_t>(ids->size()));
      for (const std::string& id : *ids) {
        add_next_index_stringl(return_value, id.data(), id.size());
      }
    }));
    return {};
  });
}

PHP_METHOD(Presence, isOnline) {
  zend_string* id = nullptr;
  zend_long number = 0;
  zend_long minutes = 0;
  bool as_configured = true;
  ZEND_PARSE_PARAMETERS_START(1, 2)
    PRESENCE_PARAM_ID(id, number)
    Z_PARAM_OPTIONAL
    Z_PARAM_LONG_OR_NULL(minutes, as_configured)
  ZEND_PARSE_PARAMETERS_END();
  if (!PRESENCE_G(enabled)) {
    RETURN_FALSE;
  }
  const VisitorId visitor(id, number);
  const std::optional<std::int64_t> asked = minutes_asked(minutes, as_configured);
  with_minutes(ZEND_THIS, asked, [&](PresenceTracker& tracker) -> Status {
    const Result<bool> online = tracker.is_online(visitor.bytes(), asked, now());
    if (!online) {
      return online.error();
    }
    ZVAL_BOOL(return_value, *online);
    return {};
  });
}

PHP_METHOD(Presence, areOnline) {
  HashTable* ids;
  zend_long minutes = 0;
  bool as_configured = true;
  ZEND_PARSE_PARAMETERS_START(1, 2)
    Z_PARAM_ARRAY_HT(ids)
    Z_PARAM_OPTIONAL
    Z_PARAM_LONG_OR_NULL(minutes, as_configured)
  ZEND_PARSE_PARAMETERS_END();
  zval* id;
  ZEND_HASH_FOREACH_VAL(ids, id) {
    ZVAL_DEREF(id);
    if (Z_TYPE_P(id) != IS_STRING && Z_TYPE_P(id) != IS_LONG) {
      zend_argument_type_error(1, "must hold strings and integers only, %s found", zend_zval_type_name(id));
      return;
    }
  }
  ZEND_HASH_FOREACH_END();
  if (!PRESENCE_G(enabled)) {
    set_answers(return_value, ids, nullptr);
    return;
  }
  const std::optional<std::int64_t> asked = minutes_asked(minutes, as_configured);
  with_minutes(ZEND_THIS, asked, [&](PresenceTracker& tracker) -> Status {
    const VisitorIds visitors(ids);
    const auto answers = std::make_unique<bool[]>(visitors.texts().size() + 1);
    const std::span<bool> filled(answers.get(), visitors.texts().size());
    if (Status filled_in = tracker.are_online(visitors.texts(), filled, asked, now()); !filled_in) {
      return filled_in;
    }
    static_cast<void>(run_zend([&] { set_answers(return_value, ids, answers.get()); }));
    return {};
  });
}

PHP_METHOD(Presence, lastSeen) {
  zend_string* id = nullptr;
  zend_long number = 0;
  ZEND_PARSE_PARAMETERS_START(1, 1)
    PRESENCE_PARAM_ID(id, number)
  ZEND_PARSE_PARAMETERS_END();
  if (!PRESENCE_G(enabled)) {
    RETURN_NULL();
  }
  const VisitorId visitor(id, number);
  with_tracker(ZEND_THIS, 1, [&](PresenceTracker& tracker) -> Status {
    const Result<std::optional<UnixTime>> seen = tracker.last_seen(visitor.bytes(), now());
    if (!seen) {
      return seen.error();
    }
    if (*seen) {
      ZVAL_LONG(return_value, **seen);
    } else {
      ZVAL_NULL(return_value);
    }
    return {};
  });
}

PHP_METHOD(Presence, forget) {
  zend_string* id = nullptr;
  zend_long number = 0;
  ZEND_PARSE_PARAMETERS_START(1, 1)
    PRESENCE_PARAM_ID(id, number)
  ZEND_PARSE_PARAMETERS_END();
  if (!PRESENCE_G(enabled)) {
    return;
  }
  const VisitorId visitor(id, number);
  with_tracker(ZEND_THIS, 1, [&](PresenceTracker& tracker) { return tracker.forget(visitor.bytes(), now()); });
}

PHP_METHOD(Presence, replace) {
  zend_string* from_id = nullptr;
  zend_long from_number = 0;
  zend_string* to_id = nullptr;
  zend_long to_number = 0;
  ZEND_PARSE_PARAMETERS_START(2, 2)
    PRESENCE_PARAM_ID(from_id, from_number)
    PRESENCE_PARAM_ID(to_id, to_number)
  ZEND_PARSE_PARAMETERS_END();
  if (!PRESENCE_G(enabled)) {
    return;
  }
  const VisitorId before(from_id, from_number);
  const VisitorId after(to_id, to_number);
  with_tracker(ZEND_THIS, 1, [&](PresenceTracker& tracker) -> Status {
    if (Status checked = tracker.check_visitor(before.bytes()); !checked) {
      return checked;
    }
    if (Status checked = tracker.check_visitor(after.bytes()); !checked) {
      return raise(std::move(checked), 2);
    }
    return tracker.replace(before.bytes(), after.bytes(), now());
  });
}

PHP_METHOD(Presence, room) {
  zend_string* name;
  ZEND_PARSE_PARAMETERS_START(1, 1)
    Z_PARAM_STR(name)
  ZEND_PARSE_PARAMETERS_END();
  if (!PRESENCE_G(enabled)) {
    object_init_ex(return_value, presence_ce_presence);
    return;
  }
  const Handle* own = from(Z_OBJ_P(ZEND_THIS))->handle;
  with_tracker(ZEND_THIS, 1, [&](PresenceTracker& tracker) -> Status {
    Result<PresenceTracker> room = tracker.room(bytes(name));
    if (!room) {
      return std::move(room).error();
    }
    auto handle = std::make_unique<Handle>();
    handle->store = own->store;
    handle->options = room->options();
    handle->tracker.emplace(std::move(*room));
    handle->generation = own->generation;
    if (run_zend([&] { object_init_ex(return_value, presence_ce_presence); })) {
      from(Z_OBJ_P(return_value))->handle = handle.release();
    }
    return {};
  });
}

PHP_METHOD(Presence, flush) {
  ZEND_PARSE_PARAMETERS_NONE();
  if (!PRESENCE_G(enabled)) {
    return;
  }
  with_tracker(ZEND_THIS, 0, [](PresenceTracker& tracker) -> Status {
    Status flushed = presences().flush();
    return tracker.options().on_error == presence::OnError::raise ? std::move(flushed) : Status();
  });
}

PHP_METHOD(Presence, status) {
  ZEND_PARSE_PARAMETERS_NONE();
  if (!PRESENCE_G(enabled)) {
    array_init(return_value);
    add_assoc_bool(return_value, "enabled", false);
    return;
  }
  with_tracker(ZEND_THIS, 0, [&](PresenceTracker& tracker) -> Status {
    std::optional<presence::VisitorTableUsage> usage;
    if (tracker.place() == "shm:") {
      const Result<const presence::VisitorTable*> table = presences().table();
      if (!table) {
        return table.error();
      }
      usage = (*table)->usage();
    }
    static_cast<void>(run_zend([&] { set_presence_status(return_value, tracker, usage); }));
    return {};
  });
}

}  // extern "C"
