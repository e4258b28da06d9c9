/* The classes of the stub, as generated from it: their registration, and the methods they expect. Plain C, since what
 * PHP's generator makes does not compile as C++. */
#ifndef PRESENCE_PHP_CLASSES_H
#define PRESENCE_PHP_CLASSES_H

#include "php/php_api.h"

BEGIN_EXTERN_C()

/* Set by register_presence_classes(); constant from then on. */
extern zend_class_entry* presence_ce_repository;
extern zend_class_entry* presence_ce_presence_exception;
extern zend_class_entry* presence_ce_connection_exception;
extern zend_class_entry* presence_ce_unsupported_exception;
extern zend_class_entry* presence_ce_counters;
extern zend_class_entry* presence_ce_presence;

/* Registers all classes. From MINIT. */
void register_presence_classes(void);

END_EXTERN_C()

#endif
