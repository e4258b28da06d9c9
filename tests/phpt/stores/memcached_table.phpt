--TEST--
memcached: with the strategy table: all methods, rooms, PHP arrays in the server, windows to the second
--EXTENSIONS--
pcntl
--SKIPIF--
<?php
require __DIR__ . '/../support.inc.php';
require __DIR__ . '/../memcached.inc.php';
skip_without_clock();
skip_without_memcached();
?>
--FILE--
<?php
require __DIR__ . '/../support.inc.php';
require __DIR__ . '/../memcached.inc.php';
require __DIR__ . '/../clock.inc.php';
$presence = memcached_presence('strategy=table', ['parts' => 1, 'sweep' => 0]);
$key = $presence->status()['key'];
$sorted = function (array $ids) {
    sort($ids);
    return $ids;
};
attempt(fn () => [$presence->count(), $presence->ids(), $presence->isOnline(42), $presence->lastSeen(42)]);
$presence->persist(42);
$presence->persist('42');
$presence->persist('guest 7');
attempt(fn () => [$presence->count(), $sorted($presence->ids()), $presence->areOnline([7, 42, 'guest 7'])]);
attempt(fn () => $presence->lastSeen(42) - CLOCK_START);
echo memcached_get($key), "\n", memcached_get("$key:count"), "\n";
var_dump(unserialize(explode(' ', memcached_get($key), 2)[1]) === [42 => CLOCK_START, 'guest 7' => CLOCK_START]);
echo "-- login, logout\n";
$presence->replace('guest 7', 'user');
$presence->forget(42);
attempt(fn () => [$presence->ids(), $presence->count(), $presence->isOnline(42)]);
echo "-- rooms\n";
$room = $presence->room('topic 42');
$room->persist('reader');
attempt(fn () => [$room->ids(), $presence->ids(), $room->room('deeper')->count()]);
var_dump(memcached_get("$key:room:topic%2042") === '4 ' . serialize(['reader' => CLOCK_START]));
echo "-- time goes by\n";
foreach ([119, 120, 300, 301, 420, 421] as $seconds) {
    set_clock($seconds);
    if ($seconds <= 120) {
        $presence->persist('user');
    }
    attempt(fn () => [$seconds, $presence->lastSeen('user') - CLOCK_START, $presence->count(), $presence->isOnline('user'), $presence->count(60)]);
}
$presence->persist('other');
set_clock(3900);
$presence->purge();
echo str_replace((string) (CLOCK_START + 421), 'T', memcached_get($key)), "\n";
attempt(fn () => [$presence->lastSeen('user'), $presence->lastSeen('other') - CLOCK_START]);
$presence->flush();
attempt(fn () => array_diff_key($presence->status(), ['key' => 0, 'store' => 0]));
?>
--EXPECT--
[0,[],false,null]
[2,["42","guest 7"],{"7":false,"42":true,"guest 7":true}]
0
4 a:2:{i:42;i:1735689600;s:7:"guest 7";i:1735689600;}
1 2
bool(true)
-- login, logout
[["user"],1,false]
-- rooms
[["reader"],["user"],0]
bool(true)
-- time goes by
[119,0,1,true,1]
[120,120,1,true,1]
[300,120,1,true,1]
[301,120,1,true,1]
[420,120,1,true,1]
[421,120,0,false,1]
4 a:1:{s:5:"other";i:T;}
[null,421]
{"enabled":true,"window":5,"retention":60,"mode":"direct","server":{"breaker":"closed","last_error":null,"last_error_time":null},"last_error":null}
