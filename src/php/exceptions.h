// Which PHP exception stands for which error of the core. The only place that knows.
#pragma once

#include "base/result.h"
#include "php/classes.h"

namespace presence::php {

/// The class of the exception for an error.
zend_class_entry* exception_class(ErrorCode code);

}  // namespace presence::php
