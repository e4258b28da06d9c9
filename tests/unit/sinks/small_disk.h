// A file system that is full soon, where a database server sees it.
#pragma once

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <cstdlib>
#include <filesystem>
#include <string>

namespace presence::test {

/// Of so many bytes as text ("256k"), in the folder "disks" beside the test server's socket, which the server takes
/// tables in. The
/// server may live in another root and see other mounts than the test does, so it is mounted where the process of
/// PRESENCE_TEST_MYSQL_PID sees it. Needs root.
class SmallDisk {
 public:
  explicit SmallDisk(const std::string& size) {
    if (const char* socket = std::getenv("PRESENCE_TEST_MYSQL_SOCKET")) {
      folder_ = std::filesystem::path(socket).parent_path() / "disks/XXXXXX";
      if (mkdtemp(folder_.data()) == nullptr) {
        folder_.clear();
      }
    }
    mounted_ =
        seen_by_server([&](const char* place) { return mount("tmpfs", place, "tmpfs", 0, options(size).c_str()); });
  }
  ~SmallDisk() {
    seen_by_server([](const char* place) { return umount2(place, MNT_DETACH); });
    rmdir(folder_.c_str());
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  [[nodiscard]] const std::string& path() const { return folder_; }
  [[nodiscard]] bool mounted() const { return mounted_; }
  bool resize(const std::string& size) {
    return seen_by_server(
        [&](const char* place) { return mount("tmpfs", place, "tmpfs", MS_REMOUNT, options(size).c_str()); });
  }

 private:
  static std::string options(const std::string& size) { return "mode=0777,size=" + size; }

  /// Runs `act(place)`, 0 for success, in a child that has entered the server's mounts.
  template <class Act>
  bool seen_by_server(Act act) {
    const char* server = std::getenv("PRESENCE_TEST_MYSQL_PID");
    if (server == nullptr || folder_.empty()) {
      return false;
    }
    const std::string process = "/proc/" + std::string(server);
    const pid_t child = fork();
    if (child == 0) {
      const int mounts = ::open((process + "/ns/mnt").c_str(), O_RDONLY | O_CLOEXEC);
      if (mounts < 0 || setns(mounts, CLONE_NEWNS) != 0) {
        _exit(1);
      }
      std::array<char, PATH_MAX> root{};
      const ssize_t size = readlink((process + "/root").c_str(), root.data(), root.size());
      if (size <= 0) {
        _exit(1);
      }
      std::string place(root.data(), static_cast<std::size_t>(size));
      place = (place == "/" ? "" : place) + folder_;
      _exit(act(place.c_str()) == 0 ? 0 : 1);
    }
    int status = 0;
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }

  std::string folder_;
  bool mounted_ = false;
};

}  // namespace presence::test
