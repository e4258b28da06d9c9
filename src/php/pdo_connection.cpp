#include "php/pdo_connection.h"

#include <array>
#include <charconv>
#include <cstring>
#include <utility>

#include "php/guard.h"
#include "php/pdo_api.h"
#include "sinks/mysql_errors.h"
#include "sinks/sql.h"

namespace presence::php {
namespace {

/// Takes the application's error handling out of the way, and puts it back. What is fatal is still reported.
class ErrorsSilenced {
 public:
  ErrorsSilenced()
      : reporting_(EG(error_reporting)),
        type_(PG(last_error_type)),
        line_(PG(last_error_lineno)),
        message_(std::exchange(PG(last_error_message), nullptr)),
        file_(std::exchange(PG(last_error_file), nullptr)) {
    EG(error_reporting) &= E_FATAL_ERRORS;
    ZVAL_COPY_VALUE(&handler_, &EG(user_error_handler));
    ZVAL_UNDEF(&EG(user_error_handler));
  }
  ~ErrorsSilenced() {
    if (PRESENCE_G(bailout_pending)) {
      // The error that ended it all is the one to show.
      drop(message_);
      drop(file_);
    } else {
      drop(std::exchange(PG(last_error_message), message_));
      drop(std::exchange(PG(last_error_file), file_));
      PG(last_error_type) = type_;
      PG(last_error_lineno) = line_;
    }
    EG(error_reporting) = reporting_;
    ZVAL_COPY_VALUE(&EG(user_error_handler), &handler_);
  }
  ErrorsSilenced(const ErrorsSilenced&) = delete;
  ErrorsSilenced& operator=(const ErrorsSilenced&) = delete;

 private:
  using Text = std::remove_reference_t<decltype(PG(last_error_message))>;
  static void drop(Text text) {
    if (text != nullptr) {
      zend_string_release(text);
    }
  }

  int reporting_;
  decltype(PG(last_error_type) + 0) type_;
  decltype(PG(last_error_lineno) + 0) line_;
  Text message_;
  Text file_;
  zval handler_;
};

/// A stack frame where there is none: at the end of a request an exception without one would be a fatal error. It is
/// that of a function which does nothing, since a backtrace takes a frame without one for a generator's.
class Frame {
 public:
  Frame() {
    if (EG(current_execute_data) == nullptr) {
      std::memset(&frame_, 0, sizeof frame_);
      frame_.func = reinterpret_cast<zend_function*>(const_cast<zend_internal_function*>(&zend_pass_function));
      EG(current_execute_data) = &frame_;
    }
  }
  ~Frame() {
    if (EG(current_execute_data) == &frame_) {
      EG(current_execute_data) = nullptr;
    }
  }
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;

