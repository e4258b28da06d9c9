dnl Builds the extension: the core's sources and the PHP side are compiled into one module. Where an option says "auto",
dnl what pkg-config finds is used.

PHP_ARG_ENABLE([presence],
  [whether to enable presence],
  [AS_HELP_STRING([--enable-presence], [Enable presence: who is online, and counters by the minute])],
  [yes])

PHP_ARG_WITH([presence-mysql],
  [whether presence writes counters to MySQL and MariaDB],
  [AS_HELP_STRING([--with-presence-mysql], [presence: counters in MySQL/MariaDB, through libmariadb [auto]])],
  [auto], [no])

PHP_ARG_WITH([presence-sqlite],
  [whether presence writes counters to SQLite],
  [AS_HELP_STRING([--with-presence-sqlite], [presence: counters in SQLite, through libsqlite3 [auto]])],
  [auto], [no])

PHP_ARG_WITH([presence-redis],
  [whether presence keeps visitors in Redis],
  [AS_HELP_STRING([--with-presence-redis], [presence: visitors in Redis and Valkey, through hiredis [auto]])],
  [auto], [no])

PHP_ARG_WITH([presence-tls],
  [whether presence speaks TLS with Redis],
  [AS_HELP_STRING([--with-presence-tls], [presence: rediss: for Redis over TLS, through OpenSSL [auto]])],
  [auto], [no])

PHP_ARG_WITH([presence-memcached],
  [whether presence keeps visitors in Memcached],
  [AS_HELP_STRING([--with-presence-memcached], [presence: visitors in Memcached, through libmemcached [auto]])],
  [auto], [no])

PHP_ARG_ENABLE([presence-werror],
  [whether warnings in presence are errors],
  [AS_HELP_STRING([--enable-presence-werror], [presence: for its developers: all warnings, as errors])],
  [no], [no])

dnl PRESENCE_CLIENT_LIBRARY(option, pkg-config name, package to install, macro to define)
AC_DEFUN([PRESENCE_CLIENT_LIBRARY], [
  presence_wanted="[$]PHP_[]m4_translit([$1], [a-z-], [A-Z_])"
  if test "$presence_wanted" != "no"; then
    AC_MSG_CHECKING([for $2])
    if "$PKG_CONFIG" --exists [$2] 2>/dev/null; then
      AC_MSG_RESULT([`"$PKG_CONFIG" --modversion $2`])
      PRESENCE_FLAGS="$PRESENCE_FLAGS -D$4=1 `"$PKG_CONFIG" --cflags $2`"
      presence_libs=`"$PKG_CONFIG" --libs $2`
      PHP_EVAL_LIBLINE([$presence_libs], [PRESENCE_SHARED_LIBADD])
    else
      AC_MSG_RESULT([no])
      if test "$presence_wanted" != "auto"; then
        AC_MSG_ERROR([--with-$1 needs $2, found by pkg-config: install $3])
      fi
    fi
  fi
])

