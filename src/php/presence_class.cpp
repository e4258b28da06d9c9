#include "php/presence_class.h"

#include <cstddef>
#include <new>
#include <string>

#include "base/version.h"
#include "php/convert.h"
#include "php/globals.h"
#include "php/guard.h"

using presence::Error;
using presence::ErrorCode;
using presence::Status;
using presence::php::guarded;
using presence::php::VisitorId;

namespace {

/// What stands behind an object. Zend allocates it and knows the last member only; the others are made and ended by
/// create_object() and free_object().
struct PresenceObject {
  bool constructed;
  zend_object std;
};

zend_object_handlers handlers;

PresenceObject* from(zend_object* object) {
  return reinterpret_cast<PresenceObject*>(reinterpret_cast<char*>(object) - offsetof(PresenceObject, std));
}

zend_object* create_object(zend_class_entry* type) {
  auto* object = static_cast<PresenceObject*>(zend_object_alloc(sizeof(PresenceObject), type));
  object->constructed = false;
  zend_object_std_init(&object->std, type);
  object_properties_init(&object->std, type);
#if PHP_VERSION_ID < 80300
  object->std.handlers = &handlers;
#endif
  return &object->std;
}

void free_object(zend_object* object) {
  zend_object_std_dtor(object);
}

Status not_there_yet(const char* method) {
  return Error{ErrorCode::internal, std::string(method) + " is not there yet in version " PRESENCE_VERSION};
}

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
  from(Z_OBJ_P(ZEND_THIS))->constructed = true;
}

PHP_METHOD(Presence, persist) {
  zend_string* id = nullptr;
  zend_long number = 0;
  ZEND_PARSE_PARAMETERS_START(1, 1)
    Z_PARAM_STR_OR_LONG(id, number)
  ZEND_PARSE_PARAMETERS_END();
  if (!PRESENCE_G(enabled)) {
    return;
  }
  guarded([&] { return not_there_yet("Presence::persist()"); });
}

PHP_METHOD(Presence, purge) {
  ZEND_PARSE_PARAMETERS_NONE();
  if (!PRESENCE_G(enabled)) {
    return;
  }
  guarded([&] { return not_there_yet("Presence::purge()"); });
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
  guarded([&] { return not_there_yet("Presence::count()"); });
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
  guarded([&] { return not_there_yet("Presence::ids()"); });
}

PHP_METHOD(Presence, isOnline) {
  zend_string* id = nullptr;
  zend_long number = 0;
  zend_long minutes = 0;
  bool as_configured = true;
  ZEND_PARSE_PARAMETERS_START(1, 2)
    Z_PARAM_STR_OR_LONG(id, number)
    Z_PARAM_OPTIONAL
    Z_PARAM_LONG_OR_NULL(minutes, as_configured)
  ZEND_PARSE_PARAMETERS_END();
  if (!PRESENCE_G(enabled)) {
    RETURN_FALSE;
  }
  guarded([&] { return not_there_yet("Presence::isOnline()"); });
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
    array_init_size(return_value, zend_hash_num_elements(ids));
    zval offline;
    ZVAL_FALSE(&offline);
    ZEND_HASH_FOREACH_VAL(ids, id) {
      ZVAL_DEREF(id);
      // As PHP's own arrays: the key "42" is the integer 42.
      if (Z_TYPE_P(id) == IS_LONG) {
        zend_hash_index_update(Z_ARRVAL_P(return_value), static_cast<zend_ulong>(Z_LVAL_P(id)), &offline);
      } else {
        zend_symtable_update(Z_ARRVAL_P(return_value), Z_STR_P(id), &offline);
      }
    }
    ZEND_HASH_FOREACH_END();
    return;
  }
  guarded([&] { return not_there_yet("Presence::areOnline()"); });
}

PHP_METHOD(Presence, lastSeen) {
  zend_string* id = nullptr;
  zend_long number = 0;
  ZEND_PARSE_PARAMETERS_START(1, 1)
    Z_PARAM_STR_OR_LONG(id, number)
  ZEND_PARSE_PARAMETERS_END();
  if (!PRESENCE_G(enabled)) {
    RETURN_NULL();
  }
  guarded([&] { return not_there_yet("Presence::lastSeen()"); });
}

PHP_METHOD(Presence, forget) {
  zend_string* id = nullptr;
  zend_long number = 0;
  ZEND_PARSE_PARAMETERS_START(1, 1)
    Z_PARAM_STR_OR_LONG(id, number)
  ZEND_PARSE_PARAMETERS_END();
  if (!PRESENCE_G(enabled)) {
    return;
  }
  guarded([&] { return not_there_yet("Presence::forget()"); });
}

PHP_METHOD(Presence, replace) {
  zend_string* from_id = nullptr;
  zend_long from_number = 0;
  zend_string* to_id = nullptr;
  zend_long to_number = 0;
  ZEND_PARSE_PARAMETERS_START(2, 2)
    Z_PARAM_STR_OR_LONG(from_id, from_number)
    Z_PARAM_STR_OR_LONG(to_id, to_number)
  ZEND_PARSE_PARAMETERS_END();
  if (!PRESENCE_G(enabled)) {
    return;
  }
  guarded([&] { return not_there_yet("Presence::replace()"); });
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
  guarded([&] { return not_there_yet("Presence::room()"); });
}

PHP_METHOD(Presence, flush) {
  ZEND_PARSE_PARAMETERS_NONE();
  if (!PRESENCE_G(enabled)) {
    return;
  }
  guarded([&] { return not_there_yet("Presence::flush()"); });
}

PHP_METHOD(Presence, status) {
  ZEND_PARSE_PARAMETERS_NONE();
  if (!PRESENCE_G(enabled)) {
    array_init(return_value);
    add_assoc_bool(return_value, "enabled", false);
    return;
  }
  guarded([&] { return not_there_yet("Presence::status()"); });
}

}  // extern "C"
