#include "php/presence_options.h"

#include <climits>
#include <string>
#include <string_view>

#include "php/convert.h"

namespace presence::php {
namespace {

Error must_be(std::string_view option, const char* what) {
  return {ErrorCode::invalid_argument, "option \"" + std::string(option) + "\" must be " + what};
}

Status read_int(std::string_view name, const zval* value, int& into) {
  if (Z_TYPE_P(value) != IS_LONG || Z_LVAL_P(value) < INT_MIN || Z_LVAL_P(value) > INT_MAX) {
    return must_be(name, "an integer");
  }
  into = static_cast<int>(Z_LVAL_P(value));
  return {};
}

Status read_number(std::string_view name, const zval* value, double& into) {
  if (Z_TYPE_P(value) != IS_LONG && Z_TYPE_P(value) != IS_DOUBLE) {
    return must_be(name, "a number of seconds");
  }
  into = Z_TYPE_P(value) == IS_LONG ? static_cast<double>(Z_LVAL_P(value)) : Z_DVAL_P(value);
  return {};
}

template <class Choice>
Status read_choice(std::string_view name, const zval* value, Choice& into, Result<Choice> (*parse)(std::string_view)) {
  if (Z_TYPE_P(value) != IS_STRING) {
    return must_be(name, "a string");
  }
  Result<Choice> parsed = parse(bytes(Z_STR_P(value)));
  if (!parsed) {
    return Error{ErrorCode::invalid_argument, "option \"" + std::string(name) + "\": " + parsed.error().message};
  }
  into = *parsed;
  return {};
}

/// An option that the store's strategy may know; it is checked where the store is opened.
Status read_strategy(std::string_view name, const zval* value, PresenceOptions& options) {
  switch (Z_TYPE_P(value)) {
    case IS_LONG: options.strategy.emplace_back(name, std::to_string(Z_LVAL_P(value))); return {};
    case IS_TRUE:
    case IS_FALSE: options.strategy.emplace_back(name, Z_TYPE_P(value) == IS_TRUE ? "1" : "0"); return {};
    case IS_STRING: options.strategy.emplace_back(name, bytes(Z_STR_P(value))); return {};
    default: return must_be(name, "an integer, a bool or a string");
  }
}

/// One entry of the constructor's second argument.
Status read_option(std::string_view name, const zval* value, PresenceOptions& options) {
  if (name == "key") {
    if (Z_TYPE_P(value) != IS_STRING) {
      return must_be(name, "a string");
    }
    options.key = bytes(Z_STR_P(value));
    return {};
  }
  if (name == "window") {
    return read_int(name, value, options.window);
  }
  if (name == "retention") {
    return read_int(name, value, options.retention);
  }
  if (name == "throttle") {
    options.throttle.emplace();
    return read_int(name, value, *options.throttle);
  }
  if (name == "mode") {
    return read_choice(name, value, options.mode, parse_mode);
  }
  if (name == "timeout") {
    return read_number(name, value, options.timeout);
  }
  if (name == "sync") {
    return read_number(name, value, options.sync);
  }
  if (name == "on_error") {
    return read_choice(name, value, options.on_error, parse_on_error);
  }
  return read_strategy(name, value, options);
}

}  // namespace

Status read_options(HashTable* given, PresenceOptions& options) {
  zend_string* name;
  zval* value;
  ZEND_HASH_FOREACH_STR_KEY_VAL(given, name, value) {
    ZVAL_DEREF(value);
    if (name == nullptr) {
      return Error{ErrorCode::invalid_argument, "must be an array of option names to values"};
    }
    if (Status read = read_option(bytes(name), value, options); !read) {
      return read;
    }
  }
  ZEND_HASH_FOREACH_END();
  return {};
}

}  // namespace presence::php
