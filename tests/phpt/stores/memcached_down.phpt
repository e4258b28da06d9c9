--TEST--
memcached: without its server: exceptions that say what to do, on_error=silent, status(), one connection for each process
--EXTENSIONS--
pcntl
--SKIPIF--
<?php
require __DIR__ . '/../memcached.inc.php';
skip_without_memcached();
?>
--FILE--
<?php
require __DIR__ . '/../support.inc.php';
require __DIR__ . '/../memcached.inc.php';
$server = stream_socket_server('tcp://127.0.0.1:0');
$port = (int) explode(':', stream_socket_get_name($server, false))[1];
fclose($server);
$plain = fn (string $text) => preg_replace(["/127\\.0\\.0\\.1:$port/", '/again in \d+ s/'], ['PLACE', 'again in N s'], $text);
$loud = new Presence("memcached://127.0.0.1:$port", ['mode' => 'direct']);
ob_start($plain);
attempt(fn () => $loud->status()['server']);
attempt(fn () => $loud->persist(42));
attempt(fn () => $loud->count());
attempt(fn () => [$loud->status()['server']['breaker'], $loud->status()['server']['last_error'], abs($loud->status()['server']['last_error_time'] - time()) < 100]);
echo "-- silent\n";
$silent = new Presence("memcached://127.0.0.1:$port?strategy=ring", ['mode' => 'direct', 'on_error' => 'silent']);
attempt(fn () => [$silent->persist(42), $silent->count(), $silent->isOnline(42), $silent->areOnline([1, 2]), $silent->forget(42), $silent->purge()]);
attempt(fn () => $silent->status()['last_error']);
attempt(fn () => $silent->persist(''));
echo "-- wrong options\n";
foreach ([['parts' => 0], ['part' => 4], ['strategy' => 'zset'], ['strategy' => 'ring', 'refresh' => 7], ['parts' => 2.5]] as $options) {
    attempt(fn () => new Presence('memcached://h', $options + ['mode' => 'direct']));
}
attempt(fn () => new Presence('memcached://user:secret@h', ['mode' => 'direct']));
ob_end_flush();
echo "-- a fork\n";
$presence = memcached_presence();
$presence->persist('parent');
if (pcntl_fork() === 0) {
    $presence->persist('child');
    exit(0);
}
pcntl_wait($status);
attempt(fn () => [$presence->areOnline(['parent', 'child']), $presence->count(), $status]);
?>
--EXPECT--
{"breaker":"closed","last_error":null,"last_error_time":null}
Presence\ConnectionException: Memcached at PLACE cannot be connected to (Connection refused); start it, or correct the DSN
Presence\ConnectionException: Memcached at PLACE cannot be connected to (Connection refused); start it, or correct the DSN; it is tried again in N s
["open","Memcached at PLACE cannot be connected to (Connection refused); start it, or correct the DSN",true]
-- silent
[null,0,false,{"1":false,"2":false},null,null]
"Memcached at PLACE cannot be connected to (Connection refused); start it, or correct the DSN; it is tried again in N s"
ValueError: Presence::persist(): Argument #1 ($visitorId) must have 1 to 250 bytes, 0 given
-- wrong options
ValueError: Presence::__construct(): Argument #1 ($store) the option "parts" must be an integer from 1 to 1024
ValueError: Presence::__construct(): Argument #1 ($store) has no option "part"; besides key, window, retention, throttle, mode, sync, timeout and on_error there are for memcached strategy, distribution, timeout, parts, sweep
ValueError: Presence::__construct(): Argument #1 ($store) the option "strategy" of memcached: must be "table" or "ring"
ValueError: Presence::__construct(): Argument #1 ($store) the window of 300 seconds must be a multiple of the option "refresh" (7 seconds), at most 1440 times it
ValueError: Presence::__construct(): Argument #2 ($options) option "parts" must be an integer, a bool or a string
ValueError: Presence::__construct(): Argument #1 ($store) Memcached stores take no user and password: the servers must be reachable by your machines only
-- a fork
[{"parent":true,"child":true},2,0]
