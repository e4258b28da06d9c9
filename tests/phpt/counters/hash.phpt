--TEST--
Counters::hash() is what existing PHP code computes, and unambiguous for names with a colon
--FILE--
<?php
require __DIR__ . '/../support.inc.php';
$recipe = fn (string $name, ?string $argument, int $slot) =>
    substr(hash('sha256', $argument === null ? "$name:$slot" : "$name:$slot:$argument"), 0, 32);
foreach ([['payment.time', 'stripe', 1700000040], ['views', null, 0], ['views', '', 60], ['größe', "\u{1F600}", -60]] as $row) {
    echo Counters::hash(...$row) === $recipe(...$row) ? 'same' : 'DIFFERENT', "\n";
}
var_dump(Counters::hash('a:60', 'b', 60) === Counters::hash('a', '60:b', 60));
var_dump(Counters::hash('a', null, 60) === Counters::hash('a', '', 60));
// What add() does to an argument holds here, too.
$long = str_repeat('x', 251);
var_dump(Counters::hash('a', $long, 60) === $recipe('a', str_repeat('x', 241) . '~' . substr(hash('sha256', $long), 0, 8), 60));
var_dump(Counters::hash('a', "\xff", 60) === $recipe('a', "\u{FFFD}", 60));
var_dump(strlen(Counters::hash(str_repeat('n', 64), str_repeat('a', 250), 60)));
attempt(fn () => Counters::hash('', null, 60));
attempt(fn () => Counters::hash(str_repeat('n', 65), null, 60));
attempt(fn () => Counters::hash("\xff", null, 60));
attempt(fn () => Counters::hash('a', null, 61));
?>
--EXPECTF--
same
same
same
same
bool(false)
bool(false)
bool(true)
bool(true)
int(32)
ValueError: Counters::hash(): Argument #1 ($name) must not be empty
ValueError: Counters::hash(): Argument #1 ($name) must%s64 bytes%S
ValueError: Counters::hash(): Argument #1 ($name) must%sUTF-8%S
ValueError: Counters::hash(): Argument #3 ($slot) must be the start of a minute, a multiple of 60
