--TEST--
Counters::$db: a script stores what it counted when it ends, also while a flusher lives, which cannot reach that database
--EXTENSIONS--
pdo_sqlite
pcntl
--SKIPIF--
<?php
require __DIR__ . '/../support.inc.php';
skip_without_clock();
?>
--FILE--
<?php
require __DIR__ . '/../support.inc.php';
require __DIR__ . '/../clock.inc.php';
$file = ini_get('presence.segment') . '.sqlite';
Counters::add('views', null, 1);
set_clock(60);
Counters::add('views', null, 2);
var_dump(wait_for(fn () => Counters::status()['flusher']['pid'] !== null));
$code = "Counters::\$db = new PDO('sqlite:$file'); Counters::install(); Counters::add('orders', null, 3);";
foreach ([1, 2] as $script) {
    echo run_php($code, [], true);
    attempt(fn () => (new PDO("sqlite:$file"))->query('SELECT SUM(total), SUM(count) FROM counter')->fetch(PDO::FETCH_NUM));
}
var_dump(Counters::status()['flusher']['pid'] !== null);
?>
--EXPECT--
bool(true)
[3,1]
[6,2]
bool(true)
