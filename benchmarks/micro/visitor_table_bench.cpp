// What the visitor table costs, warm and over a million visitors.
#include <benchmark/benchmark.h>
#include <sys/mman.h>

#include <cstdint>
#include <new>
#include <random>
#include <string>
#include <vector>

#include "visitors/visitor_table.h"

namespace presence {
namespace {

constexpr UnixTime kNow = 1'800'000'000;

/// A table in anonymous shared memory with that many visitors recorded.
class FilledTable {
 public:
  explicit FilledTable(std::uint32_t visitors) : table_(make(visitors)), space_(open()) {
    for (std::uint32_t i = 0; i < visitors; ++i) {
      ids.push_back("visitor-" + std::to_string(i * 2654435761U));
      (void)table_.record(space_, ids.back(), kNow);
    }
  }

  static FilledTable& of(std::uint32_t visitors) {
    static FilledTable small(10'000);
    static FilledTable large(1'000'000);
    return visitors == 10'000 ? small : large;
  }

  [[nodiscard]] const VisitorTable& table() const { return table_; }
  [[nodiscard]] Space space() const { return space_; }
  std::vector<std::string> ids;

 private:
  static VisitorTable make(std::uint32_t visitors) {
    const SectionSpec section = VisitorTable::section(visitors);
    void* mapped = mmap(nullptr, section.size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED) {
      throw std::bad_alloc();
    }
    const std::span<std::byte> bytes(static_cast<std::byte*>(mapped), section.size);
    section.format(bytes);
    return VisitorTable::attach(bytes, 0x1234567887654321, 0, [](LaneIndex) { return true; }).value();
  }
  [[nodiscard]] Space open() const { return table_.open_space(table_.space_key("users:online"), 3600, kNow).value(); }

  VisitorTable table_;
  Space space_;
};

void persist_same_second(benchmark::State& state) {
  const FilledTable& filled = FilledTable::of(10'000);
  std::size_t i = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(filled.table().record(filled.space(), filled.ids[i++ & 255], kNow));
  }
}
BENCHMARK(persist_same_second);

void persist_new_second(benchmark::State& state) {
  const FilledTable& filled = FilledTable::of(10'000);
  std::size_t i = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        filled.table().record(filled.space(), filled.ids[i & 255], kNow + static_cast<UnixTime>(i / 256)));
    ++i;
  }
}
BENCHMARK(persist_new_second);

void persist_random(benchmark::State& state) {
  const auto visitors = static_cast<std::uint32_t>(state.range(0));
  const FilledTable& filled = FilledTable::of(visitors);
  std::minstd_rand random(1);
  UnixTime now = kNow;
  for (auto _ : state) {
    benchmark::DoNotOptimize(filled.table().record(filled.space(), filled.ids[random() % visitors], now));
    now += random() % 64 == 0 ? 1 : 0;
  }
}
BENCHMARK(persist_random)->Arg(10'000)->Arg(1'000'000);

void is_online_known(benchmark::State& state) {
  const FilledTable& filled = FilledTable::of(10'000);
  std::size_t i = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(filled.table().last_seen(filled.space(), filled.ids[i++ & 255]));
  }
}
BENCHMARK(is_online_known);

void is_online_unknown(benchmark::State& state) {
  const auto visitors = static_cast<std::uint32_t>(state.range(0));
  const FilledTable& filled = FilledTable::of(visitors);
  std::uint64_t i = 0;
  std::vector<std::string> unknown;
  for (int n = 0; n < 4096; ++n) {
    unknown.push_back(std::to_string(n * 7919));
  }
  for (auto _ : state) {
    benchmark::DoNotOptimize(filled.table().last_seen(filled.space(), unknown[i++ & 4095]));
  }
}
BENCHMARK(is_online_unknown)->Arg(10'000)->Arg(1'000'000);

void count_over(benchmark::State& state) {
  const FilledTable& filled = FilledTable::of(static_cast<std::uint32_t>(state.range(0)));
  for (auto _ : state) {
    benchmark::DoNotOptimize(filled.table().count(filled.space(), kNow - 300));
  }
}
BENCHMARK(count_over)->Arg(10'000)->Arg(1'000'000)->Unit(benchmark::kMicrosecond);

/// With the table's words pushed out of the processor's caches before each count.
void count_cold(benchmark::State& state) {
  const FilledTable& filled = FilledTable::of(1'000'000);
  std::vector<char> other(96U << 20);
  char salt = 0;
  for (auto _ : state) {
    state.PauseTiming();
    ++salt;
    for (std::size_t i = 0; i < other.size(); i += 64) {
      other[i] = salt;
    }
    benchmark::DoNotOptimize(other.data());
    state.ResumeTiming();
    benchmark::DoNotOptimize(filled.table().count(filled.space(), kNow - 300));
  }
}
BENCHMARK(count_cold)->Unit(benchmark::kMicrosecond)->Iterations(50);

void record_new_into_a_full_table(benchmark::State& state) {
  FilledTable filled(10'000);
  std::uint64_t i = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(filled.table().record(filled.space(), std::to_string(i++), kNow + 3601));
  }
}
BENCHMARK(record_new_into_a_full_table);

}  // namespace
}  // namespace presence
