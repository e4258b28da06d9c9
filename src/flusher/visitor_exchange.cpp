#include "flusher/visitor_exchange.h"

#include <utility>

namespace presence {
namespace {

/// Seconds that a call may wait for a server. Counters wait along, so it is well below the five within which a minute
/// is stored; a server that does not answer is left alone for longer and longer (see CircuitBreaker).
constexpr double kStoreTimeout = 1;

}  // namespace

VisitorExchange::VisitorExchange(Lane lane, const VisitorTable& table, const ReplicaTable& replicas)
    : lane_(std::move(lane)), table_(table), exchanges_(table_, replicas, stores_, kStoreTimeout) {}

std::unique_ptr<VisitorExchange> VisitorExchange::begin(const FlusherSource& source) {
  Result<Lane> lane = Lane::claim(source.lanes);
  if (!lane) {
    return nullptr;
  }
  const Result<VisitorTable> table =
      VisitorTable::attach(source.segment.section(SectionId::visitors), source.segment.seed(), lane->index(),
                           [&lanes = source.lanes](LaneIndex other) { return lanes.alive(other); });
  if (!table) {
    return nullptr;
  }
  return std::unique_ptr<VisitorExchange>(new VisitorExchange(std::move(*lane), *table, *source.replicas));
}

}  // namespace presence
