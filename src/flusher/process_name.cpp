#include "flusher/process_name.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>

#include "base/unique_fd.h"

namespace presence {
namespace {

struct MemoryRange {
  std::uintptr_t start = 0;
  std::uintptr_t end = 0;
};

/// Where the kernel reads the command line: fields 48 and 49 of /proc/self/stat, see proc(5).
std::optional<MemoryRange> command_line_memory() {
  constexpr int kArgStart = 48;
  const UniqueFd file{::open("/proc/self/stat", O_RDONLY | O_CLOEXEC)};
  std::array<char, 2048> bytes{};
  const ssize_t size = file ? read(file.get(), bytes.data(), bytes.size() - 1) : 0;
  const std::string text(bytes.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  // The second field is the name in brackets, which may hold spaces and brackets itself.
  std::size_t at = text.rfind(") ");
  for (int field = 2; field < kArgStart && at != std::string::npos; ++field) {
    at = text.find(' ', at + 1);
  }
  if (at == std::string::npos) {
    return std::nullopt;
  }
  char* next = nullptr;
  MemoryRange range;
  range.start = std::strtoull(text.c_str() + at, &next, 10);
  range.end = std::strtoull(next, nullptr, 10);
  return range.start != 0 && range.end > range.start ? std::optional(range) : std::nullopt;
}

}  // namespace

void name_process(std::string_view name) {
  prctl(PR_SET_NAME, std::string(name).c_str());
  const std::optional<MemoryRange> memory = command_line_memory();
  if (!memory) {
    return;
  }
  // Ends with NUL: otherwise the kernel takes the environment for a part of it.
  std::string line(memory->end - memory->start, '\0');
  std::copy_n(name.begin(), std::min(name.size(), line.size() - 1), line.begin());
  const iovec from{line.data(), line.size()};
  const iovec to{reinterpret_cast<void*>(memory->start), line.size()};
  // Not by plain stores: the kernel answers with an error where there is no such memory, or it is not to be written to.
  static_cast<void>(process_vm_writev(getpid(), &from, 1, &to, 1, 0));
}

}  // namespace presence
