--TEST--
A minute is stored once it is over, exactly as it was counted, and only once
--EXTENSIONS--
pcntl
pdo_sqlite
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
Counters::install();
echo date('c'), ' ', Counters::slot() - CLOCK_START, "\n";
Counters::add('views', '/', 2);
set_clock(59);
Counters::add('views', '/', 0.5);
Counters::add('views', null, -1);
attempt(fn () => Counters::flush());
attempt(fn () => array_column(Counters::pending(), 'total', 'argument'));
set_clock(60);
Counters::add('views', '/', 8);
attempt(fn () => Counters::flush());
print_r(stored_rows());
attempt(fn () => Counters::pending());
attempt(fn () => Counters::flush());
// More for a minute that is stored already: the clock was put back.
set_clock(30);
Counters::add('views', '/', 100);
set_clock(180);
attempt(fn () => Counters::flush());
print_r(stored_rows());
attempt(fn () => Counters::pending());
?>
--EXPECT--
2025-01-01T00:00:00+00:00 0
0
{"":-1,"\/":2.5}
2
Array
(
    [0] => [1735689600,"views",null,-1,1,-1,-1]
    [1] => [1735689600,"views","\/",2.5,2,0.5,2]
)
[{"name":"views","argument":"\/","slot":1735689660,"total":8,"count":1,"minimum":8,"maximum":8}]
0
2
Array
(
    [0] => [1735689600,"views",null,-1,1,-1,-1]
    [1] => [1735689600,"views","\/",102.5,3,0.5,100]
    [2] => [1735689660,"views","\/",8,1,8,8]
)
[]
