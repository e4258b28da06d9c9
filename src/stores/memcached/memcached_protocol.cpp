#include "stores/memcached/memcached_protocol.h"

#include <algorithm>
#include <charconv>

#include "base/clock.h"

namespace presence {
namespace {

constexpr std::string_view kEnd = "\r\n";

Error out_of_step() { return {ErrorCode::damaged, "what answers does not speak Memcached's text protocol"}; }

template <class Number>
bool read_number(std::string_view text, Number& into) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), into);
  return error == std::errc() && end == text.data() + text.size();
}

/// The text up to the next space, which is taken off with it.
std::string_view take_word(std::string_view& rest) {
  const std::size_t end = std::min(rest.find(' '), rest.size());
  const std::string_view word = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return word;
}

std::string change_text(std::string_view key, std::int64_t by) {
  const auto amount = by < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(by) : static_cast<std::uint64_t>(by);
  std::string text = by < 0 ? "decr " : "incr ";
  text += key;
  text += ' ';
  text += std::to_string(amount);
  return text;
}

}  // namespace

std::size_t MemcachedBatch::push(Verb verb, std::string_view key, std::string text) {
  commands_.push_back({verb, std::string(key), std::move(text), false});
  replies_.emplace_back();
  return commands_.size() - 1;
}

std::size_t MemcachedBatch::store(std::string_view verb, std::string_view key, std::uint32_t flags, std::int64_t ttl,
                                  std::string_view data, std::string_view end) {
  std::string text;
  text.reserve(verb.size() + key.size() + data.size() + 80);
  text += verb;
  text += ' ';
  text += key;
  text += ' ' + std::to_string(flags) + ' ' + std::to_string(ttl) + ' ' + std::to_string(data.size());
  text += end;
  text += kEnd;
  text += data;
  text += kEnd;
  return push(Verb::line, key, std::move(text));
}

std::size_t MemcachedBatch::get(std::string_view key) { return push(Verb::get, key, {}); }

std::size_t MemcachedBatch::add(std::string_view key, std::uint32_t flags, std::int64_t ttl, std::string_view data) {
  return store("add", key, flags, ttl, data, {});
}

std::size_t MemcachedBatch::set(std::string_view key, std::uint32_t flags, std::int64_t ttl, std::string_view data) {
  return store("set", key, flags, ttl, data, {});
}

std::size_t MemcachedBatch::cas(std::string_view key, std::uint32_t flags, std::int64_t ttl, std::string_view data,
                                std::uint64_t cas) {
  return store("cas", key, flags, ttl, data, ' ' + std::to_string(cas));
}

std::size_t MemcachedBatch::remove(std::string_view key) {
  std::string text = "delete ";
  text += key;
  text += kEnd;
  return push(Verb::line, key, std::move(text));
}

std::size_t MemcachedBatch::change(std::string_view key, std::int64_t by) {
  return push(Verb::line, key, change_text(key, by) + std::string(kEnd));
}

void MemcachedBatch::change_quietly(std::string_view key, std::int64_t by) {
  push(Verb::quiet, key, change_text(key, by) + " noreply\r\n");
}

MemcachedConversation::MemcachedConversation(MemcachedBatch& batch, std::span<const std::size_t> indexes)
    : batch_(batch) {
  for (const std::size_t index : indexes) {
    const MemcachedBatch::Command& command = batch.commands()[index];
    if (command.verb == MemcachedBatch::Verb::get) {
      request_ += gets_.empty() ? "gets " : " ";
      request_ += command.key;
      gets_.push_back(index);
    }
  }
  if (!gets_.empty()) {
    request_ += kEnd;
    in_gets_ = true;
  }
  for (const std::size_t index : indexes) {
    const MemcachedBatch::Command& command = batch.commands()[index];
    if (command.verb != MemcachedBatch::Verb::get) {
      request_ += command.text;
      if (command.verb == MemcachedBatch::Verb::line) {
        lines_.push_back(index);
      }
    }
  }
}

