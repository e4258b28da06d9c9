// A segment with lanes, targets and minute tables for tests of the counting path.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "counters/accumulator.h"
#include "counters/minute_tables.h"
#include "counters/sealer.h"
#include "counters/target_table.h"
#include "flusher/table_rows.h"
#include "segment/lane.h"
#include "segment/segment.h"
#include "unit/temp_folder.h"

namespace presence {

class CountingFixture : public testing::Test {
 protected:
  void SetUp() override { open(1024); }

  void open(std::uint32_t max_series) {
    tables_.reset();
    targets_.reset();
    lanes_.reset();
    segment_.reset();
    const std::array<SectionSpec, 3> sections = {Lanes::section(), TargetTable::section(),
                                                 MinuteTables::section(max_series)};
    const std::string path = folder_.file("segment-" + std::to_string(max_series));
    Result<Segment::Opened> opened = Segment::open({path}, sections);
    ASSERT_TRUE(opened.ok()) << opened.error().message;
    segment_ = std::make_unique<Segment>(std::move(opened->segment));
    lanes_ = std::make_unique<Lanes>(*segment_);
    targets_ = std::make_unique<TargetTable>(*segment_);
    tables_ = std::make_unique<MinuteTables>(*segment_);
    ASSERT_TRUE(tables_->valid() && targets_->valid());
    ASSERT_EQ(targets_->find_or_add(kFingerprint, "sqlite:/nowhere"), TargetIndex{0});
  }

  /// An accumulator with a lane of its own.
  class Adder {
   public:
    explicit Adder(const CountingFixture& fixture)
        : lane_(Lane::claim(*fixture.lanes_)), accumulator_(*fixture.tables_, *lane_) {}
    bool add(const SeriesKey& key, double value) { return accumulator_.add(key, key.hash(1), value); }
    bool add_known(const SeriesKey& key, double value) { return accumulator_.add_known(key, key.hash(1), value); }

   private:
    Result<Lane> lane_;
    Accumulator accumulator_;
  };

  Adder accumulator() const { return Adder(*this); }

  /// Seals everything, takes the rows out of the sealed tables, and frees these.
  std::vector<CounterRow> take_all() {
    seal(*tables_, *lanes_, SealScope::all, 0);
    std::vector<CounterRow> taken;
    for (std::uint32_t number = 0; number < MinuteTables::kTables; ++number) {
      const MinuteTable table = tables_->table(number);
      const TableState state = table.state();
      if (state.phase() != TablePhase::sealed) {
        continue;
      }
      for (auto& [fingerprint, rows] : rows_of(table, *tables_, *targets_)) {
        taken.insert(taken.end(), rows.begin(), rows.end());
      }
      EXPECT_TRUE(table.change(state, state.with(TablePhase::stored)));
      table.reset();
    }
    return taken;
  }

  /// All that was taken, by name and argument.
  std::map<std::pair<std::string, std::string>, Sums> take_sums() {
    std::map<std::pair<std::string, std::string>, Sums> sums;
    for (const CounterRow& row : take_all()) {
      Sums& of_series = sums[{row.name, row.argument.value_or("(none)")}];
      of_series = combine(of_series, row.sums);
    }
    return sums;
  }

  static constexpr std::string_view kFingerprint = "0123456789abcdef0123456789abcdef";

  TempFolder folder_;
  std::unique_ptr<Segment> segment_;
  std::unique_ptr<Lanes> lanes_;
  std::unique_ptr<TargetTable> targets_;
  std::unique_ptr<MinuteTables> tables_;
};

}  // namespace presence
