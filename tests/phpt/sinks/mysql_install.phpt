--TEST--
MySQL without the table: the error names Counters::install(), which creates it, once
--EXTENSIONS--
pdo_mysql
pcntl
posix
--SKIPIF--
<?php
require __DIR__ . '/../mysql.inc.php';
require __DIR__ . '/../support.inc.php';
skip_without_mysql();
skip_without_clock();
?>
--INI--
presence.flusher=off
--FILE--
<?php
require __DIR__ . '/../support.inc.php';
require __DIR__ . '/../clock.inc.php';
require __DIR__ . '/../mysql.inc.php';
$pdo = mysql_pdo([], ';charset=utf8mb4');
$database = mysql_database($pdo);
$pdo->exec("USE $database");
Counters::connect(mysql_dsn($database));
$clean = fn (callable $call) => function () use ($call, $database) {
    try {
        return $call();
    } catch (Presence\ConnectionException $e) {
        return $e::class . ': ' . preg_replace('/:\d+\//', ':PORT/', str_replace($database, 'DATABASE', $e->getMessage()));
    }
};
Counters::add('views', '/', 1);
attempt($clean(fn () => Counters::read('views', 0)));
set_clock(60);
attempt($clean(fn () => Counters::flush()));
attempt(fn () => count(Counters::pending()));
attempt(fn () => Counters::install());
attempt(fn () => Counters::install());
attempt($clean(fn () => Counters::flush()));
attempt(fn () => Counters::pending());
attempt(fn () => array_column(Counters::read('views', 0), 'total'));
echo implode("\n", $pdo->query("SELECT CONCAT(COLUMN_NAME, ' ', REPLACE(COLUMN_TYPE, '(20)', ''), ' ', IFNULL(COLLATION_NAME, '-'), ' ', IS_NULLABLE, ' ', COLUMN_KEY) FROM information_schema.COLUMNS
    WHERE TABLE_SCHEMA = '$database' ORDER BY TABLE_NAME, ORDINAL_POSITION")->fetchAll(PDO::FETCH_COLUMN)), "\n";
attempt(fn () => $pdo->query("SELECT DISTINCT CONCAT(INDEX_NAME, ' ', SEQ_IN_INDEX, ' ', COLUMN_NAME) FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = '$database' AND TABLE_NAME = 'counter' ORDER BY 1")->fetchAll(PDO::FETCH_COLUMN));
// Another name for the table, and two tables in one request.
Counters::connect(mysql_dsn($database) . '?table=site_counter');
Counters::install();
Counters::add('views', '/', 2);
set_clock(120);
attempt(fn () => Counters::flush());
attempt(fn () => array_column(Counters::read('views', 0), 'total'));
attempt(fn () => $pdo->query('SHOW TABLES')->fetchAll(PDO::FETCH_COLUMN));
$pdo->exec("DROP DATABASE $database");
?>
--EXPECT--
"Presence\\ConnectionException: mysql:\/\/presence_test:***@127.0.0.1:PORT\/DATABASE: Table 'DATABASE.counter' doesn't exist (error 1146). Counters::install() creates the table `counter` where it is missing"
"Presence\\ConnectionException: mysql:\/\/presence_test:***@127.0.0.1:PORT\/DATABASE: Table 'DATABASE.counter' doesn't exist (error 1146). Counters::install() creates the table `counter` where it is missing"
1
null
null
1
[]
[1]
hash char(32) ascii_bin NO PRI
name varchar(64) utf8mb4_bin NO MUL
argument varchar(250) utf8mb4_bin YES 
timeslot bigint - NO 
total double - NO 
minimum double - NO 
maximum double - NO 
count bigint - NO 
source char(32) ascii_bin NO PRI
batch bigint - NO 
changed_at bigint - NO 
["name_timeslot 1 name","name_timeslot 2 timeslot","PRIMARY 1 hash"]
1
[2]
["counter","counter_batch","site_counter","site_counter_batch"]
