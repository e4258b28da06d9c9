--TEST--
Counters::read(): minutes, hours and days, of what is stored, in memory, or partly both
--EXTENSIONS--
pcntl
--INI--
presence.flusher=off
--SKIPIF--
<?php
require __DIR__ . '/../support.inc.php';
skip_without_clock();
?>
--FILE--
<?php
require __DIR__ . '/../support.inc.php';
require __DIR__ . '/../clock.inc.php';
function show(array $rows): void
{
    foreach ($rows as $row) {
        $row['slot'] -= CLOCK_START;
        echo '  ', json_encode($row), "\n";
    }
    if ($rows === []) {
        echo "  nothing\n";
    }
}
const HOUR = 3600;
const DAY = 86400;
function add_all(): void
{
    foreach ([-DAY, -HOUR, -60, 0, 59, 60, 61, HOUR - 1, HOUR, DAY - 1, DAY] as $number => $time) {
        set_clock($time);
        Counters::add('v', $number % 2 ? 'odd' : null, 2 ** $number);
        Counters::add('w', null, -1);
    }
}
function read_all(): void
{
    echo "minutes\n";
    show(Counters::read('v', CLOCK_START - DAY));
    echo "hours\n";
    show(Counters::read('v', CLOCK_START - DAY, null, HOUR));
    echo "days\n";
    show(Counters::read('v', CLOCK_START - DAY, null, DAY));
    echo "two days (they begin where 1970 says)\n";
    show(Counters::read('v', CLOCK_START - DAY, null, 2 * DAY));
    echo "an argument\n";
    show(Counters::read('v', CLOCK_START - DAY, null, DAY, 'odd'));
    show(Counters::read('v', CLOCK_START - DAY, null, DAY, 'Odd'));
    show(Counters::read('v', CLOCK_START - DAY, null, DAY, ''));
    echo "from and until: the first is in, the last is not\n";
    show(Counters::read('v', CLOCK_START, CLOCK_START));
    show(Counters::read('v', CLOCK_START, CLOCK_START + 1));
    show(Counters::read('v', CLOCK_START, CLOCK_START + 60));
    show(Counters::read('v', CLOCK_START, CLOCK_START + 61));
    show(Counters::read('v', CLOCK_START + 1, CLOCK_START + 61));
    show(Counters::read('v', CLOCK_START + HOUR - 1, CLOCK_START + HOUR, HOUR));
    echo "nothing\n";
    show(Counters::read('V', 0));
    show(Counters::read('v', CLOCK_START + DAY + 60));
    show(Counters::read('v', CLOCK_START + 10 * DAY));
    show(Counters::read('v', 0, CLOCK_START - DAY - HOUR));
    echo "the farthest ends\n";
    show(Counters::read('w', 0, PHP_INT_MAX, PHP_INT_MAX - PHP_INT_MAX % 60));
    show(Counters::read('w', PHP_INT_MIN, PHP_INT_MIN));
    show(Counters::read('w', PHP_INT_MAX));
    var_dump(array_sum(array_column(Counters::read('w', PHP_INT_MIN, PHP_INT_MAX), 'count')));
    var_dump(array_sum(array_column(Counters::read('w', PHP_INT_MIN, PHP_INT_MAX, DAY), 'count')));
}
add_all();
$title = ['all in memory', 'all stored', 'the same once more in memory', 'all stored again'];
echo "== before anything is stored\n";
ob_start();
read_all();
$memory = ob_get_flush();
set_clock(DAY + 60);
Counters::flush();
// The end of the range is "now" by default, so the clock goes back for the comparison.
set_clock(DAY);
attempt(fn () => count(Counters::pending()));
ob_start();
read_all();
$stored = ob_get_clean();
echo "== all stored: ", $stored === $memory ? 'the same' : "\n$stored", "\n";
add_all();
set_clock(60);
Counters::flush();
set_clock(DAY);
echo "== twice, partly stored\n";
attempt(fn () => count(Counters::pending()) > 0);
show(Counters::read('v', CLOCK_START - DAY, null, DAY));
set_clock(DAY + 60);
Counters::flush();
set_clock(DAY);
show(Counters::read('v', CLOCK_START - DAY, null, DAY));
?>
--EXPECT--
== before anything is stored
minutes
  {"slot":-86400,"total":1,"count":1,"minimum":1,"maximum":1,"average":1}
  {"slot":-3600,"total":2,"count":1,"minimum":2,"maximum":2,"average":2}
  {"slot":-60,"total":4,"count":1,"minimum":4,"maximum":4,"average":4}
  {"slot":0,"total":24,"count":2,"minimum":8,"maximum":16,"average":12}
  {"slot":60,"total":96,"count":2,"minimum":32,"maximum":64,"average":48}
  {"slot":3540,"total":128,"count":1,"minimum":128,"maximum":128,"average":128}
  {"slot":3600,"total":256,"count":1,"minimum":256,"maximum":256,"average":256}
  {"slot":86340,"total":512,"count":1,"minimum":512,"maximum":512,"average":512}
  {"slot":86400,"total":1024,"count":1,"minimum":1024,"maximum":1024,"average":1024}
