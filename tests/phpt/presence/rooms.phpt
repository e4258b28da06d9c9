--TEST--
Presence::room(): a crowd of its own for each name, also in rooms of rooms
--FILE--
<?php
require __DIR__ . '/../support.inc.php';
$site = new Presence('shm:', ['window' => 2, 'retention' => 7]);
$site->persist('a');
$room = $site->room('topic-42');
var_dump($room instanceof Presence, $room->count());
$room->persist('b');
attempt(fn () => [$site->ids(), $room->ids(), $site->room('topic-42')->ids(), $site->room('topic-43')->ids()]);
attempt(fn () => [$room->status()['window'], $room->status()['retention'], $room->status()['key']]);
// Another key, the same room's name.
$other = new Presence('shm:', ['key' => 'other']);
attempt(fn () => $other->room('topic-42')->ids());
// Different names never share a crowd, however they are written.
$names = ['x', 'X', 'x ', 'x%20', 'x:', 'x::', ':x', 'x/y', "x\n", 'ü', 'größe', '0', 'x:y', 'room:x', 'x:room:y', '%', str_repeat('n', 100)];
foreach ($names as $name) {
    $site->room($name)->persist("in $name");
}
foreach ($names as $name) {
    if ($site->room($name)->ids() !== ["in $name"]) {
        echo 'MIXED: ', json_encode($site->room($name)->ids()), "\n";
    }
}
$site->room('x')->room('y')->persist('deep');
attempt(fn () => [$site->room('x')->room('y')->ids(), $site->room('x:y')->ids(), $site->room('y')->ids(), $site->room('x')->ids()]);
$room->forget('b');
attempt(fn () => [$room->count(), $site->count()]);
echo "-- wrong\n";
attempt(fn () => $site->room(''));
attempt(fn () => $site->room(str_repeat('n', 101)));
attempt(fn () => $site->room([]));
attempt(fn () => $site->room());
attempt(function () use ($site) {
    for ($room = $site, $i = 0; $i < 100; $i++) {
        $room = $room->room('deeper');
    }
});
attempt(fn () => $site->ids());
?>
--EXPECT--
bool(true)
int(0)
[["a"],["b"],["b"],[]]
[2,7,"users:online:room:topic-42"]
[]
[["deep"],["in x:y"],[],["in x"]]
[0,1]
-- wrong
ValueError: Presence::room(): Argument #1 ($name) must have 1 to 100 bytes, 0 given
ValueError: Presence::room(): Argument #1 ($name) must have 1 to 100 bytes, 101 given
TypeError: Presence::room(): Argument #1 ($name) must be of type string, array given
ArgumentCountError: Presence::room() expects exactly 1 argument, 0 given
ValueError: Presence::room(): Argument #1 ($name) and the key it belongs to must have at most 200 bytes together, with ":room:" between them; 204 given
["a"]
