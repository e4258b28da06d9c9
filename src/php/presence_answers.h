// Visitor ids from PHP's arrays, and answers about them as PHP's arrays.
#pragma once

#include <array>
#include <charconv>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "php/convert.h"
#include "php/php_api.h"

namespace presence::php {

/// The ids of an array as the core wants them. Integers are written as text into memory of its own.
class VisitorIds {
 public:
  explicit VisitorIds(HashTable* ids) {
    const std::size_t size = zend_hash_num_elements(ids);
    texts_.reserve(size);
    numbers_.reserve(size);
    zval* id;
    ZEND_HASH_FOREACH_VAL(ids, id) {
      ZVAL_DEREF(id);
      if (Z_TYPE_P(id) == IS_STRING) {
        texts_.push_back(bytes(Z_STR_P(id)));
      } else {
        // Reserved above, so what was written before does not move.
        std::array<char, 24>& digits = numbers_.emplace_back();
        const auto written = std::to_chars(digits.data(), digits.data() + digits.size(), Z_LVAL_P(id));
        texts_.emplace_back(digits.data(), static_cast<std::size_t>(written.ptr - digits.data()));
      }
    }
    ZEND_HASH_FOREACH_END();
  }

  [[nodiscard]] std::span<const std::string_view> texts() const { return texts_; }

 private:
  std::vector<std::string_view> texts_;
  std::vector<std::array<char, 24>> numbers_;
};

/// Makes an array of the answers by id; all "no" without any. As in PHP's own arrays the key "42" is the integer 42.
/// Only inside run_zend().
void set_answers(zval* result, HashTable* ids, const bool* answers);

}  // namespace presence::php
