/* The rows that both clients write: so many in a minute, of random hashes, sorted as the sink wants them. Plain C. */
#ifndef PRESENCE_BENCHMARKS_ROWS_H
#define PRESENCE_BENCHMARKS_ROWS_H

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kRows = 10000, kBatches = 5 };

struct bench_row {
  char hash[33];
  char argument[32];
  double total;
};

static uint64_t bench_mix(uint64_t value) { /* splitmix64 */
  value += 0x9e3779b97f4a7c15u;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
  return value ^ (value >> 31);
}

static int bench_by_hash(const void* one, const void* other) {
  return strcmp(((const struct bench_row*)one)->hash, ((const struct bench_row*)other)->hash);
}

/* kRows rows of one minute. */
static struct bench_row* bench_rows(int64_t slot) {
  struct bench_row* rows = (struct bench_row*)malloc(kRows * sizeof *rows);
  for (int i = 0; i < kRows; ++i) {
    const uint64_t seed = (uint64_t)slot * kRows + (uint64_t)i;
    snprintf(rows[i].hash, sizeof rows[i].hash, "%016" PRIx64 "%016" PRIx64, bench_mix(seed), bench_mix(~seed));
    snprintf(rows[i].argument, sizeof rows[i].argument, "argument-%d", i);
    rows[i].total = (double)(bench_mix(seed + 1) % 1000003) / 1024.0;
  }
  qsort(rows, kRows, sizeof *rows, bench_by_hash);
  return rows;
}

#endif
