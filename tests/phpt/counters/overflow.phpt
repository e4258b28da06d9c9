--TEST--
Sums beyond the largest number stop there: they are shown, stored and read, and hold up nothing else
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
for ($i = 0; $i < 20; $i++) {
    Counters::add('up', null, PHP_FLOAT_MAX);
    Counters::add('down', null, -PHP_FLOAT_MAX);
    Counters::add('normal', null, 1);
}
$show = function (array $rows) {
    foreach ($rows as $row) {
        unset($row['slot']);
        var_dump(implode(' ', $row));
    }
};
$show(Counters::pending());
set_clock(60);
attempt(fn () => Counters::flush());
foreach (['up', 'down', 'normal'] as $name) {
    $show(Counters::read($name, CLOCK_START));
}
Counters::add('up', null, PHP_FLOAT_MAX);
$show(Counters::read('up', CLOCK_START, null, 3600));
set_clock(120);
attempt(fn () => Counters::flush());
$show(Counters::read('up', CLOCK_START, null, 3600));
?>
--EXPECT--
string(74) "down  -1.7976931348623E+308 20 -1.7976931348623E+308 -1.7976931348623E+308"
string(17) "normal  20 20 1 1"
string(69) "up  1.7976931348623E+308 20 1.7976931348623E+308 1.7976931348623E+308"
3
string(86) "1.7976931348623E+308 20 1.7976931348623E+308 1.7976931348623E+308 8.9884656743116E+306"
string(90) "-1.7976931348623E+308 20 -1.7976931348623E+308 -1.7976931348623E+308 -8.9884656743116E+306"
string(11) "20 20 1 1 1"
string(86) "1.7976931348623E+308 21 1.7976931348623E+308 1.7976931348623E+308 8.5604434993444E+306"
1
string(86) "1.7976931348623E+308 21 1.7976931348623E+308 1.7976931348623E+308 8.5604434993444E+306"
