// The way to a database, for tests of what becomes of rows on it.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "base/dsn.h"
#include "sinks/sink.h"

namespace presence {

/// A real database, on the way to which batches and answers get lost.
class DatabaseWay : public Sink {
 public:
  explicit DatabaseWay(const std::string& dsn) : database_(std::move(open_sink(*parse_dsn(dsn))).value()) {}

  Status install() override { return database_->install(); }

  using Sink::write;
  Result<WriteReport> write(const BatchId& id, std::span<const CounterRow> rows, BatchNotes& notes) override {
    if (broken) {
      return Error{ErrorCode::unavailable, "the server is gone"};
    }
    Result<WriteReport> written = database_->write(id, rows, notes);
    sources.insert(id.source);
    if (committed) {
      committed();
    }
    if (answers_to_lose > 0 && written) {
      --answers_to_lose;
      return Error{ErrorCode::unanswered, "the connection was lost while the commit was under way"};
    }
    return written;
  }

  Result<std::vector<CounterBucket>> read(const CounterQuery& query) override { return database_->read(query); }
  Result<StoredCounters> read_with_ledger(const CounterQuery& query, std::span<const std::string> of) override {
    return database_->read_with_ledger(query, of);
  }

  int answers_to_lose = 0;
  bool broken = false;
  std::function<void()> committed;  ///< Called after a commit, before its answer.
  std::set<std::string> sources;    ///< Each has a row in the ledger.

 private:
  std::unique_ptr<Sink> database_;
};

}  // namespace presence
