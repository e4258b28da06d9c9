#include "sinks/sql.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

namespace presence::sql {
namespace {

constexpr std::string_view kLedgerSuffix = "_batch";
static_assert(kMaxTableName + kLedgerSuffix.size() == 64);

// In backticks, which SQLite understands too: with the SQL mode IGNORE_SPACE, `count` is a reserved word.
std::string quoted(std::string_view identifier) { return '`' + std::string(identifier) + '`'; }

std::string column_of(std::string_view table, std::string_view column) { return quoted(table) + '.' + quoted(column); }

// Not a name that a table can have here, so it never clashes with one.
constexpr std::string_view kRowAlias = "`new-row`";

// What an upsert calls the value that would have been inserted.
std::string inserted(Dialect dialect, std::string_view column) {
  switch (dialect) {
    case Dialect::sqlite: return "excluded." + quoted(column);
    case Dialect::values_function: return "VALUES(" + quoted(column) + ')';
    case Dialect::row_alias: return std::string(kRowAlias) + '.' + quoted(column);
  }
  return {};
}

// "8.0.35-log" → {8, 0, 35}; what is missing is 0.
std::array<unsigned, 3> version_numbers(std::string_view version) {
  std::array<unsigned, 3> numbers{};
  const char* at = version.data();
  const char* const end = at + version.size();
  for (unsigned& number : numbers) {
    const auto [stop, error] = std::from_chars(at, end, number);
    if (error != std::errc() || stop == end || *stop != '.') {
      break;
    }
    at = stop + 1;
  }
  return numbers;
}

std::string mysql_bytes(std::string_view text) {
  // By way of utf8mb4, since an existing column may be in latin1; and not by a binary collation, which would still
  // ignore spaces at the end.
  return "CAST(CONVERT(" + std::string(text) + " USING utf8mb4) AS BINARY)";
}

std::string decimal(std::int64_t value) {
  std::string text;
  append_integer(text, value);
  return text;
}

}  // namespace

Dialect server_dialect(std::string_view version) {
  std::string lower(version);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  const bool has_row_alias =
      lower.find("mariadb") == std::string::npos && version_numbers(version) >= std::array<unsigned, 3>{8, 0, 19};
  return has_row_alias ? Dialect::row_alias : Dialect::values_function;
}

Result<std::string> table_of(const Dsn& dsn) {
  const std::string table(dsn.option("table").value_or(kDefaultTable));
  const bool valid =
      !table.empty() && table.size() <= kMaxTableName && std::all_of(table.begin(), table.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$';
      });
  if (!valid) {
    return Error{ErrorCode::invalid_argument,
                 "the option \"table\" must be 1 to " + std::to_string(kMaxTableName) + " letters, digits, '_' or '$'"};
  }
  return table;
}

std::string ledger_of(std::string_view table) { return std::string(table) + std::string(kLedgerSuffix); }

std::vector<std::string> create_counter_statements(Dialect dialect, std::string_view table) {
  if (dialect == Dialect::sqlite) {
    return {"CREATE TABLE IF NOT EXISTS " + quoted(table) +
                " ("
                "`hash` TEXT NOT NULL PRIMARY KEY, `name` TEXT NOT NULL, `argument` TEXT, `timeslot` INTEGER NOT NULL, "
                "`total` REAL NOT NULL, `minimum` REAL NOT NULL, `maximum` REAL NOT NULL, `count` INTEGER NOT NULL"
                ") WITHOUT ROWID",
            "CREATE INDEX IF NOT EXISTS " + quoted(std::string(table) + "_name_timeslot") + " ON " + quoted(table) +
                " (`name`, `timeslot`)"};
  }
  return {"CREATE TABLE IF NOT EXISTS " + quoted(table) +
          " ("
          "`hash` CHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL, "
          "`name` VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL, "
          "`argument` VARCHAR(250) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL, "
          "`timeslot` BIGINT NOT NULL, "
          "`total` DOUBLE NOT NULL, `minimum` DOUBLE NOT NULL, `maximum` DOUBLE NOT NULL, `count` BIGINT NOT NULL, "
          "PRIMARY KEY (`hash`), KEY `name_timeslot` (`name`, `timeslot`)"
          ") ENGINE=InnoDB"};
}

