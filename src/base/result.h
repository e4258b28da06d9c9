// Errors as values: what every call of the core returns that can fail.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <variant>

namespace presence {

/// What kind of failure it was, as far as a caller acts differently on it.
enum class ErrorCode {
  invalid_argument,  ///< The caller's input; nothing was changed. PHP: ValueError.
  unsupported,       ///< This strategy or this build cannot do that. PHP: UnsupportedException.
  unavailable,       ///< A server or file cannot be reached now; trying later may help. PHP: ConnectionException.
  transient,         ///< The server refused for now (deadlock, lock timeout, read-only); try the whole again.
  not_installed,     ///< The tables are missing. PHP: ConnectionException that names Counters::install().
  unanswered,        ///< The server took the request and its answer got lost: it may have been done.
  rejected,          ///< The server refuses this data for good; repeating it is useless.
  no_space,          ///< A table, a disk or a quota is full.
  damaged,           ///< Stored data fails its checks.
  internal,          ///< A fault of our own.
};

/// A failure: its kind, and a message that tells the reader what to do. Never holds a secret of a DSN.
struct Error {
  ErrorCode code;
  std::string message;
};

/// A value or an Error.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  [[nodiscard]] bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  /// The value; only if ok().
  T& value() & { return *std::get_if<0>(&state_); }
  const T& value() const& { return *std::get_if<0>(&state_); }
  T&& value() && { return std::move(*std::get_if<0>(&state_)); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }

  /// The error; only if not ok().
  const Error& error() const& { return *std::get_if<1>(&state_); }
  Error&& error() && { return std::move(*std::get_if<1>(&state_)); }

 private:
  std::variant<T, Error> state_;
};

/// Success, or an Error. Success is a null pointer, so that it costs next to nothing on hot paths.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::make_unique<Error>(std::move(error))) {}
  Result(const Result& other) : error_(other.error_ ? std::make_unique<Error>(*other.error_) : nullptr) {}
  Result(Result&&) noexcept = default;
  Result& operator=(const Result& other) { return *this = Result(other); }
  Result& operator=(Result&&) noexcept = default;
  ~Result() = default;

  [[nodiscard]] bool ok() const { return error_ == nullptr; }
  explicit operator bool() const { return ok(); }

  /// The error; only if not ok().
  const Error& error() const& { return *error_; }
  Error&& error() && { return std::move(*error_); }

 private:
  std::unique_ptr<Error> error_;
};

using Status = Result<void>;

}  // namespace presence
