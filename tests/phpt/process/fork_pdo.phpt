--TEST--
A PDO object set before the fork stays the parent's; a child that opens its own writes over that
--EXTENSIONS--
pcntl
pdo_mysql
posix
--SKIPIF--
<?php
require __DIR__ . '/../mysql.inc.php';
skip_without_mysql();
?>
--FILE--
<?php
require __DIR__ . '/../support.inc.php';
require __DIR__ . '/../mysql.inc.php';
$pdo = mysql_pdo();
$database = mysql_database($pdo);
Counters::$db = $pdo = mysql_pdo([], '', $database);
Counters::install();
Counters::add('views', null, 1);
for ($child = 1; $child <= 3; $child++) {
    if (pcntl_fork() === 0) {
        Counters::add('views', null, 10);
        if ($child === 2) {
            Counters::$db = mysql_pdo([], '', $database);
            Counters::add('views', null, 100);
        }
        if ($child === 3) {
            Counters::$db = null;
            Counters::connect(mysql_dsn($database));
            Counters::add('views', null, 1000);
        }
        // Not by exit: PHP would then say goodbye on the connection that it shares with the parent.
        posix_kill(getmypid(), SIGKILL);
    }
    pcntl_wait($status);
}
attempt(fn () => $pdo->query('SELECT 42')->fetchColumn());
Counters::add('views', null, 2);
attempt(fn () => array_sum(array_column(Counters::read('views', 0), 'total')));
echo run_php('Counters::$db = new PDO(...' . var_export(mysql_credentials('', $database), true) . '); Counters::add("views", null, 10000);', [], true);
attempt(fn () => array_sum(array_column(Counters::read('views', 0), 'total')));
attempt(fn () => $pdo->query('SELECT SUM(total) FROM counter')->fetchColumn());
Counters::$db = null;
$pdo->exec("DROP DATABASE $database");
?>
--EXPECT--
42
133
11133
11133
