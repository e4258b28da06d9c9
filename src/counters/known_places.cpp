#include "counters/known_places.h"

#include <algorithm>
#include <bit>
#include <new>
#include <utility>

#include "counters/target_table.h"

namespace presence {
namespace {

static_assert(TargetTable::kTargets <= 256, "an identity has a byte for the target");

unsigned shift_for(std::size_t size) { return 64 - static_cast<unsigned>(std::countr_zero(size)); }

}  // namespace

KnownPlaces::KnownPlaces(std::uint32_t max_series)
    : shift_(shift_for(kFirstSize)),
      // A table that is a quarter full has a place near each home.
      limit_(std::clamp(std::bit_ceil(std::size_t{max_series} * 4), kFirstSize, kLargestSize)),
      places_(std::make_unique<KnownPlace[]>(kFirstSize + kNear)) {}

KnownPlace* KnownPlaces::vacant(std::uint64_t quick_hash) const {
  KnownPlace* const first = home(quick_hash);
  KnownPlace* const found = std::find_if(first, first + kNear, [this](const KnownPlace& at) { return !current(at); });
  return found == first + kNear ? nullptr : found;
}

bool KnownPlaces::grow() {
  for (std::size_t size = size_ * 2; size <= limit_; size *= 2) {
    KnownPlaces larger = KnownPlaces(0);
    larger.places_.reset(new (std::nothrow) KnownPlace[size + kNear]);
    if (!larger.places_) {
      return false;
    }
    larger.size_ = size;
    larger.shift_ = shift_for(size);
    larger.generation_ = generation_;
    const bool all = std::all_of(&places_[0], &places_[size_ + kNear], [&](const KnownPlace& place) {
      KnownPlace* const to = current(place) ? larger.vacant(place.quick_hash) : nullptr;
      if (to != nullptr) {
        *to = place;
      }
      return to != nullptr || !current(place);
    });
    if (all) {
      places_ = std::move(larger.places_);
      size_ = size;
      shift_ = larger.shift_;
      return true;
    }
  }
  return false;
}

KnownPlace* KnownPlaces::put(const SeriesKey& key, std::uint64_t quick_hash, const char* bytes, SumsCell& cell) {
  KnownPlace* place = vacant(quick_hash);
  while (place == nullptr && grow()) {
    place = vacant(quick_hash);
  }
  if (place == nullptr) {
    place = home(quick_hash);
  }
  *place = {quick_hash, identity_of(key), bytes, &cell};
  return place;
}

}  // namespace presence
