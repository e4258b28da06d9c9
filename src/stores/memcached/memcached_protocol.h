// Memcached's text protocol: commands put into words, and replies read as they come in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace presence {

/// What a server said about one key or command.
struct MemcachedReply {
  enum class Kind {
    none,        ///< Nothing so far.
    value,       ///< `data` with its flags and CAS id.
    missing,     ///< There is no such key.
    done,        ///< Stored or deleted.
    not_stored,  ///< To an add: there is such a key.
    changed,     ///< To a cas: somebody else changed the value meanwhile.
    number,      ///< The new value of a counter, as `number`.
    refused,     ///< The server said why not, in `data`; the connection is sound.
  };

  Kind kind = Kind::none;
  std::uint32_t flags = 0;
  std::uint64_t cas = 0;
  std::uint64_t number = 0;
  std::string data;
};

/// Commands that are sent together: to each server at once, and answered in one round trip. Each returns the index of
/// its reply. Keys: 1 to 250 bytes without spaces and control characters. `ttl`: see memcached_ttl().
class MemcachedBatch {
 public:
  enum class Verb { get, line, quiet };
  struct Command {
    Verb verb;
    std::string key;
    std::string text;  ///< What is sent; of a get nothing, as those of one server are sent as one.
    bool optional = false;
  };

  std::size_t get(std::string_view key);
  std::size_t add(std::string_view key, std::uint32_t flags, std::int64_t ttl, std::string_view data);
  std::size_t set(std::string_view key, std::uint32_t flags, std::int64_t ttl, std::string_view data);
  /// Stores if the value is still the one that `cas` was read with, on the same connection.
  std::size_t cas(std::string_view key, std::uint32_t flags, std::int64_t ttl, std::string_view data,
                  std::uint64_t cas);
  std::size_t remove(std::string_view key);
  /// Changes a counter, if there is one; below zero it stays at zero.
  std::size_t change(std::string_view key, std::int64_t by);
  /// The same without a reply: it costs no waiting, and nobody learns whether it was done.
  void change_quietly(std::string_view key, std::int64_t by);

  /// The batch does not fail because the command's server is down: then there is no reply to it.
  void make_optional(std::size_t index) { commands_[index].optional = true; }

  [[nodiscard]] bool empty() const { return commands_.empty(); }
  [[nodiscard]] const std::vector<Command>& commands() const { return commands_; }
  [[nodiscard]] MemcachedReply& reply(std::size_t index) { return replies_[index]; }

 private:
  std::size_t push(Verb verb, std::string_view key, std::string text);
  std::size_t store(std::string_view verb, std::string_view key, std::uint32_t flags, std::int64_t ttl,
                    std::string_view data, std::string_view end);

  std::vector<Command> commands_;
  std::vector<MemcachedReply> replies_;
};

/// The commands of a batch that go to one server, and where its replies go.
class MemcachedConversation {
 public:
  /// `indexes`: of those commands, in order. The batch must outlive the conversation.
  MemcachedConversation(MemcachedBatch& batch, std::span<const std::size_t> indexes);

  /// What has to be sent.
  [[nodiscard]] const std::string& request() const { return request_; }
  /// Takes what came in; `bytes` may end anywhere. Returns how many bytes of it were used; the rest must be handed in
  /// again, with more. Error: damaged if that is not what a Memcached server says here; then the connection is of no
  /// use any more. Memory: no more than what came in.
  Result<std::size_t> take(std::string_view bytes);
  /// Whether all replies are there.
  [[nodiscard]] bool complete() const { return !in_gets_ && next_line_ == lines_.size(); }

 private:
  static constexpr std::size_t kMaxLine = 2048;  ///< A value's line is the longest: a key of 250 bytes, three numbers.
  static constexpr std::size_t kMaxValue = std::size_t{1} << 30;  ///< The largest that memcached -I takes.

  Status take_line(std::string_view line);
  Status take_value_line(std::string_view line);
  Status take_refusal(std::string_view line);

  MemcachedBatch& batch_;
  std::string request_;
  std::vector<std::size_t> gets_;   ///< Indexes of keys asked for, in order.
  std::vector<std::size_t> lines_;  ///< Indexes of commands that are answered by a line.
  bool in_gets_ = false;            ///< The keys' END is still to come.
  std::size_t next_get_ = 0;
  std::size_t next_line_ = 0;
  MemcachedReply* value_ = nullptr;  ///< Whose data comes next,
  std::size_t value_size_ = 0;       ///< and how many bytes.
};

/// Seconds to live as the protocol wants them: up to 30 days as they are, beyond that as a date.
std::int64_t memcached_ttl(std::int64_t seconds);

}  // namespace presence
