// A cluster of three masters of a test's own.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "stores/redis/redis_slot.h"
#include "unit/stores/redis/redis_process.h"

namespace presence::test {

/// Three nodes, each with a third of the slots.
class Cluster {
 public:
  /// `tls`: further words for the servers' command lines, by which they speak nothing but TLS; empty: they do not.
  explicit Cluster(const std::vector<std::string>& tls = {}) : tls_(!tls.empty()) {
    for (int i = 0; i < 3; ++i) {
      ports_.push_back(free_port());
      std::vector<std::string> options{"--bind",
                                       "127.0.0.1",
                                       "--cluster-enabled",
                                       "yes",
                                       "--cluster-node-timeout",
                                       "2000",
                                       "--cluster-require-full-coverage",
                                       "no"};
      options.insert(options.end(), {tls_ ? "--tls-port" : "--port", std::to_string(ports_.back())});
      options.insert(options.end(), tls.begin(), tls.end());
      nodes_.push_back(std::make_unique<RedisProcess>(options));
      const unsigned first = first_slot(i);
      admin(i)({"CLUSTER", "ADDSLOTSRANGE", std::to_string(first), std::to_string(first_slot(i + 1) - 1)});
      admin(i)({"CLUSTER", "SET-CONFIG-EPOCH", std::to_string(i + 1)});
    }
    for (int i = 1; i < 3; ++i) {
      admin(0)({"CLUSTER", "MEET", "127.0.0.1", std::to_string(ports_[static_cast<std::size_t>(i)])});
    }
    EXPECT_TRUE(eventually([this] {
      return std::all_of(nodes_.begin(), nodes_.end(), [](const auto& node) {
        const std::string info = node->admin()("CLUSTER INFO").text;
        return info.find("cluster_state:ok") != std::string::npos &&
               info.find("cluster_slots_assigned:16384") != std::string::npos &&
               info.find("cluster_known_nodes:3") != std::string::npos;
      });
    }));
  }

  [[nodiscard]] RedisAdmin admin(int i) const { return nodes_[static_cast<std::size_t>(i)]->admin(); }
  [[nodiscard]] RedisProcess& node(int i) { return *nodes_[static_cast<std::size_t>(i)]; }
  [[nodiscard]] std::string id(int i) const { return admin(i)("CLUSTER MYID").text; }
  [[nodiscard]] std::string dsn(const std::string& options = "") const {
    return std::string(tls_ ? "rediss" : "redis") + "+cluster://127.0.0.1:" + std::to_string(ports_[0]) +
           ",127.0.0.1:" + std::to_string(ports_[1]) + options;
  }
  /// Which node has the key's slot at the start.
  static int home(const std::string& key) {
    int i = 0;
    while (redis_slot(key) >= first_slot(i + 1)) {
      ++i;
    }
    return i;
  }
  /// A key that is at home there.
  static std::string key_on(int i) {
    std::string key = "users:online";
    while (home(key) != i) {
      key += 'x';
    }
    return key;
  }

 private:
  static unsigned first_slot(int i) { return static_cast<unsigned>(i) * kRedisSlots / 3; }

  bool tls_;
  std::vector<int> ports_;
  std::vector<std::unique_ptr<RedisProcess>> nodes_;
};

}  // namespace presence::test