 private:
  zend_execute_data frame_;
};

/// A value that is freed in the end.
struct Value {
  Value() { ZVAL_UNDEF(&zv); }
  ~Value() { zval_ptr_dtor(&zv); }
  Value(const Value&) = delete;
  Value& operator=(const Value&) = delete;
  zval zv;
};

zend_class_entry* find_class(std::string_view lower_case_name) {
  return static_cast<zend_class_entry*>(
      zend_hash_str_find_ptr(EG(class_table), lower_case_name.data(), lower_case_name.size()));
}

/// Calls the method that the class itself has, even if the object's class overrides it. From inside run_zend().
void call(std::string_view class_name, std::string_view method, zend_object* object, zval* result,
          std::uint32_t count = 0, zval* arguments = nullptr) {
  zend_class_entry* type = find_class(class_name);
  auto* function =
      type != nullptr
          ? static_cast<zend_function*>(zend_hash_str_find_ptr(&type->function_table, method.data(), method.size()))
          : nullptr;
  ZVAL_UNDEF(result);
  if (function != nullptr) {
    zend_call_known_function(function, object, object->ce, result, count, arguments, nullptr);
  }
  if (EG(exception) != nullptr) {
    zend_clear_exception();
    zval_ptr_dtor(result);
    ZVAL_UNDEF(result);
  }
}

const zval* element(const zval* array, zend_ulong index) {
  return Z_TYPE_P(array) == IS_ARRAY ? zend_hash_index_find(Z_ARRVAL_P(array), index) : nullptr;
}

void copy_text(const zval* text, char* target, std::size_t size) {
  target[0] = '\0';
  if (text != nullptr && Z_TYPE_P(text) == IS_STRING) {
    snprintf(target, size, "%s", Z_STRVAL_P(text));
  }
}

/// Fills in what errorInfo() says. From inside run_zend(). True if it names an error.
bool read_error_info(std::string_view class_name, zend_object* object, PdoFailure& failure) {
  zval info;
  call(class_name, "errorinfo", object, &info);
  if (const zval* state = element(&info, 0)) {
    copy_text(state, failure.sqlstate, sizeof failure.sqlstate);
  }
  if (const zval* number = element(&info, 1); number != nullptr && Z_TYPE_P(number) == IS_LONG) {
    failure.number = Z_LVAL_P(number);
  }
  copy_text(element(&info, 2), failure.message, sizeof failure.message);
  zval_ptr_dtor(&info);
  return failure.sqlstate[0] != '\0' && std::strcmp(failure.sqlstate, "00000") != 0;
}

template <class Number>
std::string number_text(Number number) {
  std::array<char, 32> digits;
  const auto written = std::to_chars(digits.data(), digits.data() + digits.size(), number);
  return {digits.data(), written.ptr};
}

std::string text_of(const zval* value) {
  switch (Z_TYPE_P(value)) {
    case IS_STRING: return {Z_STRVAL_P(value), Z_STRLEN_P(value)};
    case IS_LONG: return number_text(Z_LVAL_P(value));
    case IS_DOUBLE: return number_text(Z_DVAL_P(value));
    case IS_TRUE: return "1";
    default: return {};
  }
}

PdoConnection::Rows rows_of(const zval* array) {
  PdoConnection::Rows rows;
  zval* row;
  zval* column;
  ZEND_HASH_FOREACH_VAL(Z_ARRVAL_P(array), row) {
    std::vector<std::string>& columns = rows.emplace_back();
    if (Z_TYPE_P(row) == IS_ARRAY) {
      ZEND_HASH_FOREACH_VAL(Z_ARRVAL_P(row), column) { columns.push_back(text_of(column)); }
      ZEND_HASH_FOREACH_END();
    }
  }
  ZEND_HASH_FOREACH_END();
  return rows;
}

/// The codes are SQLite's result codes; PDO hands on the primary ones.
ErrorCode classify_sqlite(zend_long number, std::string_view message) {
  if (message.find("within a transaction") != std::string_view::npos) {
    return ErrorCode::transient;  // The application began one by hand, which PDO does not know of.
  }
  if (sql::is_foreign_column(message)) {
    return ErrorCode::not_installed;
  }
  switch (number & 0xFF) {
    case 1:  // ERROR: SQL that does not fit the table: it, a column or the unique hash is missing.
      return ErrorCode::not_installed;
    case 5:   // BUSY
    case 6:   // LOCKED
    case 7:   // NOMEM
    case 8:   // READONLY
    case 9:   // INTERRUPT
    case 13:  // FULL
    case 15:  // PROTOCOL
    case 17:  // SCHEMA
      return ErrorCode::transient;
    case 18:  // TOOBIG
    case 19:  // CONSTRAINT
    case 20:  // MISMATCH
      return ErrorCode::rejected;
    default: return ErrorCode::unavailable;
  }
}

ErrorCode classify_mysql(zend_long number, std::string_view sqlstate) {
  constexpr zend_long kOutOfSync = 2014;  // The application has not fetched all of its last unbuffered query.
  return number == kOutOfSync ? ErrorCode::transient : mysql::classify(static_cast<unsigned>(number), sqlstate);
}

}  // namespace

PdoConnection::PdoConnection(zend_object* pdo, PdoDriver driver) : pdo_(pdo), driver_(driver) { GC_ADDREF(pdo_); }

PdoConnection::~PdoConnection() {
  // The last reference may run a destructor of the application.
  static_cast<void>(run_zend([this] { OBJ_RELEASE(pdo_); }));
}

template <class Body>
bool PdoConnection::quietly(Body&& body) {
  if (PRESENCE_G(bailout_pending)) {
    return false;
  }
  const ErrorsSilenced silenced;
  const Frame frame;
  return run_zend(std::forward<Body>(body));
}

Error PdoConnection::failure_of(const PdoFailure& failure) {
  last_error_ = failure.number > 0 ? static_cast<unsigned>(failure.number) : 0;
  if (PRESENCE_G(bailout_pending)) {
    return {ErrorCode::internal, "PHP ended the request while a query of presence was running"};
  }
  const bool mysql = driver_ == PdoDriver::mysql;
  const std::string what = failure.message[0] != '\0' ? failure.message : "PDO reports no reason";
  return {mysql ? classify_mysql(failure.number, failure.sqlstate) : classify_sqlite(failure.number, failure.message),
          std::string("the database of Counters::$db (PDO ") + (mysql ? "mysql" : "sqlite") + "): " + what};
}

Status PdoConnection::run(std::string_view statement) {
  bool done = false;
  PdoFailure failure{};
  const bool returned = quietly([&] {
    zval text;
    zval result;
    ZVAL_STRINGL(&text, statement.data(), statement.size());
    call("pdo", "exec", pdo_, &result, 1, &text);
    zval_ptr_dtor(&text);
    done = Z_TYPE(result) == IS_LONG;
    if (!done) {
      read_error_info("pdo", pdo_, failure);
    }
  });
  return returned && done ? Status() : Status(failure_of(failure));
}

Result<PdoConnection::Rows> PdoConnection::query(std::string_view statement) {
  bool done = false;
  PdoFailure failure{};
  Value rows;
  const bool returned = quietly([&] {
    // Not the application's own class of statements: its constructor is none of our business.
    zval arguments[2];
    zval class_name;
    ZVAL_STRINGL(&arguments[0], statement.data(), statement.size());
    array_init(&arguments[1]);
    array_init(&class_name);
    add_next_index_string(&class_name, "PDOStatement");
    add_index_zval(&arguments[1], PDO_ATTR_STATEMENT_CLASS, &class_name);
    zval prepared;
    call("pdo", "prepare", pdo_, &prepared, 2, arguments);
    zval_ptr_dtor(&arguments[0]);
    zval_ptr_dtor(&arguments[1]);
    if (Z_TYPE(prepared) != IS_OBJECT) {
      read_error_info("pdo", pdo_, failure);
      zval_ptr_dtor(&prepared);
      return;
    }
    zval executed;
    call("pdostatement", "execute", Z_OBJ(prepared), &executed);
    if (Z_TYPE(executed) == IS_TRUE) {
      zval mode;
      ZVAL_LONG(&mode, PDO_FETCH_NUM);
      call("pdostatement", "fetchall", Z_OBJ(prepared), &rows.zv, 1, &mode);
    }
    // A fetch that broke off answers what it had until then; only the error tells.
    done = !read_error_info("pdostatement", Z_OBJ(prepared), failure) && Z_TYPE(rows.zv) == IS_ARRAY;
    zval_ptr_dtor(&prepared);
  });
  if (!returned || !done) {
    return failure_of(failure);
  }
  return rows_of(&rows.zv);
}

Result<bool> PdoConnection::in_transaction() {
  zval result;
  ZVAL_UNDEF(&result);
  PdoFailure failure{};
  if (!quietly([&] { call("pdo", "intransaction", pdo_, &result); }) || Z_TYPE(result) == IS_UNDEF) {
    return failure_of(failure);
  }
  return Z_TYPE(result) == IS_TRUE;
}

}  // namespace presence::php
