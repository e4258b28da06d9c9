// Rows that no database took, as text for people and programs: one JSON object a line.
#pragma once

#include <string>
#include <string_view>

#include "base/counter_row.h"

namespace presence {

/// Appends a row and why it is here. Numbers read back as the same doubles.
void append_set_aside_line(std::string& out, const CounterRow& row, std::string_view reason);

}  // namespace presence
