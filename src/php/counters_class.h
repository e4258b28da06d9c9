// The class Counters.
#pragma once

#include "php/classes.h"

// Its methods, as the generated table of the class names them.
extern "C" {
PHP_METHOD(Counters, __construct);
PHP_METHOD(Counters, connect);
PHP_METHOD(Counters, available);
PHP_METHOD(Counters, add);
PHP_METHOD(Counters, time);
PHP_METHOD(Counters, flush);
PHP_METHOD(Counters, slot);
PHP_METHOD(Counters, hash);
PHP_METHOD(Counters, read);
PHP_METHOD(Counters, pending);
PHP_METHOD(Counters, install);
PHP_METHOD(Counters, status);
}
