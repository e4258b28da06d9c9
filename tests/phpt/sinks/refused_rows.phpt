--TEST--
A row that the database refuses is set aside, and holds up no other row, today or later
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
// FLOAT ends at 3.4e38, and latin1 has no emoji. The table is as its owner made it, and the server is strict.
$pdo->exec('CREATE TABLE counter (id BIGINT AUTO_INCREMENT PRIMARY KEY, hash CHAR(32) UNIQUE, name VARCHAR(64), argument VARCHAR(250) NULL,
    timeslot BIGINT, total FLOAT, minimum FLOAT, maximum FLOAT, count INT, INDEX (timeslot), INDEX (name)) DEFAULT CHARSET latin1');
$stored = fn () => attempt(fn () => $pdo->query('SELECT name, SUM(total), SUM(count) FROM counter GROUP BY name ORDER BY name')->fetchAll(PDO::FETCH_NUM));
$flush = fn () => attempt(fn () => Counters::flush());
foreach (['DSN' => fn () => Counters::connect(mysql_dsn($database)), 'PDO' => fn () => Counters::$db = $pdo] as $title => $connect) {
    echo "-- $title\n";
    $connect();
    for ($i = 0; $i < 100; $i++) {
        Counters::add('views', "/page/$i", 1);
    }
    Counters::add('views', '/größe', 1);
    Counters::add('too large', null, 1e39);
    Counters::add('url', "/from/outside/\u{1F600}", 1);
    set_clock($minute = ($minute ?? 0) + 60);
    $flush();
    $stored();
    attempt(fn () => count(Counters::pending()));
    $flush();
    Counters::add('views', '/later', 1);
    set_clock($minute += 60);
    $flush();
    $stored();
}
foreach (Counters::status()['sinks'] as $sink) {
    attempt(fn () => [$sink['breaker'], $sink['rows_written'], $sink['rows_refused'], $sink['last_error']]);
}
attempt(fn () => [Counters::status()['flusher']['batches_waiting'], array_slice(Counters::status()['spool'], 3)]);
echo "-- set aside\n";
foreach (glob(ini_get('presence.data_dir') . '/spool/set-aside/*.refused.jsonl') as $file) {
    foreach (file($file) as $line) {
        $row = json_decode($line, true, 512, JSON_THROW_ON_ERROR);
        $same = Counters::hash($row['name'], $row['argument'], $row['slot']) === $row['hash'];
        $lines[] = json_encode([$row['name'], $row['argument'], $row['slot'] - CLOCK_START, $row['total'], $row['count'], $same, preg_match('/Out of range|Incorrect string/', $row['reason'])]);
    }
}
sort($lines);
echo implode("\n", $lines), "\n";
Counters::$db = null;
$pdo->exec("DROP DATABASE $database");
?>
--EXPECTF--
-- DSN
101
[["views",101,"101"]]
0
0
1
[["views",102,"102"]]
-- PDO
101
[["views",203,"203"]]
0
0
1
[["views",204,"204"]]
["closed",102,2,"2 rows refused and set aside; mysql:%s(error %d)"]
["closed",102,2,"2 rows refused and set aside; the database of Counters::$db (PDO mysql): %s"]
[0,{"batches":0,"bytes":0,"max":268435456,"oldest":null,"set_aside":8192}]
-- set aside
["too large",null,0,1.0e+39,1,true,1]
["too large",null,120,1.0e+39,1,true,1]
["url","\/from\/outside\/\ud83d\ude00",0,1,1,true,1]
["url","\/from\/outside\/\ud83d\ude00",120,1,1,true,1]
