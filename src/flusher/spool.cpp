#include "flusher/spool.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <memory>
#include <tuple>

#include "base/sha256.h"
#include "base/stop_points.h"
#include "base/unique_fd.h"
#include "flusher/batch_format.h"
#include "segment/file_lock.h"

namespace presence {
namespace {

constexpr std::string_view kSuffix = ".batch";
constexpr std::string_view kAttemptSuffix = ".attempt";
constexpr std::size_t kHexId = 32;
constexpr std::size_t kHexNumber = 16;
constexpr std::size_t kBaseName = 2 * kHexId + kHexNumber + 2;
constexpr std::uint64_t kBlock = 4096;
constexpr UnixTime kYoung = 60;

Error io_error(const std::string& what, int error) {
  const bool full = error == ENOSPC || error == EDQUOT;
  return {full ? ErrorCode::no_space : ErrorCode::unavailable, what + ": " + std::strerror(error)};
}

bool is_hex(std::string_view text) { return text.find_first_not_of("0123456789abcdef") == std::string_view::npos; }

Status write_all(int fd, std::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR) {
      return io_error("cannot write " + path, errno);
    }
    if (written > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(written));
    }
  }
  return {};
}

/// Writes and syncs an open file. `name` is for messages.
Status fill(int fd, std::string_view bytes, const std::string& name, Survives what = Survives::power_cuts) {
  if (Status written = write_all(fd, bytes, name); !written) {
    return written;
  }
  stop_point("spool.written");
  if (what == Survives::power_cuts && fsync(fd) != 0) {
    return io_error("cannot sync " + name, errno);
  }
  stop_point("spool.synced");
  return {};
}

Status write_file(const std::string& path, std::string_view bytes, Survives what = Survives::power_cuts) {
  UniqueFd fd{::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600)};
  if (!fd) {
    return io_error("cannot create " + path, errno);
  }
  return fill(fd.get(), bytes, path, what);
}

/// Writes a file that gets its name when it is whole and synced, so that a kill leaves nothing behind. Succeeds if a
/// file of that name is there already. None where the file system has no unnamed files.
std::optional<Status> create_whole(const std::string& folder, const std::string& path, std::string_view bytes,
                                   Survives what) {
  UniqueFd fd{::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600)};
  if (!fd) {
    return std::nullopt;
  }
  if (Status filled = fill(fd.get(), bytes, path, what); !filled) {
    return filled;
  }
  const std::string self = "/proc/self/fd/" + std::to_string(fd.get());
  if (linkat(AT_FDCWD, self.c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW) != 0 && errno != EEXIST) {
    return std::nullopt;
  }
  return Status{};
}

/// The same by a second name. What a kill leaves under that is overwritten when the same is written again.
Status create_renamed(const std::string& unfinished, const std::string& path, std::string_view bytes,
                      Survives what = Survives::power_cuts) {
  if (Status written = write_file(unfinished, bytes, what); !written) {
    unlink(unfinished.c_str());
    return written;
  }
  if (rename(unfinished.c_str(), path.c_str()) != 0) {
    return io_error("cannot rename " + unfinished, errno);
  }
  return {};
}

Status sync_folder(const std::string& path) {
  UniqueFd fd{::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (!fd || fsync(fd.get()) != 0) {
    return io_error("cannot sync " + path, errno);
  }
  return {};
}

Result<std::string> read_all(const std::string& path) {
  UniqueFd fd{::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC)};
  if (!fd) {
    return io_error("cannot open " + path, errno);
  }
  std::string bytes;
  std::array<char, 65536> chunk;
  for (;;) {
    const ssize_t got = read(fd.get(), chunk.data(), chunk.size());
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got < 0) {
      return io_error("cannot read " + path, errno);
    }
    if (got == 0) {
      return bytes;
    }
    bytes.append(chunk.data(), static_cast<std::size_t>(got));
  }
}

std::uint64_t on_disk(std::uint64_t bytes) { return (bytes + kBlock - 1) / kBlock * kBlock; }

/// What all files of a batch begin with.
std::string base_name(const SpoolEntry& entry) {
  std::array<char, kHexNumber + 1> number{};
  std::snprintf(number.data(), number.size(), "%016llx", static_cast<unsigned long long>(entry.id.number));
  return entry.id.source + "-" + number.data() + "-" + entry.fingerprint;
}

std::string file_name(const SpoolEntry& entry) { return base_name(entry) + std::string(kSuffix); }

