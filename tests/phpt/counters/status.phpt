--TEST--
Counters::status(), available() and Presence::status(): what they show, and how it moves
--EXTENSIONS--
pcntl
pdo_sqlite
--INI--
presence.flusher=off
presence.max_series=64
--SKIPIF--
<?php
require __DIR__ . '/../support.inc.php';
skip_without_clock();
?>
--FILE--
<?php
require __DIR__ . '/../support.inc.php';
require __DIR__ . '/../clock.inc.php';
/** Keys and types, with what the test run chose or the machine decides left out. */
function shape(array $status, string $indent = ''): void
{
    foreach ($status as $key => $value) {
        $known = in_array($key, ['path', 'size', 'layout', 'max', 'processes_max', 'minutes_max', 'keys_max', 'sink', 'data_dir'], true);
        echo $indent, $key, ': ', is_array($value) ? 'array' : ($known ? get_debug_type($value) : json_encode($value)), "\n";
        if (is_array($value)) {
            shape($value, "$indent  ");
        }
    }
}
shape(Counters::status());
attempt(fn () => Counters::status()['segment']['path'] === ini_get('presence.segment'));
attempt(fn () => Counters::status()['segment']['size'] === filesize(ini_get('presence.segment')));
for ($i = 0; $i < 70; $i++) {
    Counters::add('views', "$i");
}
set_clock(60);
Counters::add('views');
$status = Counters::status();
// What does not fit goes straight to the database.
attempt(fn () => [$status['series'], $status['targets'], $status['direct_adds'], $status['sinks'][0]['rows_written']]);
attempt(fn () => Counters::flush());
$status = Counters::status();
attempt(fn () => [$status['series']['used'], $status['series']['minutes_used'], $status['direct_adds'], $status['flusher']['last_run'] - CLOCK_START]);
$sink = $status['sinks'][0];
attempt(fn () => [$sink['rows_written'], $sink['batches_written'], $sink['last_flush'] - CLOCK_START, $sink['breaker'], $sink['last_error']]);
echo "-- presence\n";
$presence = new Presence();
$presence->persist('a');
$presence->room('r')->persist('b');
shape($presence->status());
attempt(fn () => $presence->room('r')->status()['key']);
attempt(fn () => [Counters::available(), Counters::status()['segment']['processes_used']]);
attempt(fn () => Counters::available(1));
attempt(fn () => Counters::status(1));
attempt(fn () => Counters::pending(1));
attempt(fn () => Counters::flush(1));
attempt(fn () => Counters::install(1));
?>
--EXPECT--
enabled: true
available: true
segment: array
  path: string
  size: int
  layout: int
  processes_used: 0
  processes_max: int
series: array
  used: 0
  max: int
  minutes_used: 0
  minutes_max: int
targets: array
  used: 0
  max: int
direct_adds: 0
refused_adds: 0
shortened_arguments: 0
scrubbed_arguments: 0
damaged_series: 0
flusher: array
  mode: "off"
  pid: null
  heartbeat: null
  fork_failures: 0
  last_run: null
  next_run: null
  batches_waiting: 0
spool: array
  data_dir: string
  data_dir_ignored: null
  data_dir_usable: true
  batches: 0
  bytes: 0
  max: int
  oldest: null
  set_aside: 0
sinks: array
true
true
[{"used":64,"max":64,"minutes_used":2,"minutes_max":8},{"used":1,"max":128},6,0]
64
[1,1,6,60]
[64,1,60,"closed",null]
-- presence
enabled: true
store: "shm:"
key: "users:online"
window: 5
retention: 60
visitors: array
  used: 2
  max: int
  keys_used: 2
  keys_max: int
  evicted_expired: 0
  evicted_live: 0
  refused: 0
last_error: null
"users:online:room:r"
[true,1]
ArgumentCountError: Counters::available() expects exactly 0 arguments, 1 given
ArgumentCountError: Counters::status() expects exactly 0 arguments, 1 given
ArgumentCountError: Counters::pending() expects exactly 0 arguments, 1 given
ArgumentCountError: Counters::flush() expects exactly 0 arguments, 1 given
ArgumentCountError: Counters::install() expects exactly 0 arguments, 1 given
