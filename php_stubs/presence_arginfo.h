/* This is a generated file, edit the .stub.php file instead.
 * Stub hash: 04ea3bb372562ad4d4d253fac6ec196b43216d77 */

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Presence_Repository_persist, 0, 1, IS_VOID, 0)
	ZEND_ARG_TYPE_MASK(0, visitorId, MAY_BE_STRING|MAY_BE_LONG, NULL)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Presence_Repository_purge, 0, 0, IS_VOID, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Presence_Repository_count, 0, 0, IS_LONG, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, minutes, IS_LONG, 1, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Presence_Repository_ids, 0, 0, IS_ARRAY, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, minutes, IS_LONG, 1, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_INFO_EX(arginfo_class_Counters___construct, 0, 0, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Counters_connect, 0, 1, IS_VOID, 0)
	ZEND_ARG_TYPE_INFO(0, dsn, IS_STRING, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Counters_available, 0, 0, _IS_BOOL, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Counters_add, 0, 1, IS_VOID, 0)
	ZEND_ARG_TYPE_INFO(0, name, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, argument, IS_STRING, 1, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, value, IS_DOUBLE, 0, "1.0")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Counters_time, 0, 3, IS_MIXED, 0)
	ZEND_ARG_TYPE_INFO(0, name, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO(0, argument, IS_STRING, 1)
	ZEND_ARG_TYPE_INFO(0, work, IS_CALLABLE, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Counters_flush, 0, 0, IS_LONG, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Counters_slot, 0, 0, IS_LONG, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, time, IS_LONG, 1, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Counters_hash, 0, 3, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO(0, name, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO(0, argument, IS_STRING, 1)
	ZEND_ARG_TYPE_INFO(0, slot, IS_LONG, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Counters_read, 0, 2, IS_ARRAY, 0)
	ZEND_ARG_TYPE_INFO(0, name, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO(0, since, IS_LONG, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, until, IS_LONG, 1, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, step, IS_LONG, 0, "60")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, argument, IS_STRING, 1, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Counters_pending, 0, 0, IS_ARRAY, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_Counters_install arginfo_class_Presence_Repository_purge

#define arginfo_class_Counters_status arginfo_class_Counters_pending

ZEND_BEGIN_ARG_INFO_EX(arginfo_class_Presence___construct, 0, 0, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, store, IS_STRING, 1, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, options, IS_ARRAY, 0, "[]")
ZEND_END_ARG_INFO()

#define arginfo_class_Presence_persist arginfo_class_Presence_Repository_persist

#define arginfo_class_Presence_purge arginfo_class_Presence_Repository_purge

#define arginfo_class_Presence_count arginfo_class_Presence_Repository_count

#define arginfo_class_Presence_ids arginfo_class_Presence_Repository_ids

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Presence_isOnline, 0, 1, _IS_BOOL, 0)
	ZEND_ARG_TYPE_MASK(0, visitorId, MAY_BE_STRING|MAY_BE_LONG, NULL)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, minutes, IS_LONG, 1, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Presence_areOnline, 0, 1, IS_ARRAY, 0)
	ZEND_ARG_TYPE_INFO(0, visitorIds, IS_ARRAY, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, minutes, IS_LONG, 1, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Presence_lastSeen, 0, 1, IS_LONG, 1)
	ZEND_ARG_TYPE_MASK(0, visitorId, MAY_BE_STRING|MAY_BE_LONG, NULL)
ZEND_END_ARG_INFO()

#define arginfo_class_Presence_forget arginfo_class_Presence_Repository_persist

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Presence_replace, 0, 2, IS_VOID, 0)
	ZEND_ARG_TYPE_MASK(0, from, MAY_BE_STRING|MAY_BE_LONG, NULL)
	ZEND_ARG_TYPE_MASK(0, to, MAY_BE_STRING|MAY_BE_LONG, NULL)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Presence_room, 0, 1, IS_STATIC, 0)
	ZEND_ARG_TYPE_INFO(0, name, IS_STRING, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_Presence_flush arginfo_class_Presence_Repository_purge

#define arginfo_class_Presence_status arginfo_class_Counters_pending


ZEND_METHOD(Counters, __construct);
ZEND_METHOD(Counters, connect);
ZEND_METHOD(Counters, available);
ZEND_METHOD(Counters, add);
ZEND_METHOD(Counters, time);
ZEND_METHOD(Counters, flush);
ZEND_METHOD(Counters, slot);
ZEND_METHOD(Counters, hash);
ZEND_METHOD(Counters, read);
ZEND_METHOD(Counters, pending);
ZEND_METHOD(Counters, install);
ZEND_METHOD(Counters, status);
ZEND_METHOD(Presence, __construct);
ZEND_METHOD(Presence, persist);
ZEND_METHOD(Presence, purge);
ZEND_METHOD(Presence, count);
ZEND_METHOD(Presence, ids);
ZEND_METHOD(Presence, isOnline);
ZEND_METHOD(Presence, areOnline);
ZEND_METHOD(Presence, lastSeen);
ZEND_METHOD(Presence, forget);
ZEND_METHOD(Presence, replace);
ZEND_METHOD(Presence, room);
ZEND_METHOD(Presence, flush);
ZEND_METHOD(Presence, status);


static const zend_function_entry class_Presence_Repository_methods[] = {
	ZEND_ABSTRACT_ME_WITH_FLAGS(Presence_Repository, persist, arginfo_class_Presence_Repository_persist, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(Presence_Repository, purge, arginfo_class_Presence_Repository_purge, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(Presence_Repository, count, arginfo_class_Presence_Repository_count, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(Presence_Repository, ids, arginfo_class_Presence_Repository_ids, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_FE_END
};


static const zend_function_entry class_Presence_PresenceException_methods[] = {
	ZEND_FE_END
};


static const zend_function_entry class_Presence_ConnectionException_methods[] = {
	ZEND_FE_END
};


static const zend_function_entry class_Presence_UnsupportedException_methods[] = {
	ZEND_FE_END
};


static const zend_function_entry class_Counters_methods[] = {
	ZEND_ME(Counters, __construct, arginfo_class_Counters___construct, ZEND_ACC_PRIVATE)
	ZEND_ME(Counters, connect, arginfo_class_Counters_connect, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(Counters, available, arginfo_class_Counters_available, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(Counters, add, arginfo_class_Counters_add, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(Counters, time, arginfo_class_Counters_time, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(Counters, flush, arginfo_class_Counters_flush, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(Counters, slot, arginfo_class_Counters_slot, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(Counters, hash, arginfo_class_Counters_hash, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(Counters, read, arginfo_class_Counters_read, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(Counters, pending, arginfo_class_Counters_pending, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(Counters, install, arginfo_class_Counters_install, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(Counters, status, arginfo_class_Counters_status, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_FE_END
};


static const zend_function_entry class_Presence_methods[] = {
	ZEND_ME(Presence, __construct, arginfo_class_Presence___construct, ZEND_ACC_PUBLIC)
	ZEND_ME(Presence, persist, arginfo_class_Presence_persist, ZEND_ACC_PUBLIC)
	ZEND_ME(Presence, purge, arginfo_class_Presence_purge, ZEND_ACC_PUBLIC)
	ZEND_ME(Presence, count, arginfo_class_Presence_count, ZEND_ACC_PUBLIC)
	ZEND_ME(Presence, ids, arginfo_class_Presence_ids, ZEND_ACC_PUBLIC)
	ZEND_ME(Presence, isOnline, arginfo_class_Presence_isOnline, ZEND_ACC_PUBLIC)
	ZEND_ME(Presence, areOnline, arginfo_class_Presence_areOnline, ZEND_ACC_PUBLIC)
	ZEND_ME(Presence, lastSeen, arginfo_class_Presence_lastSeen, ZEND_ACC_PUBLIC)
	ZEND_ME(Presence, forget, arginfo_class_Presence_forget, ZEND_ACC_PUBLIC)
	ZEND_ME(Presence, replace, arginfo_class_Presence_replace, ZEND_ACC_PUBLIC)
	ZEND_ME(Presence, room, arginfo_class_Presence_room, ZEND_ACC_PUBLIC)
	ZEND_ME(Presence, flush, arginfo_class_Presence_flush, ZEND_ACC_PUBLIC)
	ZEND_ME(Presence, status, arginfo_class_Presence_status, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};

static zend_class_entry *register_class_Presence_Repository(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Presence", "Repository", class_Presence_Repository_methods);
	class_entry = zend_register_internal_interface(&ce);

	return class_entry;
}

static zend_class_entry *register_class_Presence_PresenceException(zend_class_entry *class_entry_Exception)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Presence", "PresenceException", class_Presence_PresenceException_methods);
	class_entry = zend_register_internal_class_ex(&ce, class_entry_Exception);

	return class_entry;
}

static zend_class_entry *register_class_Presence_ConnectionException(zend_class_entry *class_entry_Presence_PresenceException)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Presence", "ConnectionException", class_Presence_ConnectionException_methods);
	class_entry = zend_register_internal_class_ex(&ce, class_entry_Presence_PresenceException);

	return class_entry;
}

static zend_class_entry *register_class_Presence_UnsupportedException(zend_class_entry *class_entry_Presence_PresenceException)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Presence", "UnsupportedException", class_Presence_UnsupportedException_methods);
	class_entry = zend_register_internal_class_ex(&ce, class_entry_Presence_PresenceException);

	return class_entry;
}

static zend_class_entry *register_class_Counters(void)
{
	zend_class_entry ce, *class_entry;

	INIT_CLASS_ENTRY(ce, "Counters", class_Counters_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;

	zend_string *property_db_class_PDO = zend_string_init("PDO", sizeof("PDO")-1, 1);
	zval property_db_default_value;
	ZVAL_NULL(&property_db_default_value);
	zend_string *property_db_name = zend_string_init("db", sizeof("db") - 1, 1);
	zend_declare_typed_property(class_entry, property_db_name, &property_db_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC, NULL, (zend_type) ZEND_TYPE_INIT_CLASS(property_db_class_PDO, 0, MAY_BE_NULL));
	zend_string_release(property_db_name);


	zend_add_parameter_attribute(zend_hash_str_find_ptr(&class_entry->function_table, "connect", sizeof("connect") - 1), 0, ZSTR_KNOWN(ZEND_STR_SENSITIVEPARAMETER), 0);

	return class_entry;
}

static zend_class_entry *register_class_Presence(zend_class_entry *class_entry_Presence_Repository, zend_class_entry *class_entry_Countable)
{
	zend_class_entry ce, *class_entry;

	INIT_CLASS_ENTRY(ce, "Presence", class_Presence_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;
	zend_class_implements(class_entry, 2, class_entry_Presence_Repository, class_entry_Countable);


	zend_add_parameter_attribute(zend_hash_str_find_ptr(&class_entry->function_table, "__construct", sizeof("__construct") - 1), 0, ZSTR_KNOWN(ZEND_STR_SENSITIVEPARAMETER), 0);

	return class_entry;
}
