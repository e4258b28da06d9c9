--TEST--
Counters::add(): what is wrong is refused with a reason and changes nothing
--FILE--
<?php
require __DIR__ . '/../support.inc.php';
error_reporting(E_ALL & ~E_DEPRECATED);
attempt(fn () => Counters::add(''));
attempt(fn () => Counters::add(str_repeat('n', 65)));
attempt(fn () => Counters::add(str_repeat("\u{1F600}", 16) . 'n'));
attempt(fn () => Counters::add(str_repeat('n', 1 << 20)));
foreach (["\xff", "a\xc3", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xc0\xaf"] as $name) {
    attempt(fn () => Counters::add($name));
}
attempt(fn () => Counters::add('v', null, NAN));
attempt(fn () => Counters::add('v', null, INF));
attempt(fn () => Counters::add('v', null, -INF));
attempt(fn () => Counters::add('', "\xff", NAN));
attempt(fn () => Counters::add());
attempt(fn () => Counters::add('v', null, 1, 2));
attempt(fn () => Counters::add(null));
attempt(fn () => Counters::add([]));
attempt(fn () => Counters::add('v', []));
attempt(fn () => Counters::add('v', null, 'much'));
attempt(fn () => Counters::add('v', null, null));
attempt(fn () => Counters::add(new stdClass()));
attempt(fn () => new Counters());
// Known to this process, and wrong all the same.
Counters::add('known', 'x', 1);
attempt(fn () => Counters::add('known', 'x', NAN));
attempt(fn () => array_map(fn ($row) => [$row['name'], $row['total'], $row['count']], Counters::pending()));
attempt(fn () => [Counters::status()['shortened_arguments'], Counters::status()['scrubbed_arguments']]);
?>
--EXPECT--
ValueError: Counters::add(): Argument #1 ($name) must not be empty
ValueError: Counters::add(): Argument #1 ($name) must be at most 64 bytes long, 65 given
ValueError: Counters::add(): Argument #1 ($name) must be at most 64 bytes long, 65 given
ValueError: Counters::add(): Argument #1 ($name) must be at most 64 bytes long, 1048576 given
ValueError: Counters::add(): Argument #1 ($name) must be valid UTF-8
ValueError: Counters::add(): Argument #1 ($name) must be valid UTF-8
ValueError: Counters::add(): Argument #1 ($name) must be valid UTF-8
ValueError: Counters::add(): Argument #1 ($name) must be valid UTF-8
ValueError: Counters::add(): Argument #1 ($name) must be valid UTF-8
ValueError: Counters::add(): Argument #3 ($value) must be a finite number
ValueError: Counters::add(): Argument #3 ($value) must be a finite number
ValueError: Counters::add(): Argument #3 ($value) must be a finite number
ValueError: Counters::add(): Argument #3 ($value) must be a finite number
ArgumentCountError: Counters::add() expects at least 1 argument, 0 given
ArgumentCountError: Counters::add() expects at most 3 arguments, 4 given
ValueError: Counters::add(): Argument #1 ($name) must not be empty
TypeError: Counters::add(): Argument #1 ($name) must be of type string, array given
TypeError: Counters::add(): Argument #2 ($argument) must be of type ?string, array given
TypeError: Counters::add(): Argument #3 ($value) must be of type float, string given
TypeError: Counters::add(): Argument #3 ($value) must be of type float, null given
TypeError: Counters::add(): Argument #1 ($name) must be of type string, stdClass given
Error: Call to private Counters::__construct() from global scope
ValueError: Counters::add(): Argument #3 ($value) must be a finite number
[["known",1,1]]
[0,0]
