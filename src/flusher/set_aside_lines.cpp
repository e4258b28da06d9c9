#include "flusher/set_aside_lines.h"

#include <array>
#include <charconv>

#include "base/utf8.h"

namespace presence {
namespace {

/// A JSON string, RFC 8259 section 7.
void append_string(std::string& out, std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  const std::string scrubbed = utf8::scrub(text);
  out += '"';
  for (const char c : scrubbed) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20) {
      out += "\\u00";
      out += kDigits[byte >> 4U];
      out += kDigits[byte & 15U];
    } else {
      out += c;
    }
  }
  out += '"';
}

template <class Number>
void append_number(std::string& out, Number number) {
  std::array<char, 32> digits;
  const auto written = std::to_chars(digits.data(), digits.data() + digits.size(), number);
  out.append(digits.data(), written.ptr);
}

}  // namespace

void append_set_aside_line(std::string& out, const CounterRow& row, std::string_view reason) {
  out += "{\"name\":";
  append_string(out, row.name);
  out += ",\"argument\":";
  if (row.argument) {
    append_string(out, *row.argument);
  } else {
    out += "null";
  }
  out += ",\"slot\":";
  append_number(out, row.slot);
  out += ",\"total\":";
  append_number(out, row.sums.total);
  out += ",\"count\":";
  append_number(out, row.sums.count);
  out += ",\"minimum\":";
  append_number(out, row.sums.minimum);
  out += ",\"maximum\":";
  append_number(out, row.sums.maximum);
  out += ",\"hash\":";
  append_string(out, view(row.hash));
  out += ",\"reason\":";
  append_string(out, reason);
  out += "}\n";
}

}  // namespace presence
