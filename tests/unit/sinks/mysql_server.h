// What tests change about the test server.
#pragma once

#ifdef PRESENCE_HAVE_MYSQL

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "base/dsn.h"
#include "unit/sinks/sink_under_test.h"

namespace presence::test {

// A user of the test's own, so that its sessions can be told from others.
class OwnUser {
 public:
  explicit OwnUser(MysqlTable& table) : table_(table), name_("u_" + table.name()) {
    table_.run("CREATE USER `" + name_ + "`@'%' IDENTIFIED BY 'secret-Zq7x'");
  }
  ~OwnUser() { table_.run("DROP USER `" + name_ + "`@'%'"); }
  OwnUser(const OwnUser&) = delete;
  OwnUser& operator=(const OwnUser&) = delete;

  void grant(const std::string& what) { table_.run("GRANT " + what + " TO `" + name_ + "`@'%'"); }

  [[nodiscard]] std::string dsn(const std::string& password = "secret-Zq7x") const {
    Dsn dsn = *parse_dsn(table_.dsn());
    std::string text = "mysql://" + name_ + ":" + password + "@";
    text += dsn.hosts.empty() ? ""
                              : dsn.hosts[0].name + (dsn.hosts[0].port ? ":" + std::to_string(*dsn.hosts[0].port) : "");
    text += dsn.hosts.empty() ? dsn.path : "/" + dsn.path;
    char separator = '?';
    for (const auto& [name, value] : dsn.options) {
      text += separator + name + "=" + value;
      separator = '&';
    }
    return text;
  }

  void kill_sessions() {
    const auto ids = table_.query("SELECT id FROM information_schema.processlist WHERE user = '" + name_ + "'");
    EXPECT_FALSE(ids.empty());
    for (const auto& id : ids) {
      table_.run("KILL CONNECTION " + id[0]);
    }
  }

 private:
  MysqlTable& table_;
  std::string name_;
};

// Sets a global variable for a while. Sinks of other tests that run at the same time must cope with it.
class GlobalVariable {
 public:
  GlobalVariable(MysqlTable& table, std::string name, const std::string& value)
      : table_(table), name_(std::move(name)), before_(table.value("SELECT @@GLOBAL." + name_)) {
    table_.run("SET GLOBAL " + name_ + " = " + value);
  }
  ~GlobalVariable() {
    const bool number = before_.find_first_not_of("0123456789") == std::string::npos && !before_.empty();
    table_.run("SET GLOBAL " + name_ + " = " + (number ? before_ : "'" + before_ + "'"));
  }
  GlobalVariable(const GlobalVariable&) = delete;
  GlobalVariable& operator=(const GlobalVariable&) = delete;

 private:
  MysqlTable& table_;
  std::string name_;
  std::string before_;
};

}  // namespace presence::test

#endif  // PRESENCE_HAVE_MYSQL
