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
constexpr std::size_t kHexId = 32;
constexpr std::size_t kHexNumber = 16;

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
Status fill(int fd, std::string_view bytes, const std::string& name) {
  if (Status written = write_all(fd, bytes, name); !written) {
    return written;
  }
  stop_point("spool.written");
  if (fsync(fd) != 0) {
    return io_error("cannot sync " + name, errno);
  }
  stop_point("spool.synced");
  return {};
}

Status write_synced(const std::string& path, std::string_view bytes) {
  UniqueFd fd{::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600)};
  if (!fd) {
    return io_error("cannot create " + path, errno);
  }
  return fill(fd.get(), bytes, path);
}

/// Writes a file that gets its name when it is whole and synced, so that a kill leaves nothing behind. Succeeds if a file of
/// that name is there already. None where the file system has no unnamed files.
std::optional<Status> create_whole(const std::string& folder, const std::string& path, std::string_view bytes) {
  UniqueFd fd{::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600)};
  if (!fd) {
    return std::nullopt;
  }
  if (Status filled = fill(fd.get(), bytes, path); !filled) {
    return filled;
  }
  const std::string self = "/proc/self/fd/" + std::to_string(fd.get());
  if (linkat(AT_FDCWD, self.c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW) != 0 && errno != EEXIST) {
    return std::nullopt;
  }
  return Status{};
}

/// The same by a second name. What a kill leaves under that is overwritten when the same is written again.
Status create_renamed(const std::string& unfinished, const std::string& path, std::string_view bytes) {
  if (Status written = write_synced(unfinished, bytes); !written) {
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

std::string file_name(const SpoolEntry& entry) {
  std::array<char, kHexNumber + 1> number{};
  std::snprintf(number.data(), number.size(), "%016llx", static_cast<unsigned long long>(entry.id.number));
  return entry.id.source + "-" + number.data() + "-" + entry.fingerprint + std::string(kSuffix);
}

std::optional<SpoolEntry> parse_file_name(std::string_view name) {
  if (name.size() != 2 * kHexId + kHexNumber + 2 + kSuffix.size() || !name.ends_with(kSuffix)) {
    return std::nullopt;
  }
  const std::string_view source = name.substr(0, kHexId);
  const std::string_view number = name.substr(kHexId + 1, kHexNumber);
  const std::string_view fingerprint = name.substr(kHexId + kHexNumber + 2, kHexId);
  if (!is_hex(source) || !is_hex(number) || !is_hex(fingerprint)) {
    return std::nullopt;
  }
  SpoolEntry entry{{std::string(source), 0}, std::string(fingerprint)};
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
    return Error{ErrorCode::unavailable, path + " is not used: it must be a folder of this user that nobody else may write to"};
  }
  return {};
}

Result<Spool> Spool::open(const std::string& data_dir) {
  const std::string folder = data_dir + "/spool";
  if (Status made = make_private_folder(data_dir); !made) {
    return std::move(made).error();
  }
  if (Status made = make_private_folder(folder); !made) {
    return std::move(made).error();
  }
  return Spool(folder);
}

std::string Spool::path_of(const SpoolEntry& entry) const { return folder_ + "/" + file_name(entry); }

Status Spool::put(const SpoolEntry& entry, std::span<const CounterRow> rows) const {
  const std::string path = path_of(entry);
  if (access(path.c_str(), F_OK) == 0) {
    return {};
  }
  const std::string bytes = encode_batch(rows);
  std::optional<Status> created = create_whole(folder_, path, bytes);
  if (!created) {
    // One process at a time writes for a source, so this name cannot clash.
    created = create_renamed(folder_ + "/unfinished-" + entry.id.source, path, bytes);
  }
  if (!*created) {
    return *created;
  }
  stop_point("spool.named");
  return sync_folder(folder_);
}

std::optional<UniqueFd> Spool::lock_for_sending() const {
  UniqueFd fd{::open((folder_ + "/lock").c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600)};
  if (!fd || !file_lock::try_acquire(fd.get(), LockByte::flush)) {
    return std::nullopt;
  }
  return fd;
}

Result<std::vector<SpoolEntry>> Spool::list() const {
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir(folder_.c_str()), closedir);
  if (!folder) {
    return io_error("cannot list " + folder_, errno);
  }
  std::vector<SpoolEntry> entries;
  while (const dirent* file = readdir(folder.get())) {
    if (std::optional<SpoolEntry> entry = parse_file_name(file->d_name)) {
      entries.push_back(std::move(*entry));
    }
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
  return {};
}

Status Spool::set_aside(const SpoolEntry& entry, std::string_view reason) const {
  const std::string aside = folder_ + "/set-aside";
  if (Status made = make_private_folder(aside); !made) {
    return made;
  }
  const std::string target = aside + "/" + file_name(entry);
  if (Status written = write_synced(target + ".reason", std::string(reason) + "\n"); !written) {
    return written;
  }
  if (rename(path_of(entry).c_str(), target.c_str()) != 0) {
    return io_error("cannot move a batch to " + aside, errno);
  }
  return sync_folder(aside);
}

}  // namespace presence
