#include "flusher/batch_format.h"

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "base/hash.h"
#include "counters/row_hash.h"

namespace presence {
namespace {

constexpr std::string_view kMagic = "PRSBATCH";
constexpr std::uint32_t kVersion = 1;
constexpr std::uint16_t kNoArgument = 0xFFFF;

template <class T>
void append(std::string& bytes, T value) {
  static_assert(std::is_arithmetic_v<T>);
  char raw[sizeof value];
  std::memcpy(raw, &value, sizeof value);
  bytes.append(raw, sizeof value);
}

/// Takes values off the front of a text; fails once it is too short and stays failed.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  template <class T>
  T number() {
    static_assert(std::is_arithmetic_v<T>);
    T value{};
    const std::string_view raw = text(sizeof value);
    if (raw.size() == sizeof value) {
      std::memcpy(&value, raw.data(), sizeof value);
    }
    return value;
  }

  std::string_view text(std::size_t size) {
    if (size > bytes_.size()) {
      failed_ = true;
      return {};
    }
    const std::string_view taken = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return taken;
  }

  [[nodiscard]] bool failed() const { return failed_; }
  [[nodiscard]] bool at_end() const { return bytes_.empty(); }

 private:
  std::string_view bytes_;
  bool failed_ = false;
};

Error damaged() { return {ErrorCode::damaged, "the batch file is damaged"}; }

CounterRow read_row(Reader& reader) {
  CounterRow row;
  row.slot = reader.number<std::int64_t>();
  row.sums.count = reader.number<std::int64_t>();
  row.sums.total = reader.number<double>();
  row.sums.minimum = reader.number<double>();
  row.sums.maximum = reader.number<double>();
  const auto name_size = reader.number<std::uint16_t>();
  const auto argument_size = reader.number<std::uint16_t>();
  row.name = reader.text(name_size);
  if (argument_size != kNoArgument) {
    row.argument = std::string(reader.text(argument_size));
  }
  row.hash = row_hash(row.name, row.argument, row.slot);
  return row;
}

}  // namespace

std::string encode_batch(std::span<const CounterRow> rows) {
  std::string bytes(kMagic);
  append(bytes, kVersion);
  append(bytes, static_cast<std::uint32_t>(rows.size()));
  for (const CounterRow& row : rows) {
    append(bytes, row.slot);
    append(bytes, row.sums.count);
    append(bytes, row.sums.total);
    append(bytes, row.sums.minimum);
    append(bytes, row.sums.maximum);
    append(bytes, static_cast<std::uint16_t>(row.name.size()));
    append(bytes, row.argument ? static_cast<std::uint16_t>(row.argument->size()) : kNoArgument);
    bytes.append(row.name);
    bytes.append(row.argument.value_or(""));
  }
  append(bytes, hash_bytes(bytes, 0));
  return bytes;
}

Result<std::vector<CounterRow>> decode_batch(std::string_view bytes) {
  if (bytes.size() < sizeof(std::uint64_t)) {
    return damaged();
  }
  const std::string_view body = bytes.substr(0, bytes.size() - sizeof(std::uint64_t));
  if (Reader(bytes.substr(body.size())).number<std::uint64_t>() != hash_bytes(body, 0)) {
    return damaged();
  }
  Reader reader(body);
  const bool ours = reader.text(kMagic.size()) == kMagic && reader.number<std::uint32_t>() == kVersion;
  const auto count = reader.number<std::uint32_t>();
  if (!ours) {
    return damaged();
  }
  std::vector<CounterRow> rows;
  for (std::uint32_t i = 0; i < count && !reader.failed(); ++i) {
    rows.push_back(read_row(reader));
  }
  if (reader.failed() || !reader.at_end()) {
    return damaged();
  }
  return rows;
}

}  // namespace presence
