// What processes write down about their adds, where a kill cannot take it from them.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <new>
#include <string_view>

#include "base/counter_row.h"

namespace presence {

/// The series that are counted. Each is there to bring an add over other points.
enum class Series : std::size_t {
  few,    ///< Added to a few times in a minute: stays in the shared cell.
  often,  ///< Often enough for a stripe of its own.
  large,  ///< Values so different that rounding loses some of the total, which is kept beside it.
};
inline constexpr std::array<std::string_view, 3> kSeriesNames = {"few", "often", "large"};

/// One side of the books: what was to be added, or what was added for sure.
struct Account {
  double total = 0;
  double minimum = std::numeric_limits<double>::infinity();
  double maximum = -std::numeric_limits<double>::infinity();
  std::int64_t count = 0;

  void note(double value) {
    total += value;
    minimum = std::min(minimum, value);
    maximum = std::max(maximum, value);
    ++count;
  }
};

/// Puts what is on one page on another.
inline void merge(const Account& from, Account& into) {
  into.total += from.total;
  into.minimum = std::min(into.minimum, from.minimum);
  into.maximum = std::max(into.maximum, from.maximum);
  into.count += from.count;
}

/// One writer at a time. In memory that the test shares with the processes that it kills.
struct Books {
  std::array<Account, kSeriesNames.size()> intended;  ///< Written before each add.
  std::array<Account, kSeriesNames.size()> returned;  ///< Written after each add that returned.
};

/// The books' memory.
class SharedBooks {
 public:
  SharedBooks() {
    void* memory = mmap(nullptr, sizeof(Books), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    books_ = memory == MAP_FAILED ? nullptr : new (memory) Books;
  }
  SharedBooks(const SharedBooks&) = delete;
  SharedBooks& operator=(const SharedBooks&) = delete;
  ~SharedBooks() {
    if (books_ != nullptr) {
      munmap(books_, sizeof(Books));
    }
  }

  [[nodiscard]] Books& operator*() const { return *books_; }

 private:
  Books* books_;
};

}  // namespace presence
