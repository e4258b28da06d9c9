// PHP's headers. A system header to the compiler, so that our warnings are about our code only.
#pragma once
#pragma GCC system_header

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

// Ahead of PHP's, which define macros that C++ headers stumble over.
#ifdef __cplusplus
#include <cmath>
#include <string>
#endif

#include <php.h>

#include <SAPI.h>
#include <Zend/zend_attributes.h>
#include <Zend/zend_exceptions.h>
#include <Zend/zend_highlight.h>
#include <Zend/zend_interfaces.h>
#include <Zend/zend_smart_str.h>
#include <ext/spl/spl_iterators.h>
#include <ext/standard/info.h>
#include <php_ini.h>
