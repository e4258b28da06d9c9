--TEST--
presence.enabled=0: Presence checks its arguments' types, and nobody is online
--INI--
presence.enabled=0
--FILE--
<?php
require __DIR__ . '/../support.inc.php';
$presence = new Presence('redis://h/0');
attempt(fn () => $presence->persist(42));
attempt(fn () => $presence->persist('alice'));
attempt(fn () => $presence->count());
attempt(fn () => count($presence));
attempt(fn () => $presence->ids(5));
attempt(fn () => $presence->isOnline(42));
attempt(fn () => $presence->areOnline([1, 'alice', '7', -3]));
attempt(fn () => array_map(gettype(...), array_keys($presence->areOnline([1, 'alice', '7', '-3', '007']))));
attempt(fn () => $presence->lastSeen(42));
attempt(fn () => $presence->forget(42));
attempt(fn () => $presence->replace('guest', 42));
attempt(fn () => $presence->room('topic:42')::class);
attempt(fn () => $presence->purge());
attempt(fn () => $presence->flush());
attempt(fn () => $presence->status());
attempt(fn () => $presence->persist());
attempt(fn () => $presence->persist([]));
attempt(fn () => $presence->areOnline([1, 1.5]));
attempt(fn () => $presence->areOnline([null]));
attempt(fn () => $presence->count('many'));
var_dump(file_exists(ini_get('presence.segment')), file_exists(ini_get('presence.data_dir')));
?>
--EXPECT--
null
null
0
0
[]
false
{"1":false,"alice":false,"7":false,"-3":false}
["integer","string","integer","integer","string"]
null
null
null
"Presence"
null
null
{"enabled":false}
ArgumentCountError: Presence::persist() expects exactly 1 argument, 0 given
TypeError: Presence::persist(): Argument #1 ($visitorId) must be of type string|int, array given
TypeError: Presence::areOnline(): Argument #1 ($visitorIds) must hold strings and integers only, float found
TypeError: Presence::areOnline(): Argument #1 ($visitorIds) must hold strings and integers only, null found
TypeError: Presence::count(): Argument #1 ($minutes) must be of type ?int, string given
bool(false)
bool(false)
