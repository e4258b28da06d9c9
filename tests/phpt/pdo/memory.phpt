--TEST--
Counters::$db: a database in memory gets its rows at once, since no later request could reach it
--EXTENSIONS--
pdo_sqlite
--FILE--
<?php
require __DIR__ . '/../support.inc.php';
foreach (['sqlite::memory:', 'sqlite:'] as $dsn) {
    $pdo = new PDO($dsn);
    Counters::$db = $pdo;
    Counters::install();
    Counters::add('views', '/', 1);
    Counters::add('views', '/', 3);
    Counters::add('views', "\0", 1);
    echo json_encode(Counters::pending()), "\n";
    echo json_encode($pdo->query('SELECT SUM(total), MIN(minimum), MAX(maximum), SUM(count) FROM counter')->fetch(PDO::FETCH_NUM)), "\n";
    echo json_encode($pdo->query('SELECT DISTINCT hex(argument) FROM counter ORDER BY 1')->fetchAll(PDO::FETCH_COLUMN)), "\n";
}
?>
--EXPECT--
[]
[5,1,3,3]
["00","2F"]
[]
[5,1,3,3]
["00","2F"]
