#include "php/presence_answers.h"

namespace presence::php {
namespace {

/// Sets result[id]. As in PHP's own arrays the key "42" is the integer 42.
void set_answer(zval* result, const zval* id, bool online) {
  zval answer;
  ZVAL_BOOL(&answer, online);
  if (Z_TYPE_P(id) == IS_LONG) {
    zend_hash_index_update(Z_ARRVAL_P(result), static_cast<zend_ulong>(Z_LVAL_P(id)), &answer);
  } else {
    zend_symtable_update(Z_ARRVAL_P(result), Z_STR_P(id), &answer);
  }
}

}  // namespace

void set_answers(zval* result, HashTable* ids, const bool* answers) {
  array_init_size(result, zend_hash_num_elements(ids));
  std::size_t at = 0;
  zval* id;
  ZEND_HASH_FOREACH_VAL(ids, id) {
    ZVAL_DEREF(id);
    set_answer(result, id, answers != nullptr && answers[at]);
    ++at;
  }
  ZEND_HASH_FOREACH_END();
}

}  // namespace presence::php
