// Any text is parsed or refused without a fault; what was parsed can be shown, and is understood again, without its
// password.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/dsn.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto dsn = presence::parse_dsn(text);
  if (!dsn) {
    // A message is made of fixed text only.
    if (dsn.error().message.empty() || dsn.error().code != presence::ErrorCode::invalid_argument) {
      std::abort();
    }
    return 0;
  }
  const auto shown = presence::parse_dsn(dsn->redacted());
  const bool too_long = dsn->redacted().size() > 4096;  // Encoding can triple the length.
  if (!too_long && (!shown || shown->scheme != dsn->scheme || shown->hosts.size() != dsn->hosts.size() ||
                    shown->path != dsn->path || shown->options.size() != dsn->options.size())) {
    std::abort();
  }
  if (!too_long && dsn->password && shown->password != "***") {
    std::abort();
  }
  if (dsn->fingerprint().size() != 32) {
    std::abort();
  }
  return 0;
}
