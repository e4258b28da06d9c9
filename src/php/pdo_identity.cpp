// Which database a PDO object leads to: read from the handle that PDO keeps behind the object.
#include <algorithm>
#include <string>
#include <string_view>

#include "base/sha256.h"
#include "php/pdo_api.h"
#include "php/pdo_connection.h"

namespace presence::php {
namespace {

/// The data source without what belongs to the credentials: "host=db;password=x;dbname=y" → "host=db;dbname=y".
std::string without_password(std::string_view source) {
  std::string kept;
  while (!source.empty()) {
    const std::size_t end = std::min(source.find(';'), source.size());
    const std::string_view part = source.substr(0, end);
    if (!part.starts_with("password=")) {
      kept.append(part).push_back(';');
    }
    source.remove_prefix(std::min(end + 1, source.size()));
  }
  return kept;
}

bool is_memory(std::string_view source) {
  return source.empty() || source == ":memory:" || source.starts_with("file::memory:") ||
         (source.starts_with("file:") && source.find("mode=memory") != std::string_view::npos);
}

/// The path of an SQLite file, made absolute, since the current folder may be another one at the next request.
std::string absolute(const char* source) {
  char path[MAXPATHLEN];
  if (std::string_view(source).starts_with("file:") || expand_filepath(source, path) == nullptr) {
    return source;
  }
  return path;
}

}  // namespace

Result<PdoIdentity> identify_pdo(zend_object* pdo) {
  const pdo_dbh_t* handle = php_pdo_dbh_fetch_inner(pdo);
  if (handle == nullptr || handle->driver == nullptr || handle->data_source == nullptr) {
    return Error{ErrorCode::unavailable, "Counters::$db is a PDO object whose constructor has not run"};
  }
  const std::string_view name(handle->driver->driver_name, handle->driver->driver_name_len);
  if (name != "mysql" && name != "sqlite") {
    return Error{ErrorCode::unsupported,
                 "Counters::$db must be a PDO connection of the driver mysql or sqlite, not " + std::string(name)};
  }
  const bool sqlite = name == "sqlite";
  const std::string_view source(handle->data_source, handle->data_source_len);
  const std::string place = sqlite ? absolute(handle->data_source) : without_password(source);
  const std::string_view user = handle->username != nullptr ? handle->username : "";
  // NULs between the parts, which none of them holds.
  std::string identity = "pdo";
  for (const std::string_view part : {name, std::string_view(place), sqlite ? std::string_view() : user}) {
    identity.push_back('\0');
    identity.append(part);
  }
  return PdoIdentity{sqlite ? PdoDriver::sqlite : PdoDriver::mysql, sha256_hex(identity, 32),
                     sqlite && is_memory(source)};
}

}  // namespace presence::php
