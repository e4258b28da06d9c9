#include "stores/redis/cluster_redis.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "stores/redis/redis_errors.h"
#include "stores/redis/redis_slot.h"

namespace presence {
namespace {

/// The commands with ASKING before each, a transaction counting as one: a node that is taking a slot over answers them
/// then.
RedisCommands with_asking(const RedisCommands& commands) {
  static constexpr std::string_view kAsking = "*1\r\n$6\r\nASKING\r\n";
  RedisCommands asking(commands.key());
  const std::string& bytes = commands.bytes();
  const auto& starts = commands.starts();
  std::string all;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const std::size_t end = i + 1 < starts.size() ? starts[i + 1].byte : bytes.size();
    all += kAsking;
    all.append(bytes, starts[i].byte, end - starts[i].byte);
  }
  asking.append_encoded(all, commands.replies() + starts.size());
  return asking;
}

/// Takes out the answers to ASKING.
RedisReplies without_asking(RedisReplies replies, const RedisCommands& commands) {
  for (const RedisCommands::Start& start : commands.starts()) {
    // Those before it are gone by now, so its place is that of the command it belongs to.
    replies.erase(replies.begin() + static_cast<std::ptrdiff_t>(start.reply));
  }
  return replies;
}

}  // namespace

ClusterRedis::Node& ClusterRedis::node(const RedisEndpoint& endpoint) {
  std::string name = endpoint.text();
  if (const auto found = nodes_.find(name); found != nodes_.end()) {
    return found->second;
  }
  RedisConnection connection(endpoint, address_.login, tls_, address_.place + " (" + name + ")");
  return nodes_.emplace(std::move(name), Node{std::move(connection), {}}).first->second;
}

ClusterRedis::Target ClusterRedis::first_target(unsigned slot) const {
  if (const auto owner = owners_.find(slot); owner != owners_.end()) {
    return {owner->second};
  }
  return another({}).value_or(Target{address_.endpoints.front()});
}

std::optional<ClusterRedis::Target> ClusterRedis::another(const std::vector<std::string>& asked) const {
  const auto fresh = [&](const RedisEndpoint& endpoint) {
    const std::string name = endpoint.text();
    const auto known = nodes_.find(name);
    return std::find(asked.begin(), asked.end(), name) == asked.end() &&
           (known == nodes_.end() || !known->second.breaker.open(clock::monotonic()));
  };
  for (const auto& [name, node] : nodes_) {
    // One that is connected answers fastest.
    if (node.connection.connected() && fresh(node.connection.endpoint())) {
      return Target{node.connection.endpoint()};
    }
  }
  for (const RedisEndpoint& endpoint : address_.endpoints) {
    if (fresh(endpoint)) {
      return Target{endpoint};
    }
  }
  for (const auto& [name, node] : nodes_) {
    if (fresh(node.connection.endpoint())) {
      return Target{node.connection.endpoint()};
    }
  }
  return std::nullopt;
}

std::optional<ClusterRedis::Target> ClusterRedis::redirection(std::string_view answer, const RedisEndpoint& from,
                                                              unsigned slot) {
  const bool moved = has_code(answer, "MOVED");
  if (!moved && !has_code(answer, "ASK")) {
    return std::nullopt;
  }
  const std::size_t space = answer.rfind(' ');
  const std::size_t colon = answer.rfind(':');
  Target target{from, !moved};
  if (colon == answer.npos || colon < space) {
    return std::nullopt;
  }
  // Without a host it is another port of the same one.
  if (const std::string_view host = answer.substr(space + 1, colon - space - 1); !host.empty()) {
    target.endpoint.host = host;
  }
  const std::string_view port = answer.substr(colon + 1);
  if (std::from_chars(port.data(), port.data() + port.size(), target.endpoint.port).ec != std::errc()) {
    return std::nullopt;
  }
  if (moved) {
    owners_[slot] = target.endpoint;
  }
  return target;
}

Result<RedisReplies> ClusterRedis::run(const RedisCommands& commands, double timeout) {
  const Deadline deadline(timeout);
  const unsigned slot = redis_slot(commands.key());
  Target target = first_target(slot);
  std::vector<std::string> failed;
  for (int hop = 0; hop < kMaxHops; ++hop) {
    Node& node = this->node(target.endpoint);
    Status allowed = node.breaker.allow(clock::monotonic());
    Result<RedisReplies> replies = allowed
                                       ? node.connection.run(target.asking ? with_asking(commands) : commands, deadline)
                                       : Result<RedisReplies>(std::move(allowed).error());
    if (!replies) {
      if (!node.breaker.open(clock::monotonic())) {
        node.breaker.failed(replies.error(), clock::monotonic(), clock::now());
      }
      owners_.erase(slot);
      failed.push_back(target.endpoint.text());
      const std::optional<Target> other = another(failed);
      if (!other || deadline.passed()) {
        return noted(std::move(replies).error());
      }
      target = *other;
      continue;
    }
    node.breaker.succeeded();
    const redisReply* error = first_error(*replies);
    if (error == nullptr) {
      return target.asking ? without_asking(std::move(*replies), commands) : std::move(*replies);
    }
    const std::optional<Target> next = redirection(text_of(*error), target.endpoint, slot);
    if (!next) {
      return noted(redis_error(node.connection.place(), commands.key(), text_of(*error)));
    }
    const std::string name = next->endpoint.text();
    if (std::find(failed.begin(), failed.end(), name) != failed.end()) {
      // Nobody has taken over yet.
      owners_.erase(slot);
      const std::optional<Target> other = another(failed);
      if (!other || other->endpoint == target.endpoint) {
        return noted({ErrorCode::unavailable, this->node(next->endpoint).breaker.last_error()});
      }
      failed.push_back(target.endpoint.text());
      target = *other;
      continue;
    }
    target = *next;
  }
  return noted(
      {ErrorCode::transient, address_.place + ": the nodes send each other these keys; try again in a moment"});
}

RedisTraffic ClusterRedis::traffic() const {
  RedisTraffic sum;
  for (const auto& [name, node] : nodes_) {
    sum += node.connection.traffic();
  }
  return sum;
}

bool ClusterRedis::breaker_open() const {
  return std::any_of(nodes_.begin(), nodes_.end(),
                     [](const auto& entry) { return entry.second.breaker.open(clock::monotonic()); });
}

}  // namespace presence
