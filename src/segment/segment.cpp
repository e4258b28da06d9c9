#include "segment/segment.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>
#include <string_view>

#include "base/hash.h"
#include "base/stop_points.h"
#include "segment/file_lock.h"
#include "segment/layout.h"

namespace presence {
namespace {

constexpr int kAttempts = 8;

/// What became of one look at the path.
enum class Verdict { good, missing, unusable, foreign };

std::string errno_text(int error) { return std::strerror(error); }

std::uint64_t round_up_to_page(std::uint64_t size) { return (size + kSegmentPage - 1) / kSegmentPage * kSegmentPage; }

std::uint64_t checksum_of(const SegmentHeader& header) {
  return hash_bytes({reinterpret_cast<const char*>(&header), offsetof(SegmentHeader, checksum)}, 0);
}

SegmentHeader make_header(std::span<const SectionSpec> specs) {
  SegmentHeader header;
  std::memset(&header, 0, sizeof header);  // padding too: the checksum covers it
  header.magic = kSegmentMagic;
  header.layout_version = kSegmentLayoutVersion;
  header.section_count = static_cast<std::uint32_t>(specs.size());
  std::uint64_t offset = kSegmentPage;
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const std::uint64_t size = round_up_to_page(specs[i].size);
    header.sections[i] = {static_cast<std::uint32_t>(specs[i].id), specs[i].version, offset, size};
    offset += size;
  }
  header.file_size = offset;
  std::array<std::uint64_t, 3> random{};
  if (getrandom(random.data(), sizeof random, 0) != static_cast<ssize_t>(sizeof random)) {
    random = {reinterpret_cast<std::uintptr_t>(&header), static_cast<std::uint64_t>(getpid()), offset};
  }
  header.seed = random[0];
  header.identity = {random[1], random[2]};
  header.checksum = checksum_of(header);
  return header;
}

/// What is wrong with a header for this build; empty if nothing is. Sizes may differ from the specs, versions may not.
std::string_view fault_of(const SegmentHeader& header, std::uint64_t file_size, std::span<const SectionSpec> specs) {
  if (header.magic != kSegmentMagic) {
    return "it is not a presence segment";
  }
  if (header.layout_version != kSegmentLayoutVersion) {
    return "it has the layout of another version";
  }
  if (header.checksum != checksum_of(header)) {
    return "its header is damaged";
  }
  if (header.file_size != file_size) {
    return file_size < header.file_size ? "it is cut short" : "it is longer than it was made";
  }
  if (header.section_count != specs.size()) {
    return "it has the layout of another version";
  }
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const SectionEntry& entry = header.sections[i];
    if (entry.id != static_cast<std::uint32_t>(specs[i].id) || entry.version != specs[i].version) {
      return "it has the layout of another version";
    }
    if (entry.offset % kSegmentPage != 0 || entry.offset > file_size || entry.size > file_size - entry.offset) {
      return "its header is damaged";
    }
  }
  return {};
}

std::byte* map(int fd, std::size_t size) {
  void* base = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  return base == MAP_FAILED ? nullptr : static_cast<std::byte*>(base);
}

/// A mapped file that is not yet a Segment.
struct Mapping {
  UniqueFd fd;
  std::byte* base = nullptr;
  SegmentHeader header{};
};

struct Look {
  Verdict verdict;
  std::string why;
  Mapping mapping;
};

/// Opens and judges what is at the path now.
Look look_at(const std::string& path, std::span<const SectionSpec> specs) {
  UniqueFd fd{::open(path.c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)};
  if (!fd) {
    if (errno == ENOENT) {
      return {Verdict::missing, {}, {}};
    }
    return {Verdict::foreign, errno == ELOOP ? "it is a symbolic link" : errno_text(errno), {}};
  }
  struct stat status {};
  if (fstat(fd.get(), &status) != 0 || !S_ISREG(status.st_mode)) {
    return {Verdict::foreign, "it is not a regular file", {}};
  }
  if (status.st_uid != geteuid()) {
    return {Verdict::foreign, "it belongs to another user", {}};
  }
  if ((status.st_mode & 077) != 0) {
    return {Verdict::foreign, "other users may open it; its mode must be 0600", {}};
  }
  const auto size = static_cast<std::uint64_t>(status.st_size);
  SegmentHeader header;
  if (pread(fd.get(), &header, sizeof header, 0) != static_cast<ssize_t>(sizeof header)) {
    return {Verdict::unusable, "it is cut short", {std::move(fd), nullptr, {}}};
  }
  if (const std::string_view fault = fault_of(header, size, specs); !fault.empty()) {
    return {Verdict::unusable, std::string(fault), {std::move(fd), nullptr, {}}};
  }
  std::byte* base = map(fd.get(), size);
  if (base == nullptr) {
    return {Verdict::foreign, "it cannot be mapped: " + errno_text(errno), {}};
  }
  return {Verdict::good, {}, {std::move(fd), base, header}};
}

