#include "php/exceptions.h"

namespace presence::php {

zend_class_entry* exception_class(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid_argument: return zend_ce_value_error;
    case ErrorCode::unsupported: return presence_ce_unsupported_exception;
    case ErrorCode::unavailable:
    case ErrorCode::transient:
    case ErrorCode::not_installed:
    case ErrorCode::unanswered:
    case ErrorCode::rejected: return presence_ce_connection_exception;
    case ErrorCode::no_space:
    case ErrorCode::damaged:
    case ErrorCode::internal: return presence_ce_presence_exception;
  }
  return presence_ce_presence_exception;
}

}  // namespace presence::php
