#include "stores/redis/hll_store.h"

namespace presence {
namespace {

Error counts_only() {
  return {ErrorCode::unsupported,
          "the strategy hll counts visitors and does not know them; strategy=zset and strategy=sets do"};
}

}  // namespace

Result<std::int64_t> HllStore::count(const Window& window) {
  const std::vector<std::string> keys = this->keys(window);
  RedisCommands commands(keys.front());
  commands.command("PFCOUNT", keys.size());
  for (const std::string& key : keys) {
    commands.arg(key);
  }
  const Result<RedisReplies> replies = run(commands);
  return replies ? Result<std::int64_t>((*replies)[0]->integer) : replies.error();
}

Result<std::vector<std::string>> HllStore::ids(const Window& /*window*/) { return counts_only(); }

Status HllStore::online(std::span<const std::string_view> /*visitors*/, const Window& /*window*/,
                        std::span<bool> /*answers*/) {
  return counts_only();
}

Result<UnixTime> HllStore::last_seen(std::string_view /*visitor*/, UnixTime /*now*/) { return counts_only(); }

Status HllStore::forget(std::string_view /*visitor*/, UnixTime /*now*/) { return counts_only(); }

Status HllStore::replace(std::string_view /*from*/, std::string_view /*to*/, UnixTime /*now*/) { return counts_only(); }

Status HllStore::forgets() const { return counts_only(); }

}  // namespace presence
