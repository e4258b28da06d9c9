--TEST--
Counters::$db: a transaction of the application is neither committed nor rolled back; the rows wait
--EXTENSIONS--
pdo_sqlite
--FILE--
<?php
require __DIR__ . '/../support.inc.php';
$file = ini_get('presence.segment') . '.sqlite';
$pdo = new PDO("sqlite:$file");
$pdo->exec('CREATE TABLE orders (id INTEGER)');
Counters::$db = $pdo;
Counters::install();
foreach (['beginTransaction', fn (PDO $pdo) => $pdo->exec('BEGIN')] as $begin) {
    is_string($begin) ? $pdo->$begin() : $begin($pdo);
    $pdo->exec('INSERT INTO orders VALUES (1)');
    attempt(fn () => Counters::install());
    Counters::add('views');
    echo json_encode(Counters::read('views', time() - 3600, null, 86400)[0]['count']), "\n";
    $pdo->exec('ROLLBACK');
    echo $pdo->query('SELECT COUNT(*) FROM orders')->fetchColumn(), " orders\n";
    unset($pdo);
    Counters::$db = $pdo = new PDO("sqlite:$file");
}
// At the end of a script with a transaction open nothing is written, and the next one writes it.
$script = "Counters::\$db = \$pdo = new PDO('sqlite:$file'); %s Counters::add('late'); echo count(Counters::pending()), \"\\n\";";
echo run_php(sprintf($script, '$pdo->beginTransaction();'), [], true);
echo $pdo->query("SELECT COUNT(*) FROM counter WHERE name = 'late'")->fetchColumn(), " stored\n";
unset($pdo);
Counters::$db = null;
echo run_php(sprintf($script, ''), [], true);
echo (new PDO("sqlite:$file"))->query("SELECT SUM(count) FROM counter WHERE name = 'late'")->fetchColumn(), " stored\n";
?>
--EXPECTF--
Presence\ConnectionException: the application has a transaction open on Counters::$db; counters are written outside of those
1
0 orders
Presence\ConnectionException: %stransaction%s
2
0 orders
%d
0 stored
%d
2 stored
