--TEST--
MySQL down: nothing throws but what must reach it, and every row arrives later, once
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
$pdo = mysql_pdo();
$database = mysql_database($pdo);
$port = free_port();
$password = parse_url(getenv('PRESENCE_TEST_MYSQL'))['pass'];
$clean = fn (callable $call) => function () use ($call, $database, $port) {
    try {
        return $call();
    } catch (Presence\ConnectionException $e) {
        return $e::class . ': ' . str_replace([$database, (string) $port], ['DATABASE', 'PORT'], $e->getMessage());
    }
};
$stored = fn () => attempt(fn () => $pdo->query("SELECT SUM(total), SUM(count), COUNT(*) FROM $database.counter")->fetch(PDO::FETCH_NUM));
Counters::connect(mysql_dsn($database, $port));
$gateway = start_gateway($port);
Counters::install();
Counters::add('views', null, 1);
set_clock(60);
attempt(fn () => Counters::flush());
$stored();
end_gateway($gateway);
echo "-- down\n";
$presence = new Presence();
attempt(fn () => Counters::add('views', null, 20));
attempt(fn () => Counters::time('work', null, fn () => 'done'));
attempt(fn () => $presence->persist(42));
attempt(fn () => $presence->count());
attempt($clean(fn () => Counters::read('views', 0)));
attempt($clean(fn () => Counters::install()));
attempt($clean(fn () => Counters::flush()));
set_clock(120);
attempt($clean(fn () => Counters::flush()));
attempt($clean(fn () => Counters::flush()));
Counters::add('views', null, 300);
set_clock(180);
attempt($clean(fn () => Counters::flush()));
Counters::add('views', null, 4000);
$sums = fn () => array_sum(array_column(array_filter(Counters::pending(), fn ($row) => $row['name'] === 'views'), 'total'));
attempt($sums);
$sink = Counters::status()['sinks'][0];
attempt(fn () => [$sink['breaker'], $sink['failures'] >= 3, $sink['last_error_time'] - CLOCK_START, $sink['next_attempt'] > CLOCK_START + 180, str_contains($sink['last_error'], $password), str_contains($sink['sink'], $password)]);
attempt(fn () => Counters::status()['flusher']['batches_waiting']);
echo "-- a script that ends meanwhile\n";
echo run_php("Counters::connect('" . mysql_dsn($database, $port) . "'); Counters::add('views', null, 50000);", ['presence.flusher' => 'request'], true);
attempt($sums);
echo "-- up again\n";
$gateway = start_gateway($port);
set_clock(240);
attempt(fn () => Counters::flush() > 0);
attempt($sums);
attempt(fn () => $pdo->query("SELECT SUM(total), SUM(count) FROM $database.counter WHERE name = 'views'")->fetch(PDO::FETCH_NUM));
attempt(fn () => array_sum(array_column(Counters::read('views', 0), 'total')));
$sink = Counters::status()['sinks'][0];
attempt(fn () => [$sink['breaker'], $sink['failures'], $sink['next_attempt'], $sink['last_flush'] - CLOCK_START, $sink['batches_written'] >= 3, Counters::status()['flusher']['batches_waiting']]);
echo "-- the connection breaks in the middle of the request\n";
end_gateway($gateway);
$gateway = start_gateway($port);
Counters::add('views', null, 600000);
attempt(fn () => count(Counters::read('views', 0, null, 86400)));
set_clock(300);
end_gateway($gateway);
$gateway = start_gateway($port);
attempt(fn () => Counters::flush());
attempt(fn () => $pdo->query("SELECT SUM(total), SUM(count) FROM $database.counter WHERE name = 'views'")->fetch(PDO::FETCH_NUM));
end_gateway($gateway);
$pdo->exec("DROP DATABASE $database");
?>
--EXPECT--
1
[1,"1",1]
-- down
null
"done"
null
1
"Presence\\ConnectionException: mysql:\/\/presence_test:***@127.0.0.1:PORT\/DATABASE: Can't connect to server on '127.0.0.1' (115) (error 2002); start the server, or correct host, port or socket in the DSN"
"Presence\\ConnectionException: mysql:\/\/presence_test:***@127.0.0.1:PORT\/DATABASE: Can't connect to server on '127.0.0.1' (115) (error 2002); start the server, or correct host, port or socket in the DSN"
0
"Presence\\ConnectionException: mysql:\/\/presence_test:***@127.0.0.1:PORT\/DATABASE: Can't connect to server on '127.0.0.1' (115) (error 2002); start the server, or correct host, port or socket in the DSN"
"Presence\\ConnectionException: mysql:\/\/presence_test:***@127.0.0.1:PORT\/DATABASE: Can't connect to server on '127.0.0.1' (115) (error 2002); start the server, or correct host, port or socket in the DSN"
"Presence\\ConnectionException: mysql:\/\/presence_test:***@127.0.0.1:PORT\/DATABASE: Can't connect to server on '127.0.0.1' (115) (error 2002); start the server, or correct host, port or socket in the DSN"
4320
["open",true,180,true,false,false]
2
-- a script that ends meanwhile
54320
-- up again
true
0
[54321,"5"]
54321
["closed",0,null,240,true,0]
-- the connection breaks in the middle of the request
1
1
[654321,"6"]
