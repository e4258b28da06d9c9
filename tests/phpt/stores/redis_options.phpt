--TEST--
Presence on Redis: options and ids, right and wrong; nothing of it needs a server
--INI--
presence.mode=direct
--FILE--
<?php
require __DIR__ . '/../support.inc.php';
ini_set('zend.exception_ignore_args', '1');
$redis = 'redis://user:s3cret@127.0.0.1:1';
attempt(fn () => (new Presence($redis))->status()['store']);
attempt(fn () => (new Presence("$redis/3?strategy=sets"))->status()['store']);
attempt(fn () => (new Presence($redis, ['strategy' => 'bitmap', 'window_size' => 600, 'window' => 10, 'max_id' => 5000]))->status()['store']);
attempt(fn () => (new Presence("$redis?strategy=bitmap", ['chunked' => true]))->status()['store']);
attempt(fn () => (new Presence($redis, ['mode' => 'buffered'])));
echo "-- wrong\n";
attempt(fn () => new Presence($redis, ['strategy' => 'nonsense']));
attempt(fn () => new Presence($redis, ['windw' => 5]));
attempt(fn () => new Presence("$redis?s3cret=5", ['windw' => 5]));
attempt(fn () => new Presence($redis, ['strategy' => 'bitmap', 'parts' => 5]));
attempt(fn () => new Presence("$redis?strategy=zset", ['strategy' => 'sets']));
attempt(fn () => new Presence($redis, ['strategy' => 'bitmap', 'window_size' => 600]));
attempt(fn () => new Presence($redis, ['strategy' => 'sets', 'retention' => 2000]));
attempt(fn () => new Presence('redis://s3cret@h'));
attempt(fn () => new Presence('redis://h/one'));
attempt(fn () => new Presence('redis:'));
attempt(fn () => new Presence('redis+carrier-pigeon://h'));
attempt(fn () => new Presence('redis://h?ssl_ca=/ca.pem'));
attempt(fn () => new Presence('rediss://h?ssl_ca=ca.pem'));
attempt(fn () => new Presence('rediss://h', ['ssl_key' => '/key.pem']));
echo "-- ids of a bitmap\n";
$bitmap = new Presence("$redis?strategy=bitmap");
foreach (['guest', '042', -1, 134217729, PHP_INT_MAX] as $id) {
    attempt(fn () => $bitmap->persist($id));
}
attempt(fn () => $bitmap->isOnline('guest'));
attempt(fn () => $bitmap->areOnline([1, 'guest']));
attempt(fn () => $bitmap->forget('guest'));
attempt(fn () => $bitmap->replace('guest', 'other'));
attempt(fn () => $bitmap->replace('guest', 1));
attempt(fn () => $bitmap->replace(1, 'guest'));
attempt(fn () => $bitmap->count(4));
attempt(fn () => $bitmap->count(61));
?>
--EXPECT--
"redis:\/\/user:***@127.0.0.1:1"
"redis:\/\/user:***@127.0.0.1:1\/3?strategy=sets"
"redis:\/\/user:***@127.0.0.1:1?strategy=bitmap&window_size=600&max_id=5000"
"redis:\/\/user:***@127.0.0.1:1?strategy=bitmap&chunked=1"
{}
-- wrong
ValueError: Presence::__construct(): Argument #1 ($store) must have one of the strategies of Redis: zset, sets, bitmap or hll (option "strategy")
ValueError: Presence::__construct(): Argument #1 ($store) has no option "windw"; besides key, window, retention, throttle, mode, sync, timeout and on_error there are for redis strategy, db, ssl_ca, ssl_cert, ssl_key, ssl_name
ValueError: Presence::__construct(): Argument #1 ($store) the DSN has an unknown option; known for redis are strategy, db, ssl_ca, ssl_cert, ssl_key, ssl_name
ValueError: Presence::__construct(): Argument #1 ($store) has no option "parts"; besides key, window, retention, throttle, mode, sync, timeout and on_error there are for redis strategy, db, ssl_ca, ssl_cert, ssl_key, ssl_name, window_size, max_id, chunked
ValueError: Presence::__construct(): Argument #1 ($store) and the options both have "strategy"; name it once
ValueError: Presence::__construct(): Argument #1 ($store) the option "window_size" of 600 seconds goes with a window of 10 minutes, not 5: set the option "window" (INI entry presence.window) too, or leave out window_size
ValueError: Presence::__construct(): Argument #1 ($store) with strategy=sets cannot keep visitors for longer than a day, as it has a key for each minute: set retention to at most 1440, or use strategy=zset
ValueError: Presence::__construct(): Argument #1 ($store) has a user and no password; a password alone is written redis://:password@host
ValueError: Presence::__construct(): Argument #1 ($store) must name the Redis database by its number, such as redis://host/0 or ?db=0
ValueError: Presence::__construct(): Argument #1 ($store) must name a host, such as redis://127.0.0.1:6379/0; a Unix socket is redis+unix:///path
ValueError: Presence::__construct(): Argument #1 ($store) must begin with redis:, rediss:, redis+unix:, redis+sentinel: or redis+cluster:
ValueError: Presence::__construct(): Argument #1 ($store) has the option ssl_ca, which goes with TLS: write rediss: in place of redis:
ValueError: Presence::__construct(): Argument #1 ($store) the option "ssl_ca" must be the absolute path of a PEM file
ValueError: Presence::__construct(): Argument #1 ($store) has the option ssl_key without ssl_cert, the file of the certificate that the key is for
-- ids of a bitmap
ValueError: Presence::persist(): Argument #1 ($visitorId) must be an integer from 0 to 134217728 for strategy=bitmap (its option max_id sets the limit); strategy=zset takes any id
ValueError: Presence::persist(): Argument #1 ($visitorId) must be an integer from 0 to 134217728 for strategy=bitmap (its option max_id sets the limit); strategy=zset takes any id
ValueError: Presence::persist(): Argument #1 ($visitorId) must be an integer from 0 to 134217728 for strategy=bitmap (its option max_id sets the limit); strategy=zset takes any id
ValueError: Presence::persist(): Argument #1 ($visitorId) must be an integer from 0 to 134217728 for strategy=bitmap (its option max_id sets the limit); strategy=zset takes any id
ValueError: Presence::persist(): Argument #1 ($visitorId) must be an integer from 0 to 134217728 for strategy=bitmap (its option max_id sets the limit); strategy=zset takes any id
ValueError: Presence::isOnline(): Argument #1 ($visitorId) must be an integer from 0 to 134217728 for strategy=bitmap (its option max_id sets the limit); strategy=zset takes any id
ValueError: Presence::areOnline(): Argument #1 ($visitorIds) must hold valid ids only: number 2 must be an integer from 0 to 134217728 for strategy=bitmap (its option max_id sets the limit); strategy=zset takes any id
ValueError: Presence::forget(): Argument #1 ($visitorId) must be an integer from 0 to 134217728 for strategy=bitmap (its option max_id sets the limit); strategy=zset takes any id
ValueError: Presence::replace(): Argument #1 ($from) must be an integer from 0 to 134217728 for strategy=bitmap (its option max_id sets the limit); strategy=zset takes any id
ValueError: Presence::replace(): Argument #1 ($from) must be an integer from 0 to 134217728 for strategy=bitmap (its option max_id sets the limit); strategy=zset takes any id
ValueError: Presence::replace(): Argument #2 ($to) must be an integer from 0 to 134217728 for strategy=bitmap (its option max_id sets the limit); strategy=zset takes any id
Presence\UnsupportedException: strategy=bitmap with blocks of 300 seconds answers for a window of 5 minutes only, 4 asked; strategy=zset answers for any
ValueError: Presence::count(): Argument #1 ($minutes) must be between 1 and 60 (the retention), 61 given