std::string_view suffix_of(Beside kind) {
  switch (kind) {
    case Beside::attempt: return kAttemptSuffix;
    case Beside::refused: return ".refused.jsonl";
    case Beside::doubtful: return ".doubtful.jsonl";
  }
  return {};
}

/// Calls `visit(name)` for each file in the folder.
template <class Visit>
Status for_each_file(const std::string& path, Visit&& visit) {
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir(path.c_str()), closedir);
  if (!folder) {
    return io_error("cannot list " + path, errno);
  }
  while (const dirent* file = readdir(folder.get())) {
    visit(file->d_name, dirfd(folder.get()));
  }
  return {};
}

std::optional<SpoolEntry> parse_file_name(std::string_view name) {
  if (name.size() != kBaseName + kSuffix.size() || !name.ends_with(kSuffix)) {
    return std::nullopt;
  }
  const std::string_view source = name.substr(0, kHexId);
  const std::string_view number = name.substr(kHexId + 1, kHexNumber);
  const std::string_view fingerprint = name.substr(kHexId + kHexNumber + 2, kHexId);
  if (!is_hex(source) || !is_hex(number) || !is_hex(fingerprint)) {
    return std::nullopt;
  }
  SpoolEntry entry{{std::string(source), 0}, std::string(fingerprint), 0, 0};
  std::from_chars(number.data(), number.data() + number.size(), entry.id.number, 16);
  return entry;
}

}  // namespace

BatchId ledger_id(const SpoolEntry& entry) {
  return {sha256_hex(entry.id.source + "-" + entry.fingerprint, kHexId), entry.id.number};
}

Status make_private_folder(const std::string& path) {
  if (mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) {
    return io_error("cannot create the folder " + path, errno);
  }
  struct stat status {};
  if (lstat(path.c_str(), &status) != 0) {
    return io_error("cannot use the folder " + path, errno);
  }
  if (!S_ISDIR(status.st_mode) || status.st_uid != geteuid() || (status.st_mode & 022) != 0) {
    return Error{ErrorCode::unavailable,
                 path + " is not used: it must be a folder of this user that nobody else may write to"};
  }
  return {};
}

std::string spool_folder(const std::string& data_dir) { return data_dir + "/spool"; }

Result<Spool> Spool::open(const std::string& data_dir) {
  const std::string folder = spool_folder(data_dir);
  if (Status made = make_private_folder(data_dir); !made) {
    return std::move(made).error();
  }
  if (Status made = make_private_folder(folder); !made) {
    return std::move(made).error();
  }
  return Spool(folder);
}

SpoolUsage usage_of(std::span<const SpoolEntry> entries) {
  SpoolUsage usage;
  for (const SpoolEntry& entry : entries) {
    usage.bytes += entry.bytes;
    ++usage.batches;
    usage.oldest = usage.oldest == 0 ? entry.stored : std::min(usage.oldest, entry.stored);
  }
  return usage;
}

std::string Spool::path_of(const SpoolEntry& entry) const { return folder_ + "/" + file_name(entry); }

std::string Spool::path_of(const SpoolEntry& entry, Beside kind) const {
  return (kind == Beside::attempt ? folder_ : folder_aside()) + "/" + base_name(entry) + std::string(suffix_of(kind));
}

Result<std::uint64_t> Spool::put(const SpoolEntry& entry, std::span<const CounterRow> rows, std::uint64_t room,
                                 Survives what) const {
  const std::string path = path_of(entry);
  if (access(path.c_str(), F_OK) == 0) {
    return std::uint64_t{0};
  }
  const std::string bytes = encode_batch(rows);
  if (on_disk(bytes.size()) > room) {
    return Error{ErrorCode::no_space, "what waits in " + folder_ + " has reached presence.spool_max"};
  }
  std::optional<Status> created = create_whole(folder_, path, bytes, what);
  if (!created) {
    // One process at a time writes for a source, so this name cannot clash.
    created = create_renamed(folder_ + "/unfinished-" + entry.id.source, path, bytes, what);
  }
  if (!*created) {
    return std::move(*created).error();
  }
  stop_point("spool.named");
  if (what == Survives::power_cuts) {
    if (Status synced = sync_folder(folder_); !synced) {
      return std::move(synced).error();
    }
  }
  return on_disk(bytes.size());
}

std::optional<UniqueFd> Spool::lock_for_sending() const {
  UniqueFd fd{::open((folder_ + "/lock").c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600)};
  if (!fd || !file_lock::try_acquire(fd.get(), LockByte::flush)) {
    return std::nullopt;
  }
  return fd;
}

