// Redis servers of a test's own: to be stopped, frozen, restarted and locked up.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <hiredis/hiredis.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/unique_fd.h"
#include "unit/temp_folder.h"

namespace presence::test {

/// An answer to an administrator's command.
struct Answer {
  int type = REDIS_REPLY_NIL;
  long long integer = 0;
  std::string text;
  std::vector<std::string> elements;
};

/// An administrator's way to a server, apart from the code under test.
class RedisAdmin {
 public:
  explicit RedisAdmin(const std::string& socket) : context_(redisConnectUnix(socket.c_str()), redisFree) {}
  RedisAdmin(const std::string& host, int port) : context_(redisConnect(host.c_str(), port), redisFree) {}

  [[nodiscard]] bool connected() const { return context_ && context_->err == 0; }

  Answer operator()(const std::vector<std::string>& words) {
    std::vector<const char*> texts;
    std::vector<std::size_t> sizes;
    for (const std::string& word : words) {
      texts.push_back(word.data());
      sizes.push_back(word.size());
    }
    const std::unique_ptr<redisReply, void (*)(void*)> reply(
        static_cast<redisReply*>(
            redisCommandArgv(context_.get(), static_cast<int>(words.size()), texts.data(), sizes.data())),
        freeReplyObject);
    Answer answer;
    if (!reply) {
      ADD_FAILURE() << words[0] << ": " << context_->errstr;
      return answer;
    }
    answer.type = reply->type;
    answer.integer = reply->integer;
    answer.text = reply->str == nullptr ? "" : std::string(reply->str, reply->len);
    for (std::size_t i = 0; reply->type == REDIS_REPLY_ARRAY && i < reply->elements; ++i) {
      const redisReply& element = *reply->element[i];
      answer.elements.push_back(element.str == nullptr ? "" : std::string(element.str, element.len));
    }
    return answer;
  }

  /// Splits at spaces.
  Answer operator()(const std::string& line) {
    std::vector<std::string> words;
    for (std::size_t at = 0; at < line.size();) {
      const std::size_t end = std::min(line.find(' ', at), line.size());
      words.push_back(line.substr(at, end - at));
      at = end + 1;
    }
    return (*this)(words);
  }

 private:
  std::unique_ptr<redisContext, void (*)(redisContext*)> context_;
};

/// Starts redis-server with those words on its command line.
inline pid_t spawn_redis(std::vector<std::string> words) {
  const char* program = std::getenv("PRESENCE_TEST_REDIS_PROGRAM");
  words.insert(words.begin(), program == nullptr ? "redis-server" : program);
  const pid_t pid = fork();
  if (pid == 0) {
    std::vector<char*> arguments;
    for (std::string& word : words) {
      arguments.push_back(word.data());
    }
    arguments.push_back(nullptr);
    execvp(arguments[0], arguments.data());
    _exit(127);
  }
  return pid;
}

/// Whether it comes true within half a minute.
inline bool eventually(const std::function<bool()>& condition) {
  const double deadline = clock::monotonic() + 30;
  while (!condition()) {
    if (clock::monotonic() >= deadline) {
      return false;
    }
    usleep(20'000);
  }
  return true;
}

/// A loopback port below 32768 that was free a moment ago, as was the one 10000 above it.
inline int free_port() {
  while (true) {
    const int port = 20000 + static_cast<int>((static_cast<long>(clock::monotonic() * 1e6) + getpid()) % 12000);
    bool free = true;
    for (const int one : {port, port + 10000}) {
      sockaddr_in address{};
      address.sin_family = AF_INET;
      address.sin_port = htons(static_cast<std::uint16_t>(one));
      address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
      const UniqueFd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
      free = free && bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
    }
    if (free) {
      return port;
    }
  }
}

/// The path of a file among the certificates of script/with-redis: ca.pem, wrong-ca.pem, server.pem, server.key.
inline std::string certificate(const std::string& file) {
  const char* folder = std::getenv("PRESENCE_TEST_REDIS_CERTIFICATES");
  return (folder == nullptr ? "" : std::string(folder)) + "/" + file;
}

/// Words for the command line of a server that shows its certificate; and wants one of its clients if `mutual`.
inline std::vector<std::string> tls_options(bool mutual = false) {
  return {"--tls-cert-file",    certificate("server.pem"), "--tls-key-file",     certificate("server.key"),
          "--tls-ca-cert-file", certificate("ca.pem"),     "--tls-auth-clients", mutual ? "yes" : "no"};
}

/// A server on a Unix socket and, if asked, a loopback port; ends with the test.
class RedisProcess {
 public:
  explicit RedisProcess(std::vector<std::string> options = {}) : options_(std::move(options)) { start(); }
  ~RedisProcess() { kill(); }
  RedisProcess(const RedisProcess&) = delete;
  RedisProcess& operator=(const RedisProcess&) = delete;

  [[nodiscard]] std::string socket() const { return folder_.path() + "/sock"; }
  [[nodiscard]] std::string dsn(const std::string& login = "", const std::string& options = "") const {
    return "redis+unix://" + login + socket() + options;
  }
  [[nodiscard]] const std::string& folder() const { return folder_.path(); }
  [[nodiscard]] RedisAdmin admin() const { return RedisAdmin(socket()); }

  /// Stands still: takes bytes and answers nothing.
  void freeze() const { ::kill(pid_, SIGSTOP); }
  void thaw() const { ::kill(pid_, SIGCONT); }

  void kill() {
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      waitpid(pid_, nullptr, 0);
      pid_ = -1;
    }
  }

  void start() {
    std::vector<std::string> words{
        "--port", "0",         "--unixsocket",         socket(), "--dir", folder_.path(), "--save",
        "",       "--logfile", folder_.path() + "/log"};
    words.insert(words.end(), options_.begin(), options_.end());
    unlink(socket().c_str());
    pid_ = spawn_redis(std::move(words));
    EXPECT_TRUE(eventually([this] { return access(socket().c_str(), F_OK) == 0 && admin().connected(); }))
        << "redis-server does not start; on Debian: apt install redis-server";
  }

 private:
  TempFolder folder_;
  std::vector<std::string> options_;
  pid_t pid_ = -1;
};

}  // namespace presence::test
