// The same rows as bare_client.c writes, through the mysql sink, with its ledger.
//
//   sink_client mysql://user:password@host:port/database
//
// Prints the nanoseconds of the fastest batch.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <vector>

#include "rows.h"
#include "sinks/sink.h"

namespace presence {
namespace {

std::vector<CounterRow> rows_of(UnixTime slot) {
  bench_row* made = bench_rows(slot);
  std::vector<CounterRow> rows(kRows);
  for (int i = 0; i < kRows; ++i) {
    CounterRow& row = rows[static_cast<std::size_t>(i)];
    std::copy_n(made[i].hash, row.hash.size(), row.hash.begin());
    row.name = "bench.upsert";
    row.argument = made[i].argument;
    row.slot = slot;
    row.sums = {made[i].total, made[i].total, made[i].total, 1};
  }
  std::free(made);
  return rows;
}

int fail(const Error& error) {
  std::fprintf(stderr, "%s\n", error.message.c_str());
  return 1;
}

int measure(const char* text) {
  const Result<Dsn> dsn = parse_dsn(text);
  if (!dsn) {
    return fail(dsn.error());
  }
  const Result<std::unique_ptr<Sink>> sink = open_sink(*dsn);
  if (!sink) {
    return fail(sink.error());
  }
  if (const Status installed = (*sink)->install(); !installed) {
    return fail(installed.error());
  }
  // Of this run's own: a batch that was written before would be passed over, and rows that are there would be updated,
  // which costs something else.
  const UnixTime first = std::chrono::system_clock::now().time_since_epoch().count() / 1'000'000 * 60;
  const std::string source(32, 'b');
  std::int64_t best = std::numeric_limits<std::int64_t>::max();
  for (int batch = 1; batch <= kBatches; ++batch) {
    const std::vector<CounterRow> rows = rows_of(first + 60 * batch);
    const auto before = std::chrono::steady_clock::now();
    const Result<WriteReport> written = (*sink)->write({source, static_cast<std::uint64_t>(first / 60 + batch)}, rows);
    const std::chrono::nanoseconds took = std::chrono::steady_clock::now() - before;
    if (!written) {
      return fail(written.error());
    }
    if (written->outcome != WriteReport::Outcome::committed) {
      return fail({ErrorCode::internal, "a batch was taken for one that is known"});
    }
    best = std::min<std::int64_t>(best, took.count());
  }
  std::printf("%lld\n", static_cast<long long>(best));
  return 0;
}

}  // namespace
}  // namespace presence

int main(int count, char** arguments) {
  if (count != 2) {
    std::fprintf(stderr, "usage: sink_client DSN\n");
    return 64;
  }
  return presence::measure(arguments[1]);
}
