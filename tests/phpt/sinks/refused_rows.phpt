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
$flush = function () use ($database) {
    try {
        var_dump(Counters::flush());
    } catch (Presence\ConnectionException $e) {
        echo preg_match('/Out of range|Incorrect string/', $e->getMessage()) ? 'refused' : $e->getMessage(), "\n";
    }
};
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
$sink = Counters::status()['sinks'][0];
attempt(fn () => [$sink['breaker'], $sink['rows_written'], is_string($sink['last_error']), Counters::status()['flusher']['batches_waiting']]);
$aside = glob(ini_get('presence.data_dir') . '/spool/set-aside/*');
attempt(fn () => [count(preg_grep('/\.batch$/', $aside)), count(preg_grep('/\.reason$/', $aside))]);
Counters::$db = null;
$pdo->exec("DROP DATABASE $database");
?>
--EXPECT--
-- DSN
refused
[["views",101,"101"]]
0
int(0)
int(1)
[["views",102,"102"]]
-- PDO
refused
[["views",203,"203"]]
0
int(0)
int(1)
[["views",204,"204"]]
["closed",102,true,0]
[4,4]
