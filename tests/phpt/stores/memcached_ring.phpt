--TEST--
memcached: with the strategy ring: a count that stays while a minute fills; what it cannot do names what can
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
$presence = memcached_presence('strategy=ring');
$key = $presence->status()['key'];
foreach ([0, 30, 59, 60, 90, 119, 120] as $seconds) {
    set_clock($seconds);
    $presence->persist("visitor $seconds");
    $presence->persist(42);
    attempt(fn () => [$seconds, $presence->count()]);
}
attempt(fn () => $presence->areOnline([42, 'visitor 30', 'visitor 31']));
echo memcached_get("$key:session:42"), ' ', intdiv(CLOCK_START, 60), "\n";
$presence->forget('visitor 0');
attempt(fn () => [$presence->isOnline('visitor 0'), $presence->isOnline(42), $presence->count()]);
echo "-- rooms\n";
$room = $presence->room('topic');
$room->persist('reader');
set_clock(180);
attempt(fn () => [$room->count(), $room->isOnline('reader'), $room->isOnline(42), $presence->count()]);
echo "-- what it cannot do\n";
foreach ([fn () => $presence->ids(), fn () => $presence->lastSeen(42), fn () => $presence->replace(42, 43), fn () => $presence->count(4)] as $call) {
    attempt($call);
}
$silent = memcached_presence('strategy=ring', ['on_error' => 'silent']);
attempt(fn () => $silent->ids());
$buffered = memcached_presence('strategy=ring', ['mode' => 'buffered', 'key' => "$key:buffered"]);
$buffered->persist(42);
attempt(fn () => $buffered->replace(42, 43));
echo "-- refresh\n";
$half = memcached_presence('strategy=ring', ['refresh' => 30, 'key' => "$key:half"]);
$half->persist(1);
attempt(fn () => $half->count());
set_clock(210);
attempt(fn () => $half->count());
?>
--EXPECT--
[0,0]
[30,0]
[59,0]
[60,4]
[90,4]
[119,4]
[120,7]
{"42":true,"visitor 30":true,"visitor 31":false}
1 28928160 28928160
[false,true,6]
-- rooms
[1,true,false,7]
-- what it cannot do
Presence\UnsupportedException: the strategy "ring" of memcached: it keeps no list of ids, only counts; use the strategy "table" of memcached:, or "zset" of redis:
Presence\UnsupportedException: the strategy "ring" of memcached: it keeps no times of visits; use the strategy "table" of memcached:, or "zset" of redis:
Presence\UnsupportedException: the strategy "ring" of memcached: it cannot make one visitor of another; use the strategy "table" of memcached:, or "zset" of redis:
Presence\UnsupportedException: the strategy "ring" of memcached: it knows its own window of 5 minutes only, not one of 4; use the strategy "table" of memcached:, or "zset" of redis:
Presence\UnsupportedException: the strategy "ring" of memcached: it keeps no list of ids, only counts; use the strategy "table" of memcached:, or "zset" of redis:
Presence\UnsupportedException: the strategy "ring" of memcached: it cannot make one visitor of another; use the strategy "table" of memcached:, or "zset" of redis:
-- refresh
0
1
