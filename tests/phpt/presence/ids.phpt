--TEST--
Presence: ids of every valid kind; an integer is its decimal text
--FILE--
<?php
require __DIR__ . '/../support.inc.php';
$presence = new Presence();
$long = str_repeat('x', 250);
$valid = ['a', '0', 0, 1, -1, PHP_INT_MAX, PHP_INT_MIN, '007', '+1', '1.5', '-0', '', ' ', "\n", 'größe', "\u{1F600}", "\xff\xfe", $long, str_repeat("\u{1F600}", 62),
    '9223372036854775808', str_repeat('y', 48), str_repeat('y', 49), str_repeat('y', 56), str_repeat('y', 57)];
unset($valid[array_search('', $valid, true)]);
foreach ($valid as $id) {
    $presence->persist($id);
}
// "0" and 0 are one.
var_dump($presence->count() === count($valid) - 1, count($presence) === $presence->count());
$ids = $presence->ids();
$expected = array_values(array_unique(array_map(strval(...), $valid)));
sort($ids, SORT_STRING);
sort($expected, SORT_STRING);
var_dump($ids === $expected, array_is_list($presence->ids()));
foreach ($valid as $id) {
    $same = is_int($id) ? (string) $id : ((string) (int) $id === $id ? (int) $id : $id);
    if (!$presence->isOnline($id) || !$presence->isOnline($same) || $presence->lastSeen($id) === null || $presence->lastSeen($id) !== $presence->lastSeen($same)) {
        echo 'NOT FOUND: ', var_export($id, true), "\n";
    }
}
// Near, but not the same.
attempt(fn () => array_map($presence->isOnline(...), ['A', '00', '01', '7', '1.50', 'a ', ' a', substr($long, 1), $long[0], 2]));
$presence->forget('0');
attempt(fn () => [$presence->isOnline(0), $presence->lastSeen(0)]);
foreach ($ids as $id) {
    $presence->forget($id);
}
attempt(fn () => [$presence->count(), $presence->ids()]);
// Booleans, floats and objects are converted as in any PHP function without strict_types.
$presence->persist(true);
$presence->persist(2.0);
$presence->persist(new class {
    public function __toString(): string
    {
        return 'text';
    }
});
$ids = $presence->ids();
sort($ids);
attempt(fn () => $ids);
?>
--EXPECT--
bool(true)
bool(true)
bool(true)
bool(true)
[false,false,false,false,false,false,false,false,false,false]
[false,null]
[0,[]]
["1","2","text"]