Result<std::size_t> MemcachedConversation::take(std::string_view bytes) {
  std::size_t used = 0;
  while (true) {
    const std::string_view rest = bytes.substr(used);
    if (value_ != nullptr) {
      if (rest.size() < value_size_ + kEnd.size()) {
        return used;
      }
      if (rest.substr(value_size_, kEnd.size()) != kEnd) {
        return out_of_step();
      }
      value_->data = rest.substr(0, value_size_);
      value_ = nullptr;
      used += value_size_ + kEnd.size();
      continue;
    }
    if (complete()) {
      return rest.empty() ? Result<std::size_t>(used) : out_of_step();  // nobody asked for that
    }
    const std::size_t end = rest.substr(0, kMaxLine).find(kEnd);
    if (end == std::string_view::npos) {
      return rest.size() < kMaxLine ? Result<std::size_t>(used) : out_of_step();
    }
    if (Status status = take_line(rest.substr(0, end)); !status) {
      return std::move(status).error();
    }
    used += end + kEnd.size();
  }
}

Status MemcachedConversation::take_line(std::string_view line) {
  if (line.starts_with("SERVER_ERROR ") || line.starts_with("CLIENT_ERROR cannot increment or decrement")) {
    return take_refusal(line);
  }
  if (line.starts_with("CLIENT_ERROR unauthenticated")) {
    return Error{ErrorCode::unsupported, "the server wants a user and password, which this store cannot give it"};
  }
  if (in_gets_) {
    if (line != "END") {
      return take_value_line(line);
    }
    for (; next_get_ < gets_.size(); ++next_get_) {
      batch_.reply(gets_[next_get_]).kind = MemcachedReply::Kind::missing;
    }
    in_gets_ = false;
    return {};
  }
  MemcachedReply& reply = batch_.reply(lines_[next_line_++]);
  if (line == "STORED" || line == "DELETED") {
    reply.kind = MemcachedReply::Kind::done;
  } else if (line == "NOT_STORED") {
    reply.kind = MemcachedReply::Kind::not_stored;
  } else if (line == "EXISTS") {
    reply.kind = MemcachedReply::Kind::changed;
  } else if (line == "NOT_FOUND") {
    reply.kind = MemcachedReply::Kind::missing;
  } else if (read_number(line, reply.number)) {
    reply.kind = MemcachedReply::Kind::number;
  } else {
    return out_of_step();
  }
  return {};
}

Status MemcachedConversation::take_value_line(std::string_view line) {
  std::string_view rest = line;
  if (take_word(rest) != "VALUE") {
    return out_of_step();
  }
  const std::string_view key = take_word(rest);
  // The values come in the order of the keys, those that are missing left out.
  for (; next_get_ < gets_.size() && batch_.commands()[gets_[next_get_]].key != key; ++next_get_) {
    batch_.reply(gets_[next_get_]).kind = MemcachedReply::Kind::missing;
  }
  if (next_get_ == gets_.size()) {
    return out_of_step();
  }
  MemcachedReply& reply = batch_.reply(gets_[next_get_++]);
  if (!read_number(take_word(rest), reply.flags) || !read_number(take_word(rest), value_size_) ||
      !read_number(rest, reply.cas) || value_size_ > kMaxValue) {
    return out_of_step();
  }
  reply.kind = MemcachedReply::Kind::value;
  value_ = &reply;
  return {};
}

Status MemcachedConversation::take_refusal(std::string_view line) {
  const auto refuse = [&](std::size_t index) {
    MemcachedReply& reply = batch_.reply(index);
    reply.kind = MemcachedReply::Kind::refused;
    reply.data = line.substr(line.find(' ') + 1, 200);
  };
  if (in_gets_) {
    for (; next_get_ < gets_.size(); ++next_get_) {
      refuse(gets_[next_get_]);
    }
    in_gets_ = false;
  } else {
    refuse(lines_[next_line_++]);
  }
  return {};
}

std::int64_t memcached_ttl(std::int64_t seconds) {
  constexpr std::int64_t kLongestSpan = 30 * 86400;
  return seconds <= kLongestSpan ? seconds : clock::now() + seconds;
}

}  // namespace presence
