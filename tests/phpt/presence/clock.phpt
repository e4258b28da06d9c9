--TEST--
Visitors recorded while the clock was ahead count for nobody after it was set back, and push nobody out
--EXTENSIONS--
pcntl
--INI--
presence.max_visitors=64
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
set_clock(86400);
for ($i = 0; $i < 100; $i++) {
    $presence->persist("late$i");
}
$presence->persist(7);
set_clock(0);
attempt(fn () => [$presence->count(), $presence->ids(), $presence->isOnline(7), $presence->areOnline([7]), $presence->lastSeen(7)]);
$evicted = $presence->status()['visitors']['evicted_live'];
for ($i = 0; $i < 40; $i++) {
    $presence->persist("$i");
}
attempt(fn () => [$presence->count(), $presence->status()['visitors']['evicted_live'] - $evicted]);
$presence->purge();
attempt(fn () => $presence->status()['visitors']['used']);
$presence->persist(7);
attempt(fn () => [$presence->isOnline(7), $presence->lastSeen(7) - CLOCK_START]);
// A server whose clock is a little ahead is none of that.
set_clock(60);
$presence->persist('ahead');
set_clock(0);
attempt(fn () => $presence->isOnline('ahead'));
?>
--EXPECT--
[0,[],false,{"7":false},null]
[40,0]
40
[true,0]
true
