// The class Presence.
#pragma once

#include "php/classes.h"

// Its methods, as the generated table of the class names them.
extern "C" {
PHP_METHOD(Presence, __construct);
PHP_METHOD(Presence, persist);
PHP_METHOD(Presence, purge);
PHP_METHOD(Presence, count);
PHP_METHOD(Presence, ids);
PHP_METHOD(Presence, isOnline);
PHP_METHOD(Presence, areOnline);
PHP_METHOD(Presence, lastSeen);
PHP_METHOD(Presence, forget);
PHP_METHOD(Presence, replace);
PHP_METHOD(Presence, room);
PHP_METHOD(Presence, flush);
PHP_METHOD(Presence, status);
}

namespace presence::php {

/// Sets up how objects of the class are made and freed. From MINIT, after the class is registered.
void init_presence_objects();

}  // namespace presence::php
