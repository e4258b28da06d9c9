#include "stores/memcached/memcached_server_list.h"

#ifdef PRESENCE_HAVE_MEMCACHED

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace presence {
namespace {

bool all_optional(const MemcachedBatch& batch, const std::vector<std::size_t>& indexes) {
  return std::all_of(indexes.begin(), indexes.end(),
                     [&](std::size_t index) { return batch.commands()[index].optional; });
}

}  // namespace

MemcachedServerList::MemcachedServerList(const std::vector<MemcachedAddress>& addresses,
                                         MemcachedDistribution distribution)
    : distribution_(std::move(distribution)) {
  for (const MemcachedAddress& address : addresses) {
    connections_.emplace_back(address);
  }
}

Status MemcachedServerList::run(MemcachedBatch& batch, const Deadline& deadline) {
  std::vector<std::vector<std::size_t>> indexes(connections_.size());
  for (std::size_t i = 0; i < batch.commands().size(); ++i) {
    indexes[distribution_.server_of(batch.commands()[i].key)].push_back(i);
  }
  std::vector<MemcachedConnection*> asked;
  for (std::size_t server = 0; server < connections_.size(); ++server) {
    // All connections are there before anything is sent: a server that is down costs no half-done call.
    if (!indexes[server].empty()) {
      Status ready = connections_[server].prepare(deadline);
      if (ready) {
        asked.push_back(&connections_[server]);
        continue;
      }
      if (!all_optional(batch, indexes[server])) {
        return ready;
      }
      indexes[server].clear();
    }
  }
  for (std::size_t server = 0; server < connections_.size(); ++server) {
    if (!indexes[server].empty()) {
      connections_[server].begin(std::make_unique<MemcachedConversation>(batch, indexes[server]));
    }
  }
  Status status = wait(asked, deadline);
  for (MemcachedConnection* connection : asked) {
    connection->abandon();
  }
  return status;
}

Status MemcachedServerList::wait(const std::vector<MemcachedConnection*>& asked, const Deadline& deadline) {
  std::vector<MemcachedConnection*> waiting;
  for (MemcachedConnection* connection : asked) {
    if (Status advanced = connection->advance(); !advanced) {
      return advanced;
    }
    if (!connection->complete()) {
      waiting.push_back(connection);
    }
  }
  std::vector<pollfd> polled;
  while (!waiting.empty()) {
    polled.clear();
    for (const MemcachedConnection* connection : waiting) {
      polled.push_back({connection->descriptor(), connection->events(), 0});
    }
    const int ready = poll(polled.data(), polled.size(), deadline.milliseconds());
    if (ready == 0 || (ready < 0 && (errno != EINTR || deadline.passed()))) {
      Error error = waiting.front()->timed_out();
      for (MemcachedConnection* connection : waiting) {
        if (connection != waiting.front()) {
          static_cast<void>(connection->timed_out());
        }
      }
      return error;
    }
    for (std::size_t i = 0; ready > 0 && i < polled.size(); ++i) {
      if (polled[i].revents != 0) {
        if (Status advanced = waiting[i]->advance(); !advanced) {
          return advanced;
        }
      }
    }
    std::erase_if(waiting, [](const MemcachedConnection* connection) { return connection->complete(); });
  }
  return {};
}

StoreHealth MemcachedServerList::health() const {
  StoreHealth health;
  for (const MemcachedConnection& connection : connections_) {
    const CircuitBreaker& breaker = connection.breaker();
    health.breaker_open = health.breaker_open || breaker.open(clock::monotonic());
    if (breaker.last_error_time() > health.last_error_time) {
      health.last_error = breaker.last_error();
      health.last_error_time = breaker.last_error_time();
    }
  }
  return health;
}

}  // namespace presence

#endif
