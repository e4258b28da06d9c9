--TEST--
Counters::read(): what is wrong is refused with a reason
--FILE--
<?php
require __DIR__ . '/../support.inc.php';
Counters::add('v');
attempt(fn () => Counters::read('', 0));
attempt(fn () => Counters::read(str_repeat('n', 65), 0));
attempt(fn () => Counters::read("\xff", 0));
foreach ([0, -60, 1, 59, 61, 3601, PHP_INT_MAX, PHP_INT_MIN] as $step) {
    attempt(fn () => Counters::read('v', 0, null, $step));
}
attempt(fn () => Counters::read('v', 60, 59));
attempt(fn () => Counters::read('v', 0, -1));
attempt(fn () => Counters::read('v', PHP_INT_MAX, PHP_INT_MIN));
attempt(fn () => Counters::read('v'));
attempt(fn () => Counters::read('v', 'yesterday'));
attempt(fn () => Counters::read('v', NAN));
attempt(fn () => Counters::read('v', 0, null, 60, []));
// Arguments that add() would change are found as it kept them; what is asked for is not counted as a fix.
Counters::add('w', "\xff", 3);
Counters::add('w', str_repeat('x', 300), 4);
attempt(fn () => array_column(Counters::read('w', 0, null, 60, "\xfe"), 'total'));
attempt(fn () => array_column(Counters::read('w', 0, null, 60, str_repeat('x', 300)), 'total'));
attempt(fn () => array_column(Counters::read('w', 0, null, 60, str_repeat('x', 301)), 'total'));
attempt(fn () => [Counters::status()['shortened_arguments'], Counters::status()['scrubbed_arguments']]);
attempt(fn () => count(Counters::pending()));
?>
--EXPECT--
ValueError: Counters::read(): Argument #1 ($name) must not be empty
ValueError: Counters::read(): Argument #1 ($name) must be at most 64 bytes long, 65 given
ValueError: Counters::read(): Argument #1 ($name) must be valid UTF-8
ValueError: Counters::read(): Argument #4 ($step) must be a positive multiple of 60, in seconds
ValueError: Counters::read(): Argument #4 ($step) must be a positive multiple of 60, in seconds
ValueError: Counters::read(): Argument #4 ($step) must be a positive multiple of 60, in seconds
ValueError: Counters::read(): Argument #4 ($step) must be a positive multiple of 60, in seconds
ValueError: Counters::read(): Argument #4 ($step) must be a positive multiple of 60, in seconds
ValueError: Counters::read(): Argument #4 ($step) must be a positive multiple of 60, in seconds
ValueError: Counters::read(): Argument #4 ($step) must be a positive multiple of 60, in seconds
ValueError: Counters::read(): Argument #4 ($step) must be a positive multiple of 60, in seconds
ValueError: Counters::read(): Argument #3 ($until) must not be before argument #2 ($since)
ValueError: Counters::read(): Argument #3 ($until) must not be before argument #2 ($since)
ValueError: Counters::read(): Argument #3 ($until) must not be before argument #2 ($since)
ArgumentCountError: Counters::read() expects at least 2 arguments, 1 given
TypeError: Counters::read(): Argument #2 ($since) must be of type int, string given
TypeError: Counters::read(): Argument #2 ($since) must be of type int, float given
TypeError: Counters::read(): Argument #5 ($argument) must be of type ?string, array given
[3]
[4]
[]
[1,1]
3
