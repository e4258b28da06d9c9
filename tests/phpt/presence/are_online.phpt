--TEST--
Presence::areOnline(): arrays of every shape, answers by id
--FILE--
<?php
require __DIR__ . '/../support.inc.php';
$presence = new Presence();
$presence->persist(1);
$presence->persist('alice');
$presence->persist('007');
$presence->persist(-3);
var_dump($presence->areOnline([]));
var_dump($presence->areOnline([1, '2', 'alice', 'bob', '007', 7, -3, '-3']));
attempt(fn () => $presence->areOnline(['key' => 1, 'other' => 1, 5 => '1']));
// The array is only read: also one with references, and one that is not a list.
$one = 1;
$ids = [&$one, 'x' => 'alice', 9 => 'bob'];
$copy = $ids;
attempt(fn () => $presence->areOnline($ids));
var_dump($ids === $copy);
// Many at once: each answer is that of its id.
$many = range(1, 10_000);
foreach ($many as $id) {
    if ($id % 3 === 0) {
        $presence->persist($id);
    }
}
$answers = $presence->areOnline([...$many, ...array_map(fn ($id) => "user-$id", $many)]);
$wrong = array_filter($answers, fn ($online, $id) => $online !== (is_int($id) && ($id % 3 === 0 || $id === 1)), ARRAY_FILTER_USE_BOTH);
var_dump(count($answers), $wrong);
attempt(fn () => $presence->areOnline('alice'));
attempt(fn () => $presence->areOnline(new ArrayObject([1])));
attempt(fn () => $presence->areOnline([[1]]));
attempt(fn () => $presence->areOnline([1, null]));
attempt(fn () => $presence->areOnline([true]));
attempt(fn () => $presence->areOnline([1, 2.0]));
?>
--EXPECT--
array(0) {
}
array(7) {
  [1]=>
  bool(true)
  [2]=>
  bool(false)
  ["alice"]=>
  bool(true)
  ["bob"]=>
  bool(false)
  ["007"]=>
  bool(true)
  [7]=>
  bool(false)
  [-3]=>
  bool(true)
}
{"1":true}
{"1":true,"alice":true,"bob":false}
bool(true)
int(20000)
array(0) {
}
TypeError: Presence::areOnline(): Argument #1 ($visitorIds) must be of type array, string given
TypeError: Presence::areOnline(): Argument #1 ($visitorIds) must be of type array, ArrayObject given
TypeError: Presence::areOnline(): Argument #1 ($visitorIds) must hold strings and integers only, array found
TypeError: Presence::areOnline(): Argument #1 ($visitorIds) must hold strings and integers only, null found
TypeError: Presence::areOnline(): Argument #1 ($visitorIds) must hold strings and integers only, bool found
TypeError: Presence::areOnline(): Argument #1 ($visitorIds) must hold strings and integers only, float found
