#include "counters/row_hash.h"

#include <algorithm>
#include <string>

#include "base/sha256.h"

namespace presence {

RowHash row_hash(std::string_view name, std::optional<std::string_view> argument, UnixTime slot) {
  std::string text;
  text.reserve(name.size() + 32 + (argument ? argument->size() : 0));
  if (name.find(':') != std::string_view::npos) {
    text.append(":").append(std::to_string(name.size())).append(":");
  }
  text.append(name).append(":").append(std::to_string(slot));
  if (argument) {
    text.append(":").append(*argument);
  }
  RowHash hash;
  std::copy_n(sha256_hex(text).begin(), hash.size(), hash.begin());
  return hash;
}

}  // namespace presence
