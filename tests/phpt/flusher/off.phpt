--TEST--
presence.flusher=off: nothing is stored until Counters::flush() is called, by whichever process
--EXTENSIONS--
pcntl
pdo_sqlite
--SKIPIF--
<?php
require __DIR__ . '/../support.inc.php';
skip_without_clock();
?>
--INI--
presence.flusher=off
--FILE--
<?php
require __DIR__ . '/../support.inc.php';
require __DIR__ . '/../clock.inc.php';
$off = ['presence.flusher' => 'off'];
for ($minute = 0; $minute < 12; $minute++) {
    set_clock(60 * $minute);
    Counters::add('views', null, 2 ** $minute);
    if ($minute % 4 === 0) {
        echo run_php("Counters::add('views', null, 10000);", $off, true);
    }
}
// There are eight tables in memory: what came after they were full went straight into the database.
attempt(fn () => array_sum(array_column(Counters::pending(), 'total')) + array_sum(array_map(fn ($row) => json_decode($row)[3], stored_rows())));
attempt(fn () => array_sum(array_column(Counters::read('views', CLOCK_START), 'total')));
attempt(fn () => users_of_segment());
echo run_php('echo Counters::flush(), "\n";', $off, true);
attempt(fn () => array_sum(array_map(fn ($row) => json_decode($row)[3], stored_rows())));
attempt(fn () => array_map(fn ($row) => ($row['slot'] - CLOCK_START) / 60, Counters::pending()));
attempt(fn () => array_sum(array_column(Counters::read('views', CLOCK_START), 'total')));
attempt(fn () => Counters::status()['direct_adds']);
?>
--EXPECT--
34095
34095
[]
8
34095
[]
34095
5
