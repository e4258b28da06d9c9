/* The batched upsert as a bare C client sends it: one transaction, one prepared text of about a megabyte a statement.
 *
 *   bare_client HOST PORT USER PASSWORD DATABASE
 *
 * Writes kBatches minutes of kRows new rows each and prints the nanoseconds of the fastest batch. */
#include <mysql.h>
#include <time.h>

#include "rows.h"

static MYSQL* server;

static void run(const char* text, size_t size) {
  if (mysql_real_query(server, text, size) != 0) {
    fprintf(stderr, "%s\n", mysql_error(server));
    exit(1);
  }
}

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static const char kHead[] =
    "INSERT INTO bare_client (hash, name, argument, timeslot, total, minimum, maximum, count) VALUES ";
static const char kTail[] =
    " ON DUPLICATE KEY UPDATE total = total + VALUES(total), count = count + VALUES(count), minimum = LEAST(minimum, "
    "VALUES(minimum)), maximum = GREATEST(maximum, VALUES(maximum))";
enum { kStatement = 1 << 20 };

static void write_batch(const struct bench_row* rows, int64_t slot, char* text) {
  run("START TRANSACTION", 17);
  for (int next = 0; next < kRows;) {
    size_t size = sizeof kHead - 1;
    memcpy(text, kHead, size);
    for (; next < kRows && size < kStatement - 1024; ++next) {
      const struct bench_row* row = &rows[next];
      size += (size_t)sprintf(text + size, "('%s','bench.upsert','%s',%" PRId64 ",%.17g,%.17g,%.17g,1),", row->hash,
                              row->argument, slot, row->total, row->total, row->total);
    }
    memcpy(text + size - 1, kTail, sizeof kTail - 1);
    run(text, size - 1 + sizeof kTail - 1);
  }
  run("COMMIT", 6);
}

int main(int count, char** arguments) {
  if (count != 6) {
    fprintf(stderr, "usage: bare_client HOST PORT USER PASSWORD DATABASE\n");
    return 64;
  }
  server = mysql_init(NULL);
  if (mysql_real_connect(server, arguments[1], arguments[3], arguments[4], arguments[5], (unsigned)atoi(arguments[2]),
                         NULL, 0) == NULL) {
    fprintf(stderr, "%s\n", mysql_error(server));
    return 1;
  }
  static const char kDrop[] = "DROP TABLE IF EXISTS bare_client";
  static const char kCreate[] =
      "CREATE TABLE bare_client (hash CHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY, name VARCHAR(64) NOT NULL, "
      "argument VARCHAR(250) NULL, timeslot BIGINT NOT NULL, total DOUBLE NOT NULL, minimum DOUBLE NOT NULL, maximum DOUBLE NOT NULL, "
      "count BIGINT NOT NULL, INDEX (name, timeslot)) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin";
  run(kDrop, sizeof kDrop - 1);
  run(kCreate, sizeof kCreate - 1);
  char* text = malloc(kStatement + 4096);
  int64_t best = INT64_MAX;
  for (int64_t batch = 1; batch <= kBatches; ++batch) {
    struct bench_row* rows = bench_rows(60 * batch);
    const int64_t before = now();
    write_batch(rows, 60 * batch, text);
    const int64_t took = now() - before;
    best = took < best ? took : best;
    free(rows);
  }
  printf("%" PRId64 "\n", best);
  mysql_close(server);
  return 0;
}
