// What every store promises, kept by both strategies of Memcached.
#include <gtest/gtest.h>

#include "unit/stores/memcached/memcached_under_test.h"
#include "unit/stores/store_contract.h"

namespace presence {
namespace {

StoreUnderTest on_memcached(const std::string& name, const char* server, const std::string& options, int window) {
  struct State {
    MemcachedServers servers;
    std::string prefix;
  };
  const auto state = std::make_shared<State>();
  StoreUnderTest store;
  store.name = name;
  store.now = clock::now();
  store.reset = [state] {
    state->prefix = test::fresh_key() + ':';
    test::need_memcached();
  };
  store.open = [state, server, options, window](const std::string& key, int retention) {
    StoreOptions common = test::patient(state->prefix + key);
    common.retention = retention;
    common.window = window;
    return test::open(state->servers, test::memcached_variable(server) + options, common);
  };
  return store;
}

/// Counted anew each time, since the stored count may be some seconds behind.
StoreUnderTest table(const std::string& name, const char* server, const std::string& options) {
  StoreUnderTest store = on_memcached(name, server, "?sweep=0" + options, 5);
  store.tells_changes = store.tells_gone = true;
  return store;
}

StoreUnderTest ring(const std::string& name, const char* server) {
  StoreUnderTest store = on_memcached(name, server, "?strategy=ring", 5);
  store.exact_seconds = false;
  store.windows = {5};
  store.lists_ids = false;
  store.keeps_times = false;
  store.replaces = false;
  store.takes_past = false;
  store.counts_after = 60;
  return store;
}

INSTANTIATE_TEST_SUITE_P(Memcached, StoreContractTest,
                         testing::Values(table("table", "PRESENCE_TEST_MEMCACHED", ""),
                                         table("table_of_one_part", "PRESENCE_TEST_MEMCACHED", "&parts=1"),
                                         table("table_on_two_servers", "PRESENCE_TEST_MEMCACHED_TWO", ""),
                                         table("table_by_socket", "PRESENCE_TEST_MEMCACHED_UNIX", ""),
                                         ring("ring", "PRESENCE_TEST_MEMCACHED"),
                                         ring("ring_on_two_servers", "PRESENCE_TEST_MEMCACHED_TWO")),
                         [](const auto& instance) { return instance.param.name; });

}  // namespace
}  // namespace presence
