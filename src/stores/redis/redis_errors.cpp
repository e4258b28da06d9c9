#include "stores/redis/redis_errors.h"

#include <array>
#include <string>

namespace presence {
namespace {

constexpr std::size_t kShown = 200;

struct Advice {
  std::string_view code;  ///< What the answer begins with.
  ErrorCode error;
  std::string_view advice;
};

constexpr std::array<Advice, 20> kAdvice{{
    {"WRONGPASS", ErrorCode::unavailable,
     "refused the user or password; correct them in the DSN (redis://user:password@host, special characters "
     "percent-encoded)"},
    {"NOAUTH", ErrorCode::unavailable,
     "wants a password; name it in the DSN: redis://:password@host, or redis://user:password@host"},
    {"ERR invalid password", ErrorCode::unavailable, "refused the password; correct it in the DSN"},
    {"ERR AUTH", ErrorCode::unavailable,
     "has no password set, but the DSN names one; take it out of the DSN, or set requirepass on the server"},
    {"ERR Client sent AUTH", ErrorCode::unavailable,
     "has no password set, but the DSN names one; take it out of the DSN, or set requirepass on the server"},
    {"NOPERM", ErrorCode::rejected,
     "does not let the DSN's user do this; grant it these commands and keys with ACL SETUSER"},
    {"LOADING", ErrorCode::transient, "is still loading its data after a start; try again in a moment"},
    {"BUSY", ErrorCode::transient, "is busy with somebody's script; try again in a moment"},
    {"READONLY", ErrorCode::transient,
     "is a replica, which takes no writes; name the master in the DSN, or let redis+sentinel: find it"},
    {"NOREPLICAS", ErrorCode::transient,
     "takes no writes, as too few replicas follow it (min-replicas-to-write); look after the replicas"},
    {"MASTERDOWN", ErrorCode::transient, "is a replica that lost its master; name the master in the DSN"},
    {"OOM", ErrorCode::transient,
     "has used up its memory (maxmemory) and takes no writes; give it more, or a maxmemory-policy that evicts keys"},
    {"MISCONF", ErrorCode::transient,
     "cannot save to its disk and takes no writes therefore; its log says why (stop-writes-on-bgsave-error)"},
    {"DENIED", ErrorCode::unavailable,
     "is in protected mode and serves its own machine only; set a password or protected-mode no on the server"},
    {"ERR max number of clients", ErrorCode::unavailable,
     "has no connection left (maxclients); raise maxclients, or run fewer workers"},
    {"ERR DB index", ErrorCode::rejected, "has no database of the number in the DSN; see `databases` in its settings"},
    {"ERR SELECT is not allowed", ErrorCode::rejected,
     "is a node of a cluster, which has no numbered databases; write redis+cluster:"},
    {"MOVED", ErrorCode::rejected, "is a node of a cluster; write redis+cluster: in the DSN"},
    {"CLUSTERDOWN", ErrorCode::unavailable, "belongs to a cluster that is down; look at CLUSTER INFO"},
    {"TRYAGAIN", ErrorCode::transient, "is just moving these keys to another node; try again in a moment"},
}};

/// What may be shown of an answer that nobody foresaw.
std::string shown(std::string_view answer) {
  std::string text;
  for (const char c : answer.substr(0, kShown)) {
    text += static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? ' ' : c;
  }
  return text;
}

}  // namespace

bool has_code(std::string_view answer, std::string_view code) {
  return answer.starts_with(code) && (answer.size() == code.size() || answer[code.size()] == ' ');
}

Error redis_error(std::string_view place, std::string_view key, std::string_view answer) {
  const std::string server = std::string(place) + ": the server ";
  if (has_code(answer, "WRONGTYPE")) {
    return {ErrorCode::rejected, server + "holds something else under the key \"" + std::string(key) +
                                     "\" or those that begin so: another program's data, or another strategy's; "
                                     "choose another key (option \"key\", INI entry presence.key)"};
  }
  for (const Advice& advice : kAdvice) {
    if (answer.starts_with(advice.code)) {
      const bool permission = advice.code == "NOPERM";
      return {advice.error,
              server + std::string(advice.advice) + (permission ? " (it says: " + shown(answer) + ")" : "")};
    }
  }
  if (answer.starts_with("ERR unknown command") || answer.starts_with("ERR syntax error") ||
      answer.starts_with("ERR wrong number of arguments")) {
    return {ErrorCode::unsupported,
            server +
                "is too old or lacks a command: Redis 6.2 or later, or Valkey, is needed; the strategy zset needs "
                "no scripts"};
  }
  return {ErrorCode::rejected, server + "answered: " + shown(answer)};
}

}  // namespace presence
