// Memory for a visitor table under test, and processes that work on it.
#pragma once

#include <sys/mman.h>

#include <atomic>
#include <cstddef>
#include <new>
#include <span>
#include <string>

#include "visitors/visitor_table.h"

namespace presence {

/// A formatted table in anonymous memory that forked children share.
class TableMemory {
 public:
  static constexpr std::uint64_t kSeed = 0x5EED5EED5EED5EED;

  explicit TableMemory(std::uint32_t max_visitors) {
    const SectionSpec section = VisitorTable::section(max_visitors);
    size_ = section.size;
    void* mapped = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED) {
      throw std::bad_alloc();
    }
    base_ = static_cast<std::byte*>(mapped);
    section.format(bytes());
  }
  TableMemory(const TableMemory&) = delete;
  TableMemory& operator=(const TableMemory&) = delete;
  ~TableMemory() { munmap(base_, size_); }

  [[nodiscard]] std::span<std::byte> bytes() const { return {base_, size_}; }

  [[nodiscard]] VisitorTable table(
      LaneIndex lane = 0, LaneAlive alive = [](LaneIndex) { return true; }) const {
    return VisitorTable::attach(bytes(), kSeed, lane, std::move(alive)).value();
  }

 private:
  std::byte* base_ = nullptr;
  std::size_t size_ = 0;
};

/// An array of T in anonymous memory that forked children share; zeroed.
template <class T>
class SharedArray {
 public:
  explicit SharedArray(std::size_t count) : size_(count * sizeof(T)) {
    void* mapped = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED) {
      throw std::bad_alloc();
    }
    items_ = static_cast<T*>(mapped);
  }
  SharedArray(const SharedArray&) = delete;
  SharedArray& operator=(const SharedArray&) = delete;
  ~SharedArray() { munmap(items_, size_); }

  T& operator[](std::size_t i) const { return items_[i]; }

 private:
  std::size_t size_;
  T* items_ = nullptr;
};

/// The space of that name, opened.
inline Space open_space(const VisitorTable& table, std::string_view name, UnixTime now,
                        std::uint32_t retention = 3600) {
  return table.open_space(table.space_key(name), retention, now).value();
}

}  // namespace presence