hours
  {"slot":-86400,"total":1,"count":1,"minimum":1,"maximum":1,"average":1}
  {"slot":-3600,"total":6,"count":2,"minimum":2,"maximum":4,"average":3}
  {"slot":0,"total":248,"count":5,"minimum":8,"maximum":128,"average":49.6}
  {"slot":3600,"total":256,"count":1,"minimum":256,"maximum":256,"average":256}
  {"slot":82800,"total":512,"count":1,"minimum":512,"maximum":512,"average":512}
  {"slot":86400,"total":1024,"count":1,"minimum":1024,"maximum":1024,"average":1024}
days
  {"slot":-86400,"total":7,"count":3,"minimum":1,"maximum":4,"average":2.3333333333333335}
  {"slot":0,"total":1016,"count":7,"minimum":8,"maximum":512,"average":145.14285714285714}
  {"slot":86400,"total":1024,"count":1,"minimum":1024,"maximum":1024,"average":1024}
two days (they begin where 1970 says)
  {"slot":-86400,"total":1023,"count":10,"minimum":1,"maximum":512,"average":102.3}
  {"slot":86400,"total":1024,"count":1,"minimum":1024,"maximum":1024,"average":1024}
an argument
  {"slot":-86400,"total":2,"count":1,"minimum":2,"maximum":2,"average":2}
  {"slot":0,"total":680,"count":4,"minimum":8,"maximum":512,"average":170}
  nothing
  nothing
from and until: the first is in, the last is not
  nothing
  {"slot":0,"total":24,"count":2,"minimum":8,"maximum":16,"average":12}
  {"slot":0,"total":24,"count":2,"minimum":8,"maximum":16,"average":12}
  {"slot":0,"total":24,"count":2,"minimum":8,"maximum":16,"average":12}
  {"slot":60,"total":96,"count":2,"minimum":32,"maximum":64,"average":48}
  {"slot":0,"total":24,"count":2,"minimum":8,"maximum":16,"average":12}
  {"slot":60,"total":96,"count":2,"minimum":32,"maximum":64,"average":48}
  {"slot":0,"total":248,"count":5,"minimum":8,"maximum":128,"average":49.6}
nothing
  nothing
  nothing
  nothing
  nothing
the farthest ends
  {"slot":-1735689600,"total":-11,"count":11,"minimum":-1,"maximum":-1,"average":-1}
  nothing
  nothing
int(11)
int(11)
0
== all stored: the same
== twice, partly stored
true
  {"slot":-86400,"total":14,"count":6,"minimum":1,"maximum":4,"average":2.3333333333333335}
  {"slot":0,"total":2032,"count":14,"minimum":8,"maximum":512,"average":145.14285714285714}
  {"slot":86400,"total":2048,"count":2,"minimum":1024,"maximum":1024,"average":1024}
  {"slot":-86400,"total":14,"count":6,"minimum":1,"maximum":4,"average":2.3333333333333335}
  {"slot":0,"total":2032,"count":14,"minimum":8,"maximum":512,"average":145.14285714285714}
  {"slot":86400,"total":2048,"count":2,"minimum":1024,"maximum":1024,"average":1024}
