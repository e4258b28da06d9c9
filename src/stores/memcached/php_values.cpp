#include "stores/memcached/php_values.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <utility>

#include "stores/memcached/fastlz.h"

namespace presence::php_values {
namespace {

constexpr std::uint32_t kType = 0xF;
constexpr std::uint32_t kCompressed = 1U << 4;
constexpr std::uint32_t kFastLz = 1U << 6;

// The shortest entry is "i:0;i:0;".
constexpr std::size_t kShortestEntry = 8;

Error damaged(std::string message) { return {ErrorCode::damaged, std::move(message)}; }

Error not_times() { return damaged("it is not an array of visitor ids to Unix times"); }

/// Reads serialized text from its beginning; each call takes off what it has read, or fails.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  bool literal(std::string_view expected) {
    if (!rest_.starts_with(expected)) {
      return false;
    }
    rest_.remove_prefix(expected.size());
    return true;
  }

  /// Up to a character, which is taken off as well.
  std::optional<std::string_view> until(char end) {
    const std::size_t at = rest_.substr(0, kLongestNumber).find(end);
    if (at == std::string_view::npos) {
      return std::nullopt;
    }
    const std::string_view text = rest_.substr(0, at);
    rest_.remove_prefix(at + 1);
    return text;
  }

  template <class Number>
  bool number(char end, Number& into) {
    const auto text = until(end);
    if (!text) {
      return false;
    }
    const auto [stop, error] = std::from_chars(text->data(), text->data() + text->size(), into);
    return error == std::errc() && stop == text->data() + text->size();
  }

  std::optional<std::string_view> bytes(std::size_t size) {
    if (size > rest_.size()) {
      return std::nullopt;
    }
    const std::string_view text = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return text;
  }

  [[nodiscard]] std::size_t left() const { return rest_.size(); }

 private:
  static constexpr std::size_t kLongestNumber = 64;

  std::string_view rest_;
};

bool read_key(Reader& reader, std::string_view& key) {
  if (reader.literal("i:")) {
    const auto digits = reader.until(';');
    key = digits.value_or("");
    return is_integer_key(key);
  }
  std::size_t size = 0;
  if (!reader.literal("s:") || !reader.number(':', size) || !reader.literal("\"")) {
    return false;
  }
  const auto text = reader.bytes(size);
  key = text.value_or("");
  return text && reader.literal("\";");
}

bool read_time(Reader& reader, UnixTime& time) {
  if (reader.literal("i:")) {
    return reader.number(';', time);
  }
  double seconds = 0;
  if (!reader.literal("d:") || !reader.number(';', seconds) || !(std::fabs(seconds) < 1e15)) {
    return false;
  }
  time = static_cast<UnixTime>(std::floor(seconds));
  return true;
}

template <class Number>
void append_number(std::string& text, Number number) {
  char digits[24];
  const auto written = std::to_chars(digits, digits + sizeof digits, number);
  text.append(digits, written.ptr);
}

}  // namespace

bool is_integer_key(std::string_view id) {
  const std::string_view digits = id.starts_with('-') ? id.substr(1) : id;
  if (digits.empty() || digits[0] < '0' || digits[0] > '9' || (digits[0] == '0' && id.size() > 1)) {
    return false;
  }
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(id.data(), id.data() + id.size(), number);
  return error == std::errc() && end == id.data() + id.size();
}

Result<std::string> serialized_text(std::uint32_t flags, std::string data) {
  if ((flags & kType) != kSerialized) {
    return damaged(
        "it is not a value of serialize(); store it with Memcached::OPT_SERIALIZER set to Memcached::SERIALIZER_PHP, "
        "or choose another key");
  }
  if ((flags & kCompressed) == 0) {
    return data;
  }
  std::uint32_t size = 0;
  if ((flags & kFastLz) == 0) {
    return damaged(
        "it is compressed by zlib or zstd; set Memcached::OPT_COMPRESSION_TYPE to Memcached::COMPRESSION_FASTLZ, or "
        "Memcached::OPT_COMPRESSION to false");
  }
  if (data.size() < sizeof size) {
    return not_times();
  }
  std::memcpy(&size, data.data(), sizeof size);  // in the byte order of the machine that stored it
  auto text = fastlz_decompress(std::string_view(data).substr(sizeof size), size);
  if (!text) {
    return damaged("its compressed text cannot be read");
  }
  return std::move(*text);
}

Result<std::vector<Seen>> parse_times(std::string_view text) {
  Reader reader(text);
  std::size_t count = 0;
  if (!reader.literal("a:") || !reader.number(':', count) || !reader.literal("{") ||
      count > reader.left() / kShortestEntry) {
    return not_times();
  }
  std::vector<Seen> entries;
  entries.reserve(count + 1);
  for (std::size_t i = 0; i < count; ++i) {
    Seen entry{};
    if (!read_key(reader, entry.visitor) || !read_time(reader, entry.time)) {
      return not_times();
    }
    entries.push_back(entry);
  }
  if (!reader.literal("}") || reader.left() != 0) {
    return not_times();
  }
  return entries;
}

std::string serialize_times(std::span<const Seen> entries) {
  std::size_t size = 24;
  for (const Seen& entry : entries) {
    size += entry.visitor.size() + 32;
  }
  std::string text;
  text.reserve(size);
  text += "a:";
  append_number(text, entries.size());
  text += ":{";
  for (const Seen& entry : entries) {
    if (is_integer_key(entry.visitor)) {
      text += "i:";
      text += entry.visitor;
      text += ";i:";
    } else {
      text += "s:";
      append_number(text, entry.visitor.size());
      text += ":\"";
      text += entry.visitor;
      text += "\";i:";
    }
    append_number(text, entry.time);
    text += ';';
  }
  text += '}';
  return text;
}

std::optional<std::int64_t> parse_integer(std::uint32_t flags, std::string_view data) {
  // A counter that was decremented keeps its length, with spaces at the end.
  data = data.substr(0, data.find_last_not_of(' ') + 1);
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(data.data(), data.data() + data.size(), number);
  if ((flags & kType) > kInteger || (flags & kCompressed) != 0 || data.empty() || error != std::errc() ||
      end != data.data() + data.size()) {
    return std::nullopt;
  }
  return number;
}

}  // namespace presence::php_values