Result<std::vector<SpoolEntry>> Spool::list() const {
  std::vector<SpoolEntry> entries;
  Status listed = for_each_file(folder_, [&](const char* name, int folder) {
    std::optional<SpoolEntry> entry = parse_file_name(name);
    struct stat status {};
    // One that is gone by now has been sent in between.
    if (entry && fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0) {
      entry->bytes = on_disk(static_cast<std::uint64_t>(status.st_size));
      entry->stored = status.st_mtim.tv_sec;
      entries.push_back(std::move(*entry));
    }
  });
  if (!listed) {
    return std::move(listed).error();
  }
  std::sort(entries.begin(), entries.end(), [](const SpoolEntry& a, const SpoolEntry& b) {
    return std::tie(a.fingerprint, a.id.source, a.id.number) < std::tie(b.fingerprint, b.id.source, b.id.number);
  });
  return entries;
}

Result<std::vector<CounterRow>> Spool::load(const SpoolEntry& entry) const {
  Result<std::string> bytes = read_all(path_of(entry));
  if (!bytes) {
    return std::move(bytes).error();
  }
  return decode_batch(*bytes);
}

Status Spool::remove(const SpoolEntry& entry) const {
  const std::string path = path_of(entry);
  if (unlink(path.c_str()) != 0 && errno != ENOENT) {
    return io_error("cannot remove " + path, errno);
  }
  stop_point("spool.removed");
  // In this order: a batch without its attempt would be sent again.
  return remove_beside(entry, Beside::attempt);
}

void Spool::remove_orphans() const {
  std::vector<std::string> orphans;
  const Status listed = for_each_file(folder_, [&](std::string_view name, int folder) {
    if (name.size() <= kBaseName || !name.substr(kBaseName).starts_with(kAttemptSuffix)) {
      return;
    }
    const std::string batch = std::string(name.substr(0, kBaseName)) + std::string(kSuffix);
    struct stat status {};
    // A young one may be from somebody who is about to put its batch.
    if (faccessat(folder, batch.c_str(), F_OK, AT_SYMLINK_NOFOLLOW) != 0 && errno == ENOENT &&
        fstatat(folder, std::string(name).c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 &&
        clock::now() - status.st_mtim.tv_sec > kYoung) {
      orphans.push_back(folder_ + "/" + std::string(name));
    }
  });
  for (const std::string& path : orphans) {
    unlink(path.c_str());
  }
  static_cast<void>(listed.ok());
}

Status Spool::write_beside(const SpoolEntry& entry, Beside kind, std::string_view bytes) const {
  const std::string folder = kind == Beside::attempt ? folder_ : folder_aside();
  if (kind != Beside::attempt) {
    if (Status made = make_private_folder(folder); !made) {
      return made;
    }
  }
  const std::string path = path_of(entry, kind);
  Status written = create_renamed(path + ".unfinished", path, bytes);
  return written ? sync_folder(folder) : std::move(written);
}

Result<std::optional<std::string>> Spool::read_beside(const SpoolEntry& entry, Beside kind) const {
  const std::string path = path_of(entry, kind);
  if (access(path.c_str(), F_OK) != 0 && errno == ENOENT) {
    return std::optional<std::string>();
  }
  Result<std::string> bytes = read_all(path);
  return bytes ? Result<std::optional<std::string>>(std::move(*bytes)) : std::move(bytes).error();
}

Status Spool::remove_beside(const SpoolEntry& entry, Beside kind) const {
  const std::string path = path_of(entry, kind);
  if (unlink(path.c_str()) != 0 && errno != ENOENT) {
    return io_error("cannot remove " + path, errno);
  }
  return {};
}

std::uint64_t Spool::bytes_set_aside() const {
  std::uint64_t bytes = 0;
  const Status listed = for_each_file(folder_aside(), [&](const char* name, int folder) {
    struct stat status {};
    if (fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(status.st_mode)) {
      bytes += on_disk(static_cast<std::uint64_t>(status.st_size));
    }
  });
  static_cast<void>(listed.ok());  // Nothing was ever set aside.
  return bytes;
}

Status Spool::set_aside(const SpoolEntry& entry, std::string_view reason) const {
  const std::string aside = folder_aside();
  if (Status made = make_private_folder(aside); !made) {
    return made;
  }
  const std::string target = aside + "/" + file_name(entry);
  if (Status written = write_file(target + ".reason", std::string(reason) + "\n"); !written) {
    return written;
  }
  if (rename(path_of(entry).c_str(), target.c_str()) != 0) {
    return io_error("cannot move a batch to " + aside, errno);
  }
  return sync_folder(aside);
}

}  // namespace presence
