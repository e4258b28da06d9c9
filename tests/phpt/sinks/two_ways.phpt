--TEST--
Two ways into one database, a DSN and a PDO object, are two sources to its ledger: the rows of both arrive
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
$file = ini_get('presence.segment') . '.sqlite';
$pdo = new PDO("sqlite:$file");
for ($minute = 0; $minute < 3; $minute++) {
    set_clock(60 * $minute);
    Counters::$db = $pdo;
    Counters::add('views', null, 1);
    Counters::connect("sqlite:$file");
    Counters::add('views', null, 10);
    Counters::$db = null;
    Counters::connect("sqlite:$file?timeout=3");
    Counters::add('views', null, 100);
    set_clock(60 * $minute + 60);
    Counters::$db = $pdo;
    Counters::flush();
    attempt(fn () => array_map(fn ($row) => json_decode($row)[3], stored_rows($file)));
}
attempt(fn () => Counters::pending());
?>
--EXPECT--
[111]
[111,111]
[111,111,111]
[]
