// Fuzzes what comes from a Memcached server: its protocol, values in the form of PHP's serialize(), and FastLZ.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "stores/memcached/fastlz.h"
#include "stores/memcached/memcached_protocol.h"
#include "stores/memcached/php_values.h"

namespace {

void check(bool holds) {
  if (!holds) {
    std::abort();
  }
}

/// What was read must be read again from what we write of it.
void fuzz_table(std::string_view text) {
  const auto entries = presence::php_values::parse_times(text);
  if (!entries) {
    return;
  }
  const std::string written = presence::php_values::serialize_times(*entries);
  const auto again = presence::php_values::parse_times(written);
  check(again.ok() && again->size() == entries->size());
  for (std::size_t i = 0; i < entries->size(); ++i) {
    check((*again)[i].visitor == (*entries)[i].visitor && (*again)[i].time == (*entries)[i].time);
  }
}

void fuzz_protocol(std::string_view bytes) {
  presence::MemcachedBatch batch;
  batch.get("a");
  batch.get("b");
  batch.set("c", 0, 0, "x");
  batch.change("d", 1);
  const std::array<std::size_t, 4> indexes{0, 1, 2, 3};
  presence::MemcachedConversation conversation(batch, indexes);
  std::string received;
  for (const char byte : bytes) {
    received += byte;
    const auto used = conversation.take(received);
    if (!used) {
      return;
    }
    check(*used <= received.size());
    received.erase(0, *used);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  fuzz_table(bytes);
  fuzz_protocol(bytes);
  const std::size_t length = size < 2 ? 0 : static_cast<std::size_t>(data[0]) << 8 | data[1];
  const auto text = presence::fastlz_decompress(bytes.substr(size < 2 ? size : 2), length);
  check(!text || text->size() == length);
  return 0;
}
