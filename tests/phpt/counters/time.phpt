--TEST--
Counters::time(): returns what the work returned, and adds how long it took, in seconds
--FILE--
<?php
require __DIR__ . '/../support.inc.php';
function by_value(): array
{
    return [1];
}
function &by_reference(): array
{
    static $array = [2];
    return $array;
}
function generator(): Generator
{
    yield from [1, 2];
    return 3;
}
class Work
{
    public function __invoke(): string
    {
        return 'invoked';
    }

    public static function statically(): string
    {
        return 'static';
    }

    public function __call(string $name, array $arguments): string
    {
        return "$name(" . count($arguments) . ')';
    }
}
attempt(fn () => Counters::time('work', null, fn () => null));
attempt(fn () => Counters::time('work', null, fn () => 42));
attempt(fn () => Counters::time('work', 'a', 'by_value'));
attempt(fn () => Counters::time('work', 'a', by_value(...)));
attempt(fn () => Counters::time('work', 'a', new Work()));
attempt(fn () => Counters::time('work', 'a', [Work::class, 'statically']));
attempt(fn () => Counters::time('work', 'a', 'Work::statically'));
attempt(fn () => Counters::time('work', 'a', [new Work(), 'magic']));
attempt(fn () => Counters::time('work', 'a', 'phpversion') === PHP_VERSION);
attempt(fn () => Counters::time(work: fn () => 'named', argument: null, name: 'work'));
// What comes back by reference is a value from then on.
$array = Counters::time('work', null, 'by_reference');
$array[] = 'changed';
attempt(fn () => by_reference());
// A generator has only been made when the call is over.
$generator = Counters::time('work', null, 'generator');
attempt(fn () => [...$generator, $generator->getReturn()]);
// An object comes back as it is, and is freed when it should be.
class Noisy
{
    public function __destruct()
    {
        echo "freed\n";
    }
}
Counters::time('work', null, fn () => new Noisy());
$kept = Counters::time('work', null, fn () => new Noisy());
echo "kept\n";
unset($kept);
// Nested, and recursive.
$depth = function (int $n) use (&$depth) {
    return $n === 0 ? 'deep' : Counters::time('nested', null, fn () => $depth($n - 1));
};
attempt(fn () => $depth(100));
// In a fiber that is suspended in the middle, and in one that is never taken up again.
$fiber = new Fiber(fn () => Counters::time('fiber', null, fn () => Fiber::suspend('suspended') . ' and resumed'));
attempt(fn () => $fiber->start());
$fiber->resume('work');
attempt(fn () => $fiber->getReturn());
$abandoned = new Fiber(fn () => Counters::time('abandoned', null, fn () => Fiber::suspend('left')));
attempt(fn () => $abandoned->start());
unset($abandoned);
// How long.
Counters::time('pause', null, fn () => usleep(20_000));
foreach (Counters::pending() as $row) {
    $sane = $row['minimum'] >= 0 && $row['minimum'] <= $row['maximum'] && $row['maximum'] <= $row['total'] && $row['total'] < 60;
    echo $row['name'], ' ', $row['argument'] ?? '-', ' ', $row['count'], ' ', $sane ? 'sane' : json_encode($row), "\n";
    if ($row['name'] === 'pause') {
        echo $row['total'] >= 0.02 ? "at least the pause\n" : "shorter than the pause: {$row['total']}\n";
    }
}
?>
--EXPECT--
null
42
[1]
[1]
"invoked"
"static"
"static"
"magic(0)"
true
"named"
[2]
[1,2,3]
freed
kept
freed
"deep"
"suspended"
"work and resumed"
"left"
abandoned - 1 sane
fiber - 1 sane
nested - 100 sane
pause - 1 sane
at least the pause
work - 7 sane
work a 7 sane
