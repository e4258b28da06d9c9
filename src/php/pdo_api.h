// PDO's headers. A system header to the compiler, as php_api.h. Nothing here is linked against: PDO may be a module of
// its own, or absent.
#pragma once
#pragma GCC system_header

#include "php/php_api.h"

#include <ext/pdo/php_pdo_driver.h>
#include <main/fopen_wrappers.h>
