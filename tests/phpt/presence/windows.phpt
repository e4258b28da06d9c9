--TEST--
Presence: windows, last-seen times and the retention are exact to the second
--EXTENSIONS--
pcntl
--SKIPIF--
<?php
require __DIR__ . '/../support.inc.php';
skip_without_clock();
?>
--FILE--
<?php
require __DIR__ . '/../support.inc.php';
require __DIR__ . '/../clock.inc.php';
$presence = new Presence();
$online = function (int ...$times) use ($presence) {
    foreach ($times as $time) {
        set_clock($time);
        $ids = $presence->ids();
        sort($ids);
        echo "$time: count ", $presence->count(), ', ids ', json_encode($ids), ', is online ', json_encode($presence->isOnline('a')),
            ', last seen ', json_encode($presence->lastSeen('a') === null ? null : $presence->lastSeen('a') - CLOCK_START), "\n";
    }
};
$presence->persist('a');
echo "-- default: five minutes\n";
$online(0, 1, 299, 300, 301, 3599, 3600, 3601);
echo "-- seen again later, and the clock put back\n";
set_clock(1000);
$presence->persist('a');
$online(1000, 1300, 1301);
$online(999, 0);
set_clock(10);
$presence->persist('a');
$online(1000, 1300, 1301);
echo "-- other windows\n";
set_clock(2000);
$presence->persist('b');
foreach ([1, 2, 16, 17, 59, 60] as $minutes) {
    echo $minutes, ': ', $presence->count($minutes), ' ', count($presence->ids($minutes)), ' ',
        json_encode($presence->areOnline(['a', 'b', 'c'], $minutes)), ' ', json_encode($presence->isOnline('a', $minutes)), "\n";
}
set_clock(2000 + 60);
var_dump($presence->isOnline('b', 1));
set_clock(2000 + 61);
var_dump($presence->isOnline('b', 1));
echo "-- an object with a window and a retention of its own\n";
$short = new Presence('shm:', ['window' => 1, 'retention' => 2, 'key' => 'short']);
$short->persist('a');
foreach ([60, 61, 120, 121] as $later) {
    set_clock(2061 + $later);
    echo $later, ': ', count($short), ' ', $short->count(2), ' ', json_encode($short->lastSeen('a') !== null), "\n";
}
?>
--EXPECT--
-- default: five minutes
0: count 1, ids ["a"], is online true, last seen 0
1: count 1, ids ["a"], is online true, last seen 0
299: count 1, ids ["a"], is online true, last seen 0
300: count 1, ids ["a"], is online true, last seen 0
301: count 0, ids [], is online false, last seen 0
3599: count 0, ids [], is online false, last seen 0
3600: count 0, ids [], is online false, last seen 0
3601: count 0, ids [], is online false, last seen null
-- seen again later, and the clock put back
1000: count 1, ids ["a"], is online true, last seen 1000
1300: count 1, ids ["a"], is online true, last seen 1000
1301: count 0, ids [], is online false, last seen 1000
999: count 1, ids ["a"], is online true, last seen 1000
0: count 0, ids [], is online false, last seen null
1000: count 0, ids [], is online false, last seen 10
1300: count 0, ids [], is online false, last seen 10
1301: count 0, ids [], is online false, last seen 10
-- other windows
1: 1 1 {"a":false,"b":true,"c":false} false
2: 1 1 {"a":false,"b":true,"c":false} false
16: 1 1 {"a":false,"b":true,"c":false} false
17: 1 1 {"a":false,"b":true,"c":false} false
59: 2 2 {"a":true,"b":true,"c":false} true
60: 2 2 {"a":true,"b":true,"c":false} true
bool(true)
bool(false)
-- an object with a window and a retention of its own
60: 1 1 true
61: 0 1 true
120: 0 1 true
121: 0 0 false
