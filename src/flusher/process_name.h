// What `ps` and `top` show of a process.
#pragma once

#include <string_view>

namespace presence {

/// Gives the calling process, one that forked and keeps nothing of its parent's, a name of its own: the first 15 bytes
/// for `top`, and as its command line as much as fits into the parent's. Where the kernel forbids the latter, that
/// stays.
void name_process(std::string_view name);

}  // namespace presence
