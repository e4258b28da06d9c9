--TEST--
Presence on Redis: what each strategy can do, and what it says where it cannot
--SKIPIF--
<?php
require __DIR__ . '/../redis.inc.php';
skip_without_redis();
?>
--INI--
presence.mode=direct
presence.timeout=10
--FILE--
<?php
require __DIR__ . '/../support.inc.php';
require __DIR__ . '/../redis.inc.php';
$sorted = function (array $ids) {
    sort($ids, SORT_STRING);
    return $ids;
};
foreach (['', 'strategy=zset', 'strategy=sets', 'strategy=bitmap', 'strategy=bitmap&chunked=1', 'strategy=hll'] as $options) {
    echo "-- $options\n";
    $key = redis_key();
    $presence = new Presence(getenv('PRESENCE_TEST_REDIS') . ($options === '' ? '' : "?$options"), ['key' => $key]);
    $presence->persist(7);
    $presence->persist('42');
    $presence->persist(42);
    attempt(fn () => [$presence->count(), count($presence), $presence->count(5)]);
    attempt(fn () => $sorted($presence->ids()));
    attempt(fn () => [$presence->isOnline(7), $presence->isOnline('8')]);
    attempt(fn () => $presence->areOnline([7, '42', 99]));
    attempt(fn () => abs(time() - $presence->lastSeen(7)) <= 61);
    attempt(fn () => $presence->lastSeen(99));
    attempt(function () use ($presence, $sorted) {
        $presence->replace(7, 8);
        return $sorted($presence->ids());
    });
    attempt(function () use ($presence, $sorted) {
        $presence->forget(42);
        return $sorted($presence->ids());
    });
    $room = $presence->room('topic 42');
    $room->persist(5);
    attempt(fn () => [$room->count(), $room->room('deeper')->count()]);
    attempt(fn () => $presence->purge());
    attempt(fn () => $presence->flush());
    attempt(fn () => (new Presence(getenv('PRESENCE_TEST_REDIS') . ($options === '' ? '' : "?$options"), ['key' => $key]))->count());
    $status = $presence->status();
    attempt(fn () => [$status['enabled'], $status['mode'], $status['key'] === $key, $status['server'], $status['last_error']]);
}
?>
--EXPECT--
-- 
[2,2,2]
["42","7"]
[true,false]
{"7":true,"42":true,"99":false}
true
null
["42","8"]
["8"]
[1,0]
null
null
1
[true,"direct",true,{"breaker":"closed","last_error":null,"last_error_time":null},null]
-- strategy=zset
[2,2,2]
["42","7"]
[true,false]
{"7":true,"42":true,"99":false}
true
null
["42","8"]
["8"]
[1,0]
null
null
1
[true,"direct",true,{"breaker":"closed","last_error":null,"last_error_time":null},null]
-- strategy=sets
[2,2,2]
["42","7"]
[true,false]
{"7":true,"42":true,"99":false}
true
null
["42","8"]
["8"]
[1,0]
null
null
1
[true,"direct",true,{"breaker":"closed","last_error":null,"last_error_time":null},null]
-- strategy=bitmap
[2,2,2]
["42","7"]
[true,false]
{"7":true,"42":true,"99":false}
Presence\UnsupportedException: strategy=bitmap keeps no times; strategy=zset does
Presence\UnsupportedException: strategy=bitmap keeps no times; strategy=zset does
["42","8"]
["8"]
[1,0]
null
null
1
[true,"direct",true,{"breaker":"closed","last_error":null,"last_error_time":null},null]
-- strategy=bitmap&chunked=1
[2,2,2]
["42","7"]
[true,false]
{"7":true,"42":true,"99":false}
Presence\UnsupportedException: strategy=bitmap keeps no times; strategy=zset does
Presence\UnsupportedException: strategy=bitmap keeps no times; strategy=zset does
["42","8"]
["8"]
[1,0]
null
null
1
[true,"direct",true,{"breaker":"closed","last_error":null,"last_error_time":null},null]
-- strategy=hll
[2,2,2]
Presence\UnsupportedException: the strategy hll counts visitors and does not know them; strategy=zset and strategy=sets do
Presence\UnsupportedException: the strategy hll counts visitors and does not know them; strategy=zset and strategy=sets do
Presence\UnsupportedException: the strategy hll counts visitors and does not know them; strategy=zset and strategy=sets do
Presence\UnsupportedException: the strategy hll counts visitors and does not know them; strategy=zset and strategy=sets do
Presence\UnsupportedException: the strategy hll counts visitors and does not know them; strategy=zset and strategy=sets do
Presence\UnsupportedException: the strategy hll counts visitors and does not know them; strategy=zset and strategy=sets do
Presence\UnsupportedException: the strategy hll counts visitors and does not know them; strategy=zset and strategy=sets do
[1,0]
null
null
2
[true,"direct",true,{"breaker":"closed","last_error":null,"last_error_time":null},null]
