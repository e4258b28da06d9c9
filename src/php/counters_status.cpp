#include "php/counters_status.h"

#include <cstdint>
#include <string>

#include "base/clock.h"
#include "php/globals.h"

namespace presence::php {
namespace {

void add_text(zval* array, const char* key, const std::string& text) {
  add_assoc_stringl(array, key, text.data(), text.size());
}

/// A Unix time, or another number that is null where it is 0: "never", "none".
void add_time(zval* array, const char* key, UnixTime time) {
  if (time == 0) {
    add_assoc_null(array, key);
  } else {
    add_assoc_long(array, key, time);
  }
}

void add_number(zval* array, const char* key, std::uint64_t number) {
  add_assoc_long(array, key, static_cast<zend_long>(number));
}

void add_sink(zval* list, const CounterStatus::SinkPart& sink) {
  zval row;
  array_init(&row);
  if (sink.sink.empty()) {
    add_assoc_string(&row, "sink", "Counters::$db");
  } else {
    add_text(&row, "sink", sink.sink);
  }
  add_time(&row, "last_flush", sink.last_flush);
  add_number(&row, "rows_written", sink.rows_written);
  add_number(&row, "batches_written", sink.batches_written);
  add_number(&row, "rows_refused", sink.rows_refused);
  add_number(&row, "batches_doubtful", sink.batches_doubtful);
  add_assoc_string(&row, "breaker", sink.failures == 0 ? "closed" : "open");
  add_number(&row, "failures", sink.failures);
  add_time(&row, "next_attempt", sink.failures == 0 ? 0 : sink.next_attempt);
  if (sink.last_error_time == 0) {
    add_assoc_null(&row, "last_error");
  } else {
    add_text(&row, "last_error", sink.last_error);
  }
  add_time(&row, "last_error_time", sink.last_error_time);
  add_next_index_zval(list, &row);
}

const char* mode_name(FlusherMode mode) {
  switch (mode) {
    case FlusherMode::automatic: return "auto";
    case FlusherMode::request: return "request";
    case FlusherMode::off: return "off";
  }
  return "";
}

}  // namespace

void set_counters_status(zval* array, const CounterStatus& status) {
  array_init(array);
  add_assoc_bool(array, "enabled", true);
  add_assoc_bool(array, "available", status.segment.has_value());
  zval part;
  if (status.segment) {
    array_init(&part);
    add_text(&part, "path", status.segment->path);
    add_number(&part, "size", status.segment->size);
    add_number(&part, "layout", status.segment->layout);
    add_number(&part, "processes_used", status.segment->lanes_used);
    add_number(&part, "processes_max", status.segment->lanes_max);
    add_assoc_zval(array, "segment", &part);
  } else {
    add_assoc_null(array, "segment");
  }
  array_init(&part);
  add_number(&part, "used", status.series_used);
  add_number(&part, "max", status.series_max);
  add_number(&part, "minutes_used", status.minutes_used);
  add_number(&part, "minutes_max", status.minutes_max);
  add_assoc_zval(array, "series", &part);
  array_init(&part);
  add_number(&part, "used", status.targets_used);
  add_number(&part, "max", status.targets_max);
  add_assoc_zval(array, "targets", &part);
  add_number(array, "direct_adds", status.direct_adds);
  add_number(array, "refused_adds", status.refused_adds);
  add_number(array, "shortened_arguments", status.shortened_arguments);
  add_number(array, "scrubbed_arguments", status.scrubbed_arguments);
  add_number(array, "damaged_series", status.damaged_series);
  array_init(&part);
  add_assoc_string(&part, "mode", mode_name(PRESENCE_G(settings)->flusher));
  add_time(&part, "pid", status.flusher_pid);
  add_time(&part, "heartbeat", status.flusher_heartbeat);
  add_number(&part, "fork_failures", status.fork_failures);
  add_time(&part, "last_run", status.last_run);
  add_time(&part, "next_run", status.next_run);
  add_number(&part, "batches_waiting", status.batches_waiting);
  add_assoc_zval(array, "flusher", &part);
  array_init(&part);
  add_text(&part, "data_dir", status.data_dir);
  if (status.data_dir_ignored.empty()) {
    add_assoc_null(&part, "data_dir_ignored");
  } else {
    add_text(&part, "data_dir_ignored", status.data_dir_ignored);
  }
  add_assoc_bool(&part, "data_dir_usable", status.data_dir_usable);
  add_number(&part, "batches", status.spool.batches);
  add_number(&part, "bytes", status.spool.bytes);
  add_number(&part, "max", PRESENCE_G(settings)->spool_max);
  add_time(&part, "oldest", status.spool.oldest);
  add_number(&part, "set_aside", status.set_aside);
  add_assoc_zval(array, "spool", &part);
  array_init(&part);
  for (const CounterStatus::SinkPart& sink : status.sinks) {
    add_sink(&part, sink);
  }
  add_assoc_zval(array, "sinks", &part);
}

}  // namespace presence::php