if test "$PHP_PRESENCE" != "no"; then
  AC_MSG_CHECKING([whether this is Linux with open-file-description locks])
  AC_COMPILE_IFELSE([AC_LANG_SOURCE([[
    #define _GNU_SOURCE
    #include <fcntl.h>
    #if !defined(__linux__) || !defined(F_OFD_SETLK)
    #error unsupported
    #endif
    int lock = F_OFD_SETLK;
  ]])], [AC_MSG_RESULT([yes])], [
    AC_MSG_RESULT([no])
    AC_MSG_ERROR([presence needs Linux 3.15 or later and a C library that knows F_OFD_SETLK])
  ])

  PHP_REQUIRE_CXX()
  AC_LANG_PUSH([C++])
  presence_old_CXXFLAGS=$CXXFLAGS
  CXXFLAGS="$CXXFLAGS -std=c++20"
  AC_MSG_CHECKING([whether $CXX compiles C++20])
  AC_COMPILE_IFELSE([AC_LANG_SOURCE([[
    #include <bit>
    #include <charconv>
    #include <span>
    template <class T> concept Small = sizeof(T) <= 8;
    template <Small T> int width(std::span<const T> values) { return std::bit_width(values.size()); }
    int main() {
      char text[32];
      const double value = 0.1;
      return std::to_chars(text, text + 32, value).ptr == text ? width(std::span<const double>(&value, 1)) : 0;
    }
  ]])], [AC_MSG_RESULT([yes])], [
    AC_MSG_RESULT([no])
    AC_MSG_ERROR([presence needs a compiler for C++20: g++ 11, clang 14 or later])
  ])
  dnl Without it a vague-linkage symbol of the C++ library would pin the module in memory.
  CXXFLAGS="$CXXFLAGS -fno-gnu-unique -Werror"
  AC_MSG_CHECKING([whether $CXX knows -fno-gnu-unique])
  AC_COMPILE_IFELSE([AC_LANG_SOURCE([[int nothing;]])],
    [AC_MSG_RESULT([yes]); presence_cxx_extra=-fno-gnu-unique],
    [AC_MSG_RESULT([no]); presence_cxx_extra=])
  CXXFLAGS=$presence_old_CXXFLAGS
  AC_LANG_POP([C++])

  presence_srcdir=PHP_EXT_SRCDIR([presence])
  dnl Assertions follow PHP's: on in a debug build only.
  PRESENCE_FLAGS="-DZEND_ENABLE_STATIC_TSRMLS_CACHE=1 -I@ext_srcdir@/src -I@ext_srcdir@/php_stubs"
  PRESENCE_FLAGS="$PRESENCE_FLAGS -fvisibility=hidden -fno-plt -pthread"
  if test "$ZEND_DEBUG" != "yes"; then
    PRESENCE_FLAGS="$PRESENCE_FLAGS -DNDEBUG"
  fi
  PRESENCE_CLIENT_LIBRARY([presence-mysql], [libmariadb], [libmariadb-dev], [PRESENCE_HAVE_MYSQL])
  PRESENCE_CLIENT_LIBRARY([presence-sqlite], [sqlite3], [libsqlite3-dev], [PRESENCE_HAVE_SQLITE])
  PRESENCE_CLIENT_LIBRARY([presence-redis], [hiredis], [libhiredis-dev], [PRESENCE_HAVE_REDIS])
  case $PRESENCE_FLAGS in
    *PRESENCE_HAVE_REDIS*) PRESENCE_CLIENT_LIBRARY([presence-tls], [openssl], [libssl-dev], [PRESENCE_HAVE_TLS]) ;;
  esac
  PRESENCE_CLIENT_LIBRARY([presence-memcached], [libmemcached], [libmemcached-dev], [PRESENCE_HAVE_MEMCACHED])
  if test "$PHP_PRESENCE_WERROR" = "yes"; then
    dnl Methods get parameters from PHP's macros, used or not. The core is checked without this exception by CMake.
    PRESENCE_FLAGS="$PRESENCE_FLAGS -Wall -Wextra -Wno-unused-parameter -Wshadow -Wconversion -Werror"
  fi
  PRESENCE_CXX_FLAGS="$PRESENCE_FLAGS -std=c++20 -fvisibility-inlines-hidden $presence_cxx_extra"

  dnl A client library's folder is left out where the library is missing.
  presence_left_out=
  case $PRESENCE_FLAGS in *PRESENCE_HAVE_REDIS*) ;; *) presence_left_out="! -path src/stores/redis/*" ;; esac
  presence_sources=`cd "$presence_srcdir" && find -L src -name '*.cpp' $presence_left_out | LC_ALL=C sort | tr '\n' ' '`
  presence_folders=`cd "$presence_srcdir" && find -L src -type d | LC_ALL=C sort`

  PRESENCE_SHARED_LIBADD="$PRESENCE_SHARED_LIBADD -pthread -Wl,--version-script=$presence_srcdir/src/php/exports.map"
  PHP_SUBST([PRESENCE_SHARED_LIBADD])

  PHP_NEW_EXTENSION([presence], [$presence_sources], [$ext_shared],, [$PRESENCE_CXX_FLAGS], [cxx])

  dnl The one C file: what PHP's generator makes of the stub does not compile as C++, and C takes no -std=c++20.
  presence_c_flags=`echo "$PRESENCE_FLAGS" | $SED "s#@ext_srcdir@#$presence_srcdir#g"`
  if test "$ext_shared" = "no"; then
    PHP_ADD_SOURCES(PHP_EXT_DIR([presence]), [src/php/classes.c], [$presence_c_flags])
    PHP_ADD_LIBRARY([stdc++])
  else
    PHP_ADD_SOURCES_X(PHP_EXT_DIR([presence]), [src/php/classes.c], [$presence_c_flags -DZEND_COMPILE_DL_EXT=1],
      [shared_objects_presence], [yes])
  fi

  for presence_folder in $presence_folders; do
    PHP_ADD_BUILD_DIR([$ext_builddir/$presence_folder])
  done
fi
