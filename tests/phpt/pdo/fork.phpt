--TEST--
Counters::$db: a forked child does not write over its parent's connection, and nothing is lost
--EXTENSIONS--
pdo_sqlite
pcntl
--FILE--
<?php
require __DIR__ . '/../support.inc.php';
$file = ini_get('presence.segment') . '.sqlite';
$pdo = Counters::$db = new PDO("sqlite:$file");
Counters::install();
Counters::add('views', null, 1);
$child = pcntl_fork();
if ($child === 0) {
    Counters::add('views', null, 10);
    attempt(fn () => Counters::flush());
    Counters::$db = $own = new PDO("sqlite:$file");
    Counters::add('views', null, 100);
    attempt(fn () => Counters::read('views', time() - 3600, null, 86400)[0]['total']);
    exit;
}
pcntl_waitpid($child, $status);
echo pcntl_wexitstatus($status), "\n";
echo $pdo->query('SELECT SUM(total), SUM(count) FROM counter')->fetch(PDO::FETCH_NUM) === [111.0, 3] ? "stored\n" : "not stored\n";
?>
--EXPECT--
Presence\ConnectionException: the connection in Counters::$db is that of the parent process; open another one after a fork
111
0
stored
