--TEST--
Counters::$db: a fatal error in the middle of a script loses nothing that was counted
--EXTENSIONS--
pdo_sqlite
--SKIPIF--
<?php
require __DIR__ . '/../support.inc.php';
skip_without_memory_limit();
?>
--FILE--
<?php
require __DIR__ . '/../support.inc.php';
$file = ini_get('presence.segment') . '.sqlite';
$set_up = "Counters::\$db = new PDO('sqlite:$file'); Counters::add('views');";
echo preg_match('/Allowed memory size/', run_php("$set_up str_repeat('x', 1 << 30);", ['memory_limit' => '32M'], true)), "\n";
echo run_php("$set_up exit(3);", [], true), run_php("$set_up throw new Exception('thrown');", ['display_errors' => '0'], true);
echo run_php($set_up, [], true);
echo (new PDO("sqlite:$file"))->query('SELECT SUM(count) FROM counter')->fetchColumn(), "\n";
?>
--EXPECTF--
1
4