std::string create_ledger_statement(Dialect dialect, std::string_view table) {
  const std::string create = "CREATE TABLE IF NOT EXISTS " + quoted(ledger_of(table));
  if (dialect == Dialect::sqlite) {
    return create +
           " (`source` TEXT NOT NULL PRIMARY KEY, `batch` INTEGER NOT NULL, `changed_at` INTEGER NOT NULL) WITHOUT "
           "ROWID";
  }
  return create +
         " (`source` CHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY, `batch` BIGINT NOT NULL, "
         "`changed_at` BIGINT NOT NULL) ENGINE=InnoDB";
}

std::string upsert_head(std::string_view table) {
  return "INSERT INTO " + quoted(table) +
         " (`hash`, `name`, `argument`, `timeslot`, `total`, `minimum`, `maximum`, `count`) VALUES ";
}

std::string upsert_tail(Dialect dialect, std::string_view table) {
  const bool sqlite = dialect == Dialect::sqlite;
  const auto stored = [table](std::string_view column) { return column_of(table, column); };
  const auto add = [&](std::string_view column) {
    return quoted(column) + " = " + stored(column) + " + " + inserted(dialect, column);
  };
  const auto choose = [&](std::string_view column, std::string_view function) {
    return quoted(column) + " = " + std::string(function) + '(' + stored(column) + ", " + inserted(dialect, column) +
           ')';
  };
  std::string tail;
  if (sqlite) {
    tail = " ON CONFLICT (`hash`) DO UPDATE SET ";
  } else {
    tail = dialect == Dialect::row_alias ? " AS " + std::string(kRowAlias) : "";
    tail += " ON DUPLICATE KEY UPDATE ";
  }
  return tail + add("total") + ", " + choose("minimum", sqlite ? "min" : "LEAST") + ", " +
         choose("maximum", sqlite ? "max" : "GREATEST") + ", " + add("count");
}

void append_double(std::string& out, double value) {
  std::array<char, 32> buffer;  // "-1.7976931348623157e+308" has 24.
  const auto [end, error] =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::scientific);
  static_cast<void>(error);
  out.append(buffer.data(), end);
}

void append_integer(std::string& out, std::int64_t value) {
  std::array<char, 24> buffer;
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  static_cast<void>(error);
  out.append(buffer.data(), end);
}

std::string read_query(Dialect dialect, std::string_view table, const CounterQuery& query, std::string_view name,
                       std::optional<std::string_view> argument, std::span<const std::string> sources) {
  const std::string step = decimal(query.step);
  // The inner % may be negative before 1970; a bucket begins below its rows there too.
  const std::string bucket = "`timeslot` - ((`timeslot` % " + step + ") + " + step + ") % " + step;
  // "0e0 +" makes a FLOAT a DOUBLE: a FLOAT is shown with six digits, whatever it holds.
  std::string text =
      "SELECT '', " + bucket + ", SUM(0e0 + `total`), MIN(0e0 + `minimum`), MAX(0e0 + `maximum`), SUM(`count`) FROM " +
      quoted(table) + " WHERE `timeslot` >= " + decimal(query.since) + " AND `timeslot` < " + decimal(query.until);
  const auto add_equals = [&](std::string_view column, std::string_view literal) {
    // The index serves the first comparison, by the column's collation; the second one is exact.
    text += " AND " + quoted(column) + " = " + std::string(literal);
    if (dialect != Dialect::sqlite) {
      text += " AND " + mysql_bytes(quoted(column)) + " = " + mysql_bytes(literal);
    }
  };
  add_equals("name", name);
  if (argument) {
    add_equals("argument", *argument);
  }
  text += " GROUP BY 2";
  if (sources.empty()) {
    return text;
  }
  text +=
      " UNION ALL SELECT `source`, `batch`, 0e0, 0e0, 0e0, 0 FROM " + quoted(ledger_of(table)) + " WHERE `source` IN (";
  for (const std::string& source : sources) {
    text += text.back() == '(' ? "'" : ",'";
    text += source + '\'';
  }
  return text + ')';
}

