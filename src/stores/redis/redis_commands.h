// The commands of one call, as they go over the wire.
#pragma once

#include <array>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace presence {

/// Commands in RESP, the protocol of Redis (https://redis.io/docs/latest/develop/reference/protocol-spec/), that are
/// sent in one write. All of them concern keys of one cluster slot, that of `key`.
class RedisCommands {
 public:
  explicit RedisCommands(std::string key) : key_(std::move(key)) {}

  /// A command of as many words; its arguments follow by arg().
  RedisCommands& command(std::string_view name, std::size_t arguments) {
    if (!in_transaction_) {
      starts_.push_back({bytes_.size(), replies_});
    }
    ++replies_;
    head('*', arguments + 1);
    return arg(name);
  }
  RedisCommands& arg(std::string_view text) {
    head('$', text.size());
    bytes_ += text;
    bytes_ += "\r\n";
    return *this;
  }
  RedisCommands& arg(std::integral auto number) {
    std::array<char, 24> digits;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
    return arg(std::string_view(digits.data(), static_cast<std::size_t>(end - digits.data())));
  }
  /// A whole command.
  template <class... Arguments>
  RedisCommands& add(std::string_view name, const Arguments&... arguments) {
    command(name, sizeof...(arguments));
    (arg(arguments), ...);
    return *this;
  }

  /// What follows, until exec(), is done as a whole or not at all. Each command in it is answered "QUEUED"; the answer
  /// to exec() holds theirs.
  void multi() {
    add("MULTI");
    in_transaction_ = true;
  }
  void exec() {
    add("EXEC");
    in_transaction_ = false;
  }

  /// Commands that are encoded already, outside of transactions or with all of one.
  void append_encoded(std::string_view bytes, std::size_t replies) {
    bytes_ += bytes;
    replies_ += replies;
  }

  [[nodiscard]] const std::string& key() const { return key_; }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }
  /// How many answers come.
  [[nodiscard]] std::size_t replies() const { return replies_; }
  /// Where a command begins that is outside of a transaction, or its MULTI.
  struct Start {
    std::size_t byte;   ///< In bytes().
    std::size_t reply;  ///< Number of its answer.
  };
  [[nodiscard]] const std::vector<Start>& starts() const { return starts_; }

 private:
  void head(char kind, std::size_t size) {
    std::array<char, 24> digits;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), size).ptr;
    bytes_ += kind;
    bytes_.append(digits.data(), static_cast<std::size_t>(end - digits.data()));
    bytes_ += "\r\n";
  }

  std::string key_;
  std::string bytes_;
  std::vector<Start> starts_;
  std::size_t replies_ = 0;
  bool in_transaction_ = false;
};

}  // namespace presence
