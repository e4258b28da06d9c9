--TEST--
Counters::slot(): the start of a minute, also before 1970 and at the ends of the range
--FILE--
<?php
require __DIR__ . '/../support.inc.php';
foreach ([0, 59, 60, 61, 1700000000, -1, -60, -61, PHP_INT_MAX, PHP_INT_MIN + 60] as $time) {
    $slot = Counters::slot($time);
    echo $time, ' ', $slot, ' ', $slot % 60 === 0 && $slot <= $time && $time - $slot < 60 ? 'ok' : 'WRONG', "\n";
}
attempt(fn () => Counters::slot(PHP_INT_MIN));
$before = time();
$slot = Counters::slot();
$same = Counters::slot(null);
$after = time();
// The clock may pass a minute's end between the calls.
var_dump($slot >= $before - 60 && $slot <= $after && $slot % 60 === 0 && $same >= $slot);
attempt(fn () => Counters::slot('soon'));
attempt(fn () => Counters::slot(1, 2));
?>
--EXPECT--
0 0 ok
59 0 ok
60 60 ok
61 60 ok
1700000000 1699999980 ok
-1 -60 ok
-60 -60 ok
-61 -120 ok
9223372036854775807 9223372036854775800 ok
-9223372036854775748 -9223372036854775800 ok
ValueError: Counters::slot(): Argument #1 ($time) must be a Unix time
bool(true)
TypeError: Counters::slot(): Argument #1 ($time) must be of type ?int, string given
ArgumentCountError: Counters::slot() expects at most 1 argument, 2 given
