// The bytes of a batch file.
//
//   magic    8 bytes  "PRSBATCH"
//   version  u32      1
//   rows     u32
//   each row: slot i64, count i64, total f64, minimum f64, maximum f64, name size u16,
//             argument size u16 (0xFFFF: none), name, argument
//   checksum u64      hash_bytes over all before it
//
// Numbers are as the machine has them: a spool does not travel.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/counter_row.h"
#include "base/result.h"

namespace presence {

std::string encode_batch(std::span<const CounterRow> rows);

/// Error: damaged.
Result<std::vector<CounterRow>> decode_batch(std::string_view bytes);

}  // namespace presence