void take_read_row(StoredCounters& stored, std::string_view source, std::int64_t slot, const Sums& sums) {
  if (source.empty()) {
    stored.buckets.push_back({slot, sums});
  } else if (slot >= 0) {  // -1: added to the ledger, but nothing was applied yet
    stored.last_batches[std::string(source)] = static_cast<std::uint64_t>(slot);
  }
}

StoredCounters take_read_rows(const std::vector<std::vector<std::string>>& rows) {
  StoredCounters stored;
  for (const std::vector<std::string>& row : rows) {
    if (row.size() == 6) {
      take_read_row(stored, row[0], number_in<std::int64_t>(row[1]),
                    {.total = number_in<double>(row[2]),
                     .minimum = number_in<double>(row[3]),
                     .maximum = number_in<double>(row[4]),
                     .count = number_in<std::int64_t>(row[5])});
    }
  }
  sort_buckets(stored);
  return stored;
}

void sort_buckets(StoredCounters& stored) {
  std::sort(stored.buckets.begin(), stored.buckets.end(),
            [](const CounterBucket& a, const CounterBucket& b) { return a.slot < b.slot; });
}

std::string select_rows(Dialect dialect, std::string_view table, std::span<const RowHash> hashes, bool lock) {
  // "0e0 +": see read_query().
  std::string text = "SELECT `hash`, 0e0 + `total`, 0e0 + `minimum`, 0e0 + `maximum`, `count` FROM " + quoted(table) +
                     " WHERE `hash` IN (";
  for (const RowHash& hash : hashes) {
    text += text.back() == '(' ? "'" : ",'";
    text += view(hash);
    text += '\'';
  }
  return text + (lock && dialect != Dialect::sqlite ? ") FOR UPDATE" : ")");
}

bool is_foreign_column(std::string_view message) {
  constexpr std::string_view kNotNull = "NOT NULL constraint failed: ";
  const std::size_t at = message.find(kNotNull);
  if (at == std::string_view::npos) {
    return false;
  }
  const std::string_view column = message.substr(message.rfind('.') + 1);
  for (const std::string_view ours : {"hash", "name", "argument", "timeslot", "total", "minimum", "maximum", "count"}) {
    if (column == ours) {
      return false;
    }
  }
  return true;
}

Status check_query(const CounterQuery& query) {
  if (query.step < 1) {
    return Error{ErrorCode::internal, "a step must be at least one second"};
  }
  return {};
}

Status check_batch(const BatchId& id) {
  const bool source_ok = id.source.size() == 32 && id.source.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (!source_ok || id.number > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    return Error{ErrorCode::internal, "a batch must have a source of 32 hex digits and a number below 2^63"};
  }
  return {};
}

std::string select_batch(Dialect dialect, std::string_view table, std::string_view source) {
  return "SELECT `batch` FROM " + quoted(ledger_of(table)) + " WHERE `source` = '" + std::string(source) + '\'' +
         (dialect == Dialect::sqlite ? "" : " FOR UPDATE");
}

std::string insert_source(std::string_view table, std::string_view source) {
  return "INSERT INTO " + quoted(ledger_of(table)) + " (`source`, `batch`, `changed_at`) VALUES ('" +
         std::string(source) + "', -1, 0)";
}

std::string update_batch(std::string_view table, const BatchId& id, UnixTime now) {
  return "UPDATE " + quoted(ledger_of(table)) + " SET `batch` = " + std::to_string(id.number) +
         ", `changed_at` = " + decimal(now) + " WHERE `source` = '" + id.source + '\'';
}

}  // namespace presence::sql
