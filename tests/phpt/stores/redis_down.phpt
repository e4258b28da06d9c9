--TEST--
Redis down, frozen, locked, or with somebody else's key: exceptions, silence, and status()
--EXTENSIONS--
posix
--SKIPIF--
<?php
require __DIR__ . '/../redis.inc.php';
skip_without_redis();
?>
--INI--
presence.mode=direct
presence.timeout=0.3
--FILE--
<?php
require __DIR__ . '/../support.inc.php';
require __DIR__ . '/../redis.inc.php';
echo "-- nobody there\n";
$thrown = new Presence('redis://user:s3cret@127.0.0.1:1', ['key' => 'k']);
attempt(fn () => $thrown->persist(1));
attempt(fn () => str_contains($thrown->status()['server']['last_error'], 'cannot connect: Connection refused'));
attempt(fn () => [$thrown->status()['server']['breaker'], time() - $thrown->status()['server']['last_error_time'] < 60]);
try {
    $thrown->count();
} catch (Presence\ConnectionException $e) {
    echo preg_replace('/in \d+ s/', 'in N s', $e->getMessage()), "\n";
}
$silent = new Presence('redis://user:s3cret@127.0.0.1:1', ['key' => 'k', 'on_error' => 'silent']);
attempt(fn () => [$silent->persist(1), $silent->count(), $silent->ids(), $silent->isOnline(1), $silent->areOnline([1, 2]), $silent->lastSeen(1), $silent->forget(1), $silent->replace(1, 2), $silent->purge(), $silent->room('r')->count()]);
attempt(fn () => str_contains($silent->status()['last_error'], 'cannot connect'));
attempt(fn () => str_contains(print_r([$thrown, $thrown->status(), $silent->status()], true), 's3cret'));
echo "-- frozen\n";
[$socket, $pid] = start_redis();
$frozen = new Presence("redis+unix://$socket");
$frozen->persist(1);
posix_kill($pid, SIGSTOP);
$began = hrtime(true);
attempt(function () use ($frozen, $socket) {
    try {
        $frozen->persist(2);
    } catch (Presence\ConnectionException $e) {
        return str_replace($socket, 'SOCKET', $e->getMessage());
    }
});
attempt(fn () => (hrtime(true) - $began) / 1e9 < 5);
posix_kill($pid, SIGCONT);
attempt(fn () => wait_for(function () use ($frozen) {
    try {
        $frozen->persist(3);
        return true;
    } catch (Presence\ConnectionException) {
        return false;
    }
}));
attempt(fn () => $frozen->isOnline(3));
attempt(fn () => $frozen->status()['server']['breaker']);
echo "-- a password\n";
[$socket] = start_redis('--requirepass', 's3cret');
foreach (['', ':wrong@', ':s3cret@'] as $login) {
    try {
        (new Presence("redis+unix://$login$socket", ['timeout' => 10]))->persist(1);
        echo "ok\n";
    } catch (Presence\ConnectionException $e) {
        echo str_replace($socket, 'SOCKET', $e->getMessage()), "\n";
    }
}
echo "-- somebody else's key\n";
$key = redis_key();
redis_command(['SET', $key, 'precious']);
$other = new Presence(getenv('PRESENCE_TEST_REDIS'), ['key' => $key, 'timeout' => 10]);
try {
    $other->persist(1);
} catch (Presence\ConnectionException $e) {
    echo str_replace([getenv('PRESENCE_TEST_REDIS'), $key], ['DSN', 'KEY'], $e->getMessage()), "\n";
}
attempt(fn () => [redis_command(['GET', $key]), $other->status()['server']['breaker']]);
?>
--EXPECT--
-- nobody there
Presence\ConnectionException: redis://user:***@127.0.0.1:1: cannot connect: Connection refused
true
["open",true]
redis://user:***@127.0.0.1:1: cannot connect: Connection refused; it is tried again in N s
[null,0,[],false,{"1":false,"2":false},null,null,null,null,0]
true
false
-- frozen
"redis+unix:SOCKET: did not answer in time (option \"timeout\", INI entry presence.timeout)"
true
true
true
"closed"
-- a password
redis+unix:SOCKET: the server wants a password; name it in the DSN: redis://:password@host, or redis://user:password@host
redis+unix://:***@SOCKET: the server refused the user or password; correct them in the DSN (redis://user:password@host, special characters percent-encoded)
ok
-- somebody else's key
DSN: the server holds something else under the key "KEY" or those that begin so: another program's data, or another strategy's; choose another key (option "key", INI entry presence.key)
["precious","closed"]
