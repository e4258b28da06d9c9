// The module: what PHP calls when it loads the extension, starts and ends requests, and prints phpinfo().
#include <new>

#include "base/version.h"
#include "php/classes.h"
#include "php/counters_class.h"
#include "php/globals.h"
#include "php/ini.h"
#include "php/presence_class.h"
#include "php/thread_runtime.h"

#ifdef PRESENCE_HAVE_MYSQL
#include <mysql.h>
#endif
#ifdef PRESENCE_HAVE_SQLITE
#include <sqlite3.h>
#endif

ZEND_DECLARE_MODULE_GLOBALS(presence)

#if defined(ZTS) && defined(COMPILE_DL_PRESENCE)
ZEND_TSRMLS_CACHE_DEFINE()
#endif

namespace {

PHP_GINIT_FUNCTION(presence) {
#if defined(ZTS) && defined(COMPILE_DL_PRESENCE)
  ZEND_TSRMLS_CACHE_UPDATE();
#endif
  *presence_globals = {};
  // Here and not at first use: the INI entries are read for each thread right after this, before any request.
  presence_globals->settings = new (std::nothrow) presence::Settings;
  if (presence_globals->settings == nullptr) {
    zend_error_noreturn(E_CORE_ERROR, "presence: the system is out of memory");
  }
  presence_globals->enabled = true;
}

PHP_GSHUTDOWN_FUNCTION(presence) {
  presence::php::end_thread(presence_globals->runtime);
  presence_globals->runtime = nullptr;
  delete presence_globals->settings;
  presence_globals->settings = nullptr;
}

PHP_MINIT_FUNCTION(presence) {
  (void)type;
  presence::php::register_ini(module_number);
  register_presence_classes();
  presence::php::init_presence_objects();
  return SUCCESS;
}

PHP_MSHUTDOWN_FUNCTION(presence) {
  (void)type;
  presence::php::unregister_ini(module_number);
  return SUCCESS;
}

PHP_RINIT_FUNCTION(presence) {
  (void)type;
  (void)module_number;
  PRESENCE_G(bailout_pending) = false;
  presence::php::begin_request();
  return SUCCESS;
}

PHP_RSHUTDOWN_FUNCTION(presence) {
  (void)type;
  (void)module_number;
  presence::php::end_request();
  return SUCCESS;
}

PHP_MINFO_FUNCTION(presence) {
  php_info_print_table_start();
  php_info_print_table_row(2, "presence", "enabled");
  php_info_print_table_row(2, "Version", PRESENCE_VERSION);
#ifdef PRESENCE_HAVE_MYSQL
  php_info_print_table_row(2, "MySQL sink, libmariadb compiled", MARIADB_PACKAGE_VERSION);
  php_info_print_table_row(2, "MySQL sink, libmariadb loaded", mysql_get_client_info());
#else
  php_info_print_table_row(2, "MySQL sink", "not compiled in");
#endif
#ifdef PRESENCE_HAVE_SQLITE
  php_info_print_table_row(2, "SQLite sink, sqlite compiled", SQLITE_VERSION);
  php_info_print_table_row(2, "SQLite sink, sqlite loaded", sqlite3_libversion());
#else
  php_info_print_table_row(2, "SQLite sink", "not compiled in");
#endif
  php_info_print_table_end();
  presence::php::print_ini(zend_module);
}

// PDO is used where it is loaded (Counters::$db); loaded first, if at all.
const zend_module_dep kDependencies[] = {ZEND_MOD_OPTIONAL("pdo") ZEND_MOD_END};

}  // namespace

zend_module_entry presence_module_entry = {
    STANDARD_MODULE_HEADER_EX,
    nullptr,
    kDependencies,
    "presence",
    nullptr,  // No functions, only classes.
    PHP_MINIT(presence),
    PHP_MSHUTDOWN(presence),
    PHP_RINIT(presence),
    PHP_RSHUTDOWN(presence),
    PHP_MINFO(presence),
    PRESENCE_VERSION,
    PHP_MODULE_GLOBALS(presence),
    PHP_GINIT(presence),
    PHP_GSHUTDOWN(presence),
    nullptr,
    STANDARD_MODULE_PROPERTIES_EX,
};

#ifdef COMPILE_DL_PRESENCE
extern "C" {
ZEND_GET_MODULE(presence)
}
#endif
