--TEST--
Presence: a full table pushes out who left longest ago, and says so; keys beyond their number push each other out
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
for ($i = 0; $i < 200; $i++) {
    set_clock($i);
    $presence->persist("v$i");
}
$status = $presence->status()['visitors'];
var_dump($status['used'] === $presence->count(60), $status['used'] >= 64, $status['used'] <= $status['max'] * 2);
var_dump($status['evicted_live'] + $status['used'], $status['refused']);
// The last ones are all there, and each one who is listed is online.
attempt(fn () => array_keys(array_filter($presence->areOnline(array_map(fn ($i) => "v$i", range(180, 199))), fn ($online) => !$online)));
attempt(fn () => array_filter($presence->ids(), fn ($id) => !$presence->isOnline($id)));
// Long after, everybody has expired: whoever comes finds room, and nobody alive is pushed out.
set_clock(10_000);
$before = $presence->status()['visitors']['evicted_live'];
for ($i = 0; $i < 40; $i++) {
    $presence->persist("w$i");
}
var_dump($presence->count(), $presence->status()['visitors']['evicted_live'] - $before);
// The longest ids take several places each.
for ($i = 0; $i < 100; $i++) {
    $presence->persist(str_pad("$i", 250, 'x'));
}
$ids = $presence->ids();
var_dump(count($ids) === $presence->count(), count($ids) > 10, in_array(str_pad('99', 250, 'x'), $ids, true));
// More rooms than there is room for.
for ($i = 0; $i < 50; $i++) {
    set_clock(20_000 + 10 * $i);
    $presence->room("r$i")->persist("in r$i");
}
attempt(fn () => $presence->room('r49')->ids());
attempt(fn () => $presence->status()['visitors']['keys_used'] <= $presence->status()['visitors']['keys_max']);
?>
--EXPECT--
bool(true)
bool(true)
bool(true)
int(200)
int(0)
[]
[]
int(40)
int(0)
bool(true)
bool(true)
bool(true)
["in r49"]
true
