#include "php/classes.h"

#include "presence_arginfo.h"

zend_class_entry *presence_ce_repository;
zend_class_entry *presence_ce_presence_exception;
zend_class_entry *presence_ce_connection_exception;
zend_class_entry *presence_ce_unsupported_exception;
zend_class_entry *presence_ce_counters;
zend_class_entry *presence_ce_presence;

void register_presence_classes(void)
{
	presence_ce_repository = register_class_Presence_Repository();
	presence_ce_presence_exception = register_class_Presence_PresenceException(zend_ce_exception);
	presence_ce_connection_exception = register_class_Presence_ConnectionException(presence_ce_presence_exception);
	presence_ce_unsupported_exception = register_class_Presence_UnsupportedException(presence_ce_presence_exception);
	presence_ce_counters = register_class_Counters();
	presence_ce_presence = register_class_Presence(presence_ce_repository, zend_ce_countable);
}
