--TEST--
Presence: an id or a number of minutes that cannot be is refused with a reason and changes nothing
--FILE--
<?php
require __DIR__ . '/../support.inc.php';
error_reporting(E_ALL & ~E_DEPRECATED);
$presence = new Presence();
$presence->persist('kept');
$bad = ['empty' => '', 'NUL' => "a\0b", 'only NUL' => "\0", 'too long' => str_repeat('x', 251), 'a megabyte' => str_repeat('x', 1 << 20), 'null' => null, 'array' => [], 'object' => new stdClass()];
foreach ($bad as $title => $id) {
    echo "-- $title\n";
    attempt(fn () => $presence->persist($id));
    attempt(fn () => $presence->isOnline($id));
    attempt(fn () => $presence->lastSeen($id) > 0);
    attempt(fn () => $presence->forget($id));
    attempt(fn () => $presence->replace($id, 'other'));
    attempt(fn () => $presence->replace('kept', $id));
    attempt(fn () => $presence->areOnline(['kept', $id]));
}
echo "-- minutes\n";
foreach ([0, -1, 61, PHP_INT_MIN, PHP_INT_MAX, '5x', 1.5, []] as $minutes) {
    attempt(fn () => $presence->count($minutes));
    attempt(fn () => $presence->ids($minutes));
    attempt(fn () => $presence->isOnline('kept', $minutes));
    attempt(fn () => $presence->areOnline(['kept'], $minutes));
    attempt(fn () => $presence->areOnline([], $minutes));
}
echo "-- numbers of arguments\n";
attempt(fn () => $presence->persist());
attempt(fn () => $presence->persist('a', 'b'));
attempt(fn () => $presence->replace('a'));
attempt(fn () => $presence->areOnline());
attempt(fn () => $presence->count(1, 2));
attempt(fn () => $presence->purge(1));
attempt(fn () => $presence->flush(1));
attempt(fn () => $presence->status(1));
echo "-- what is there\n";
attempt(fn () => $presence->ids());
?>
--EXPECT--
-- empty
ValueError: Presence::persist(): Argument #1 ($visitorId) must have 1 to 250 bytes, 0 given
ValueError: Presence::isOnline(): Argument #1 ($visitorId) must have 1 to 250 bytes, 0 given
ValueError: Presence::lastSeen(): Argument #1 ($visitorId) must have 1 to 250 bytes, 0 given
ValueError: Presence::forget(): Argument #1 ($visitorId) must have 1 to 250 bytes, 0 given
ValueError: Presence::replace(): Argument #1 ($from) must have 1 to 250 bytes, 0 given
ValueError: Presence::replace(): Argument #2 ($to) must have 1 to 250 bytes, 0 given
ValueError: Presence::areOnline(): Argument #1 ($visitorIds) must hold valid ids only: number 2 must have 1 to 250 bytes, 0 given
-- NUL
ValueError: Presence::persist(): Argument #1 ($visitorId) must not contain NUL bytes
ValueError: Presence::isOnline(): Argument #1 ($visitorId) must not contain NUL bytes
ValueError: Presence::lastSeen(): Argument #1 ($visitorId) must not contain NUL bytes
ValueError: Presence::forget(): Argument #1 ($visitorId) must not contain NUL bytes
ValueError: Presence::replace(): Argument #1 ($from) must not contain NUL bytes
ValueError: Presence::replace(): Argument #2 ($to) must not contain NUL bytes
ValueError: Presence::areOnline(): Argument #1 ($visitorIds) must hold valid ids only: number 2 must not contain NUL bytes
-- only NUL
ValueError: Presence::persist(): Argument #1 ($visitorId) must not contain NUL bytes
ValueError: Presence::isOnline(): Argument #1 ($visitorId) must not contain NUL bytes
ValueError: Presence::lastSeen(): Argument #1 ($visitorId) must not contain NUL bytes
ValueError: Presence::forget(): Argument #1 ($visitorId) must not contain NUL bytes
ValueError: Presence::replace(): Argument #1 ($from) must not contain NUL bytes
ValueError: Presence::replace(): Argument #2 ($to) must not contain NUL bytes
ValueError: Presence::areOnline(): Argument #1 ($visitorIds) must hold valid ids only: number 2 must not contain NUL bytes
-- too long
ValueError: Presence::persist(): Argument #1 ($visitorId) must have 1 to 250 bytes, 251 given
ValueError: Presence::isOnline(): Argument #1 ($visitorId) must have 1 to 250 bytes, 251 given
ValueError: Presence::lastSeen(): Argument #1 ($visitorId) must have 1 to 250 bytes, 251 given
ValueError: Presence::forget(): Argument #1 ($visitorId) must have 1 to 250 bytes, 251 given
ValueError: Presence::replace(): Argument #1 ($from) must have 1 to 250 bytes, 251 given
ValueError: Presence::replace(): Argument #2 ($to) must have 1 to 250 bytes, 251 given
ValueError: Presence::areOnline(): Argument #1 ($visitorIds) must hold valid ids only: number 2 must have 1 to 250 bytes, 251 given
-- a megabyte
ValueError: Presence::persist(): Argument #1 ($visitorId) must have 1 to 250 bytes, 1048576 given
ValueError: Presence::isOnline(): Argument #1 ($visitorId) must have 1 to 250 bytes, 1048576 given
ValueError: Presence::lastSeen(): Argument #1 ($visitorId) must have 1 to 250 bytes, 1048576 given
ValueError: Presence::forget(): Argument #1 ($visitorId) must have 1 to 250 bytes, 1048576 given
ValueError: Presence::replace(): Argument #1 ($from) must have 1 to 250 bytes, 1048576 given
ValueError: Presence::replace(): Argument #2 ($to) must have 1 to 250 bytes, 1048576 given
ValueError: Presence::areOnline(): Argument #1 ($visitorIds) must hold valid ids only: number 2 must have 1 to 250 bytes, 1048576 given
-- null
TypeError: Presence::persist(): Argument #1 ($visitorId) must be of type string|int, null given
TypeError: Presence::isOnline(): Argument #1 ($visitorId) must be of type string|int, null given
TypeError: Presence::lastSeen(): Argument #1 ($visitorId) must be of type string|int, null given
TypeError: Presence::forget(): Argument #1 ($visitorId) must be of type string|int, null given
TypeError: Presence::replace(): Argument #1 ($from) must be of type string|int, null given
TypeError: Presence::replace(): Argument #2 ($to) must be of type string|int, null given
TypeError: Presence::areOnline(): Argument #1 ($visitorIds) must hold strings and integers only, null found
-- array
TypeError: Presence::persist(): Argument #1 ($visitorId) must be of type string|int, array given
TypeError: Presence::isOnline(): Argument #1 ($visitorId) must be of type string|int, array given
TypeError: Presence::lastSeen(): Argument #1 ($visitorId) must be of type string|int, array given
TypeError: Presence::forget(): Argument #1 ($visitorId) must be of type string|int, array given
TypeError: Presence::replace(): Argument #1 ($from) must be of type string|int, array given
TypeError: Presence::replace(): Argument #2 ($to) must be of type string|int, array given
TypeError: Presence::areOnline(): Argument #1 ($visitorIds) must hold strings and integers only, array found
-- object
TypeError: Presence::persist(): Argument #1 ($visitorId) must be of type string|int, stdClass given
TypeError: Presence::isOnline(): Argument #1 ($visitorId) must be of type string|int, stdClass given
TypeError: Presence::lastSeen(): Argument #1 ($visitorId) must be of type string|int, stdClass given
TypeError: Presence::forget(): Argument #1 ($visitorId) must be of type string|int, stdClass given
TypeError: Presence::replace(): Argument #1 ($from) must be of type string|int, stdClass given
TypeError: Presence::replace(): Argument #2 ($to) must be of type string|int, stdClass given
TypeError: Presence::areOnline(): Argument #1 ($visitorIds) must hold strings and integers only, stdClass found
-- minutes
ValueError: Presence::count(): Argument #1 ($minutes) must be between 1 and 60 (the retention), 0 given
ValueError: Presence::ids(): Argument #1 ($minutes) must be between 1 and 60 (the retention), 0 given
ValueError: Presence::isOnline(): Argument #2 ($minutes) must be between 1 and 60 (the retention), 0 given
ValueError: Presence::areOnline(): Argument #2 ($minutes) must be between 1 and 60 (the retention), 0 given
ValueError: Presence::areOnline(): Argument #2 ($minutes) must be between 1 and 60 (the retention), 0 given
ValueError: Presence::count(): Argument #1 ($minutes) must be between 1 and 60 (the retention), -1 given
ValueError: Presence::ids(): Argument #1 ($minutes) must be between 1 and 60 (the retention), -1 given
ValueError: Presence::isOnline(): Argument #2 ($minutes) must be between 1 and 60 (the retention), -1 given
ValueError: Presence::areOnline(): Argument #2 ($minutes) must be between 1 and 60 (the retention), -1 given
ValueError: Presence::areOnline(): Argument #2 ($minutes) must be between 1 and 60 (the retention), -1 given
ValueError: Presence::count(): Argument #1 ($minutes) must be between 1 and 60 (the retention), 61 given
ValueError: Presence::ids(): Argument #1 ($minutes) must be between 1 and 60 (the retention), 61 given
ValueError: Presence::isOnline(): Argument #2 ($minutes) must be between 1 and 60 (the retention), 61 given
ValueError: Presence::areOnline(): Argument #2 ($minutes) must be between 1 and 60 (the retention), 61 given
ValueError: Presence::areOnline(): Argument #2 ($minutes) must be between 1 and 60 (the retention), 61 given
ValueError: Presence::count(): Argument #1 ($minutes) must be between 1 and 60 (the retention), -9223372036854775808 given
ValueError: Presence::ids(): Argument #1 ($minutes) must be between 1 and 60 (the retention), -9223372036854775808 given
ValueError: Presence::isOnline(): Argument #2 ($minutes) must be between 1 and 60 (the retention), -9223372036854775808 given
ValueError: Presence::areOnline(): Argument #2 ($minutes) must be between 1 and 60 (the retention), -9223372036854775808 given
ValueError: Presence::areOnline(): Argument #2 ($minutes) must be between 1 and 60 (the retention), -9223372036854775808 given
ValueError: Presence::count(): Argument #1 ($minutes) must be between 1 and 60 (the retention), 9223372036854775807 given
ValueError: Presence::ids(): Argument #1 ($minutes) must be between 1 and 60 (the retention), 9223372036854775807 given
ValueError: Presence::isOnline(): Argument #2 ($minutes) must be between 1 and 60 (the retention), 9223372036854775807 given
ValueError: Presence::areOnline(): Argument #2 ($minutes) must be between 1 and 60 (the retention), 9223372036854775807 given
ValueError: Presence::areOnline(): Argument #2 ($minutes) must be between 1 and 60 (the retention), 9223372036854775807 given
TypeError: Presence::count(): Argument #1 ($minutes) must be of type ?int, string given
TypeError: Presence::ids(): Argument #1 ($minutes) must be of type ?int, string given
TypeError: Presence::isOnline(): Argument #2 ($minutes) must be of type ?int, string given
TypeError: Presence::areOnline(): Argument #2 ($minutes) must be of type ?int, string given
TypeError: Presence::areOnline(): Argument #2 ($minutes) must be of type ?int, string given
1
["kept"]
true
{"kept":true}
[]
TypeError: Presence::count(): Argument #1 ($minutes) must be of type ?int, array given
TypeError: Presence::ids(): Argument #1 ($minutes) must be of type ?int, array given
TypeError: Presence::isOnline(): Argument #2 ($minutes) must be of type ?int, array given
TypeError: Presence::areOnline(): Argument #2 ($minutes) must be of type ?int, array given
TypeError: Presence::areOnline(): Argument #2 ($minutes) must be of type ?int, array given
-- numbers of arguments
ArgumentCountError: Presence::persist() expects exactly 1 argument, 0 given
ArgumentCountError: Presence::persist() expects exactly 1 argument, 2 given
ArgumentCountError: Presence::replace() expects exactly 2 arguments, 1 given
ArgumentCountError: Presence::areOnline() expects at least 1 argument, 0 given
ArgumentCountError: Presence::count() expects at most 1 argument, 2 given
ArgumentCountError: Presence::purge() expects exactly 0 arguments, 1 given
ArgumentCountError: Presence::flush() expects exactly 0 arguments, 1 given
ArgumentCountError: Presence::status() expects exactly 0 arguments, 1 given
-- what is there
["kept"]
