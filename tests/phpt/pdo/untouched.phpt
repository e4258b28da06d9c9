--TEST--
Counters::$db without shared memory: nothing is sent in the middle of the application's work, all of it when the script ends
--EXTENSIONS--
pdo_mysql
--SKIPIF--
<?php
require __DIR__ . '/../mysql.inc.php';
skip_without_mysql();
?>
--FILE--
<?php
require __DIR__ . '/../support.inc.php';
require __DIR__ . '/../mysql.inc.php';
$check = mysql_pdo();
$database = mysql_database($check);
$check->exec("USE $database");
$check->exec('CREATE TABLE orders (id INT AUTO_INCREMENT PRIMARY KEY, what INT)');
// The table that sites have had for long: an upsert into it is an insert id.
$check->exec('CREATE TABLE counter (id BIGINT AUTO_INCREMENT PRIMARY KEY, hash CHAR(32) UNIQUE, name VARCHAR(64), argument VARCHAR(250) NULL,
    timeslot BIGINT, total FLOAT, minimum FLOAT, maximum FLOAT, count INT, INDEX (timeslot), INDEX (name)) DEFAULT CHARSET utf8mb4 AUTO_INCREMENT 1000');
$arguments = implode(', ', array_map(fn ($part) => var_export($part, true), mysql_credentials('', $database)));
$work = 'require ' . var_export(__DIR__ . '/../support.inc.php', true) . "; \$arguments = [$arguments];" . <<<'PHP'
    Counters::$db = $pdo = new PDO(...$arguments);
    $other = new PDO(...$arguments);
    $other->exec('SET lock_wait_timeout = 1');
    set_error_handler(fn () => true);  // That there is no shared memory.
    $pdo->exec('INSERT INTO orders (what) VALUES (1)');
    Counters::add('views', null, 1);
    attempt(fn () => $pdo->lastInsertId());
    $pdo->exec('LOCK TABLES orders WRITE');
    Counters::add('views', null, 20);
    attempt(fn () => $other->exec('INSERT INTO orders (what) VALUES (2)'));
    $pdo->exec('UNLOCK TABLES');
    $pdo->beginTransaction();
    $pdo->exec('INSERT INTO orders (what) VALUES (3)');
    Counters::add('views', null, 300);
    $pdo->rollBack();
    attempt(fn () => $pdo->query('SELECT COUNT(*) FROM orders')->fetchColumn());
    attempt(fn () => $other->query('SELECT COUNT(*) FROM counter')->fetchColumn());
    attempt(fn () => array_map(fn ($row) => [$row['total'], $row['count']], Counters::read('views', time() - 3600, null, 86400)));
    attempt(fn () => [Counters::available(), Counters::status()['spool']['batches']]);
    PHP;
$folder = ini_get('presence.segment') . '.none';
echo run_php($work, ['presence.segment' => "$folder/segment", 'presence.data_dir' => "$folder.data"]);
attempt(fn () => $check->query('SELECT SUM(total), SUM(count) FROM counter')->fetch(PDO::FETCH_NUM));
$check->exec("DROP DATABASE $database");
?>
--EXPECT--
"1"
PDOException: SQLSTATE[HY000]: General error: 1205 Lock wait timeout exceeded; try restarting transaction
1
0
[[321,3]]
[false,3]
[321,"3"]
