--TEST--
presence.flusher=auto: a script that outlives its minute starts one flusher, which stores minutes by itself and ends when told
--EXTENSIONS--
pcntl
posix
pdo_sqlite
--SKIPIF--
<?php
require __DIR__ . '/../support.inc.php';
skip_without_clock();
?>
--FILE--
<?php
require __DIR__ . '/../support.inc.php';
require __DIR__ . '/../clock.inc.php';
// Whatever happens, none is left.
register_shutdown_function(fn () => array_map(fn ($pid) => posix_kill($pid, SIGKILL), users_of_segment()));
$file = fopen(__FILE__, 'r');
$server = stream_socket_server('tcp://127.0.0.1:0');
$sums = fn () => array_map(fn ($row) => [(json_decode($row)[0] - CLOCK_START) / 60, json_decode($row)[3]], stored_rows());
set_clock(30);
Counters::add('views', null, 1);
attempt(fn () => Counters::status()['flusher']['pid']);
set_clock(60);
Counters::add('views', null, 20);
for ($i = 0; $i < 10; $i++) {
    Counters::add("more $i", null, 0);
}
var_dump(wait_for(fn () => Counters::status()['flusher']['pid'] !== null));
$status = Counters::status()['flusher'];
$pid = $status['pid'];
attempt(fn () => users_of_segment() === [$pid]);
attempt(fn () => [$status['mode'], $status['heartbeat'] - CLOCK_START, $status['fork_failures']]);
echo trim(file_get_contents("/proc/$pid/comm")), "\n";
// What ps shows.
echo trim(file_get_contents("/proc/$pid/cmdline"), "\0"), "\n";
// It is no child, and holds nothing of ours.
attempt(fn () => pcntl_waitpid(-1, $ended, WNOHANG));
// The segment had no name yet when it was opened.
$folder = preg_quote(dirname(ini_get('presence.segment')));
attempt(fn () => array_values(preg_grep("{^(/dev/null|$folder/(segment|#\d+ \(deleted\)))$}", array_map(readlink(...), glob("/proc/$pid/fd/*")), PREG_GREP_INVERT)));
// A second after the minute's end it stores the minute, with nobody asking.
attempt(fn () => count(stored_rows()));
set_clock(61);
var_dump(wait_for(fn () => count(stored_rows()) > 0));
attempt($sums);
set_clock(122);
var_dump(wait_for(fn () => count(stored_rows()) > 11));
attempt(fn () => $sums()[11]);
// Another script finds it, starts none, and leaves the work to it.
$other = 'Counters::add("views", null, 300); file_put_contents(getenv("FAKETIME_TIMESTAMP_FILE"), ' . CLOCK_START + 180 . ');'
    . "Counters::add('views', null, 4000); echo json_encode(Counters::status()['flusher']['pid'] === $pid), \"\\n\";";
echo run_php($other, [], true);
attempt(fn () => users_of_segment() === [$pid]);
set_clock(181);
var_dump(wait_for(fn () => array_sum(array_column($sums(), 1)) === 321));
// Ended, it stores the running minute, too, and is replaced when there is something to do again.
posix_kill($pid, SIGTERM);
var_dump(wait_for(fn () => users_of_segment() === []));
attempt(fn () => array_sum(array_column($sums(), 1)));
attempt(fn () => [Counters::status()['flusher']['pid'], Counters::pending()]);
set_clock(240);
Counters::add('views', null, 50000);
var_dump(wait_for(fn () => Counters::status()['flusher']['pid'] !== null));
$second = Counters::status()['flusher']['pid'];
// Killed, it loses nothing.
posix_kill($second, SIGKILL);
var_dump(wait_for(fn () => users_of_segment() === []));
attempt(fn () => Counters::status()['flusher']['pid']);
set_clock(300);
Counters::add('views', null, 600000);
var_dump(wait_for(fn () => Counters::status()['flusher']['pid'] !== null));
set_clock(301);
var_dump(wait_for(fn () => array_sum(array_column($sums(), 1)) === 54321));
posix_kill(Counters::status()['flusher']['pid'], SIGTERM);
var_dump(wait_for(fn () => users_of_segment() === []));
attempt(fn () => array_sum(array_column($sums(), 1)));
?>
--EXPECT--
null
bool(true)
true
["auto",60,0]
presence: flush
presence: flusher
-1
[]
0
bool(true)
[[0,1]]
bool(true)
[1,20]
true
true
bool(true)
bool(true)
4321
[null,[]]
bool(true)
bool(true)
null
bool(true)
bool(true)
bool(true)
654321