/// Makes a file that has no name yet, whole and reserved, so that nobody ever sees half a segment and a kill leaves
/// nothing behind.
Result<Mapping> make_unnamed(const std::string& path, std::span<const SectionSpec> specs) {
  const std::size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
  UniqueFd fd{::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600)};
  if (!fd) {
    return Error{ErrorCode::unavailable, "cannot create a file in " + folder + ": " + errno_text(errno)};
  }
  const SegmentHeader header = make_header(specs);
  if (const int error = posix_fallocate(fd.get(), 0, static_cast<off_t>(header.file_size)); error != 0) {
    return Error{ErrorCode::no_space, "cannot reserve " + std::to_string(header.file_size) + " bytes in " + folder +
                                          ": " + errno_text(error) +
                                          "; free some, or lower presence.max_series and presence.max_visitors"};
  }
  stop_point("segment.reserved");
  std::byte* base = map(fd.get(), header.file_size);
  if (base == nullptr) {
    return Error{ErrorCode::unavailable, "cannot map a file in " + folder + ": " + errno_text(errno)};
  }
  for (std::size_t i = 0; i < specs.size(); ++i) {
    if (specs[i].format) {
      specs[i].format({base + header.sections[i].offset, header.sections[i].size});
    }
  }
  stop_point("segment.formatted");
  std::memcpy(base, &header, sizeof header);
  stop_point("segment.complete");
  return Mapping{std::move(fd), base, header};
}

/// Gives the file its name. False with errno EEXIST if another process was first.
bool give_name(int fd, const std::string& path) {
  const std::string self = "/proc/self/fd/" + std::to_string(fd);
  return linkat(AT_FDCWD, self.c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW) == 0;
}

/// Takes an unusable file out of its path, unless somebody else already did: the lock on the judged file lets one
/// process at a time compare and unlink.
void take_out(const std::string& path, int judged) {
  if (!file_lock::try_acquire(judged, LockByte::replace)) {
    return;
  }
  struct stat ours {};
  struct stat named {};
  if (fstat(judged, &ours) == 0 && lstat(path.c_str(), &named) == 0 && ours.st_ino == named.st_ino &&
      ours.st_dev == named.st_dev) {
    stop_point("segment.judged");
    unlink(path.c_str());
    stop_point("segment.taken_out");
  }
}

}  // namespace

Segment::Segment(std::string path, UniqueFd fd, std::byte* base, const SegmentHeader& header)
    : path_(std::move(path)), fd_(std::move(fd)), base_(base), header_(header) {}

Segment::Segment(Segment&& other) noexcept
    : path_(std::move(other.path_)),
      fd_(std::move(other.fd_)),
      base_(std::exchange(other.base_, nullptr)),
      header_(other.header_) {}

Segment::~Segment() {
  if (base_ != nullptr) {
    munmap(base_, header_.file_size);
  }
}

std::uint64_t Segment::size_of(std::span<const SectionSpec> specs) {
  std::uint64_t size = kSegmentPage;
  for (const SectionSpec& spec : specs) {
    size += round_up_to_page(spec.size);
  }
  return size;
}

Result<Segment::Opened> Segment::open(const SegmentOptions& options, std::span<const SectionSpec> specs) {
  const std::string& path = options.path;
  std::string warning;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    Look look = look_at(path, specs);
    switch (look.verdict) {
      case Verdict::good:
        return Opened{Segment(path, std::move(look.mapping.fd), look.mapping.base, look.mapping.header), warning};
      case Verdict::foreign: return Error{ErrorCode::damaged, "the segment " + path + " is not used: " + look.why};
      case Verdict::unusable:
        take_out(path, look.mapping.fd.get());
        warning = "the segment " + path + " was replaced by a new one: " + look.why;
        break;
      case Verdict::missing: {
        Result<Mapping> made = make_unnamed(path, specs);
        if (!made) {
          return std::move(made).error();
        }
        const bool named = give_name(made->fd.get(), path);
        const int error = errno;
        stop_point("segment.named");
        Segment segment(path, std::move(made->fd), made->base, made->header);
        if (named) {
          return Opened{std::move(segment), warning};
        }
        if (error != EEXIST) {
          return Error{ErrorCode::unavailable, "cannot create the segment " + path + ": " + errno_text(error)};
        }
        break;
      }
    }
  }
  return Error{ErrorCode::unavailable, "the segment " + path + " keeps changing; is another program writing there?"};
}

std::span<std::byte> Segment::section(SectionId id) const {
  for (const SectionEntry& entry : header_.sections) {
    if (entry.id == static_cast<std::uint32_t>(id)) {
      return {base_ + entry.offset, entry.size};
    }
  }
  return {};
}

std::string Segment::identity() const {
  std::array<char, 33> text{};
  std::snprintf(text.data(), text.size(), "%016llx%016llx", static_cast<unsigned long long>(header_.identity[0]),
                static_cast<unsigned long long>(header_.identity[1]));
  return text.data();
}

std::uint64_t Segment::seed() const { return header_.seed; }

Result<UniqueFd> Segment::reopen() const {
  // By the descriptor, not by the path: the path may name another file by now.
  const std::string self = "/proc/self/fd/" + std::to_string(fd_.get());
  UniqueFd fd{::open(self.c_str(), O_RDWR | O_CLOEXEC)};
  if (!fd) {
    return Error{ErrorCode::unavailable, "cannot reopen the segment " + path_ + ": " + errno_text(errno)};
  }
  return fd;
}

std::uint32_t Segment::layout_version() { return kSegmentLayoutVersion; }

}  // namespace presence
