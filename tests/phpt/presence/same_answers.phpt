--TEST--
Presence: two numbers on one page agree, and never lag by more than a second
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
$presence->persist('a');
$persist = fn (string $id) => run_php("(new Presence())->persist('$id');", [], true);
attempt(fn () => [$presence->count(), count($presence->ids())]);
$persist('b');
$count = $presence->count();
attempt(fn () => [count($presence) === $count, (new Presence())->count() === $count]);
$ids = $presence->ids();
attempt(fn () => count($ids) === $presence->count());
set_clock(1);
attempt(fn () => [$presence->count(), count($presence->ids())]);
// What this request does itself shows at once.
$presence->persist('c');
attempt(fn () => [$presence->count(), count($presence->ids()), $presence->isOnline('c')]);
$presence->forget('c');
attempt(fn () => [$presence->count(), count($presence->ids()), $presence->isOnline('c')]);
?>
--EXPECT--
[1,1]
[true,true]
true
[2,2]
[3,3,true]
[2,2,false]
