--TEST--
Counters::add(): names, arguments and values of every valid kind
--EXTENSIONS--
pcntl
--SKIPIF--
<?php
require __DIR__ . '/../support.inc.php';
skip_without_clock();
?>
--FILE--
<?php
require __DIR__ . '/../support.inc.php';
require __DIR__ . '/../clock.inc.php';
function counted(callable ...$adds): void
{
    static $minute = 0;
    set_clock(60 * $minute++);
    foreach ($adds as $add) {
        attempt($add);
    }
    foreach (Counters::pending() as $row) {
        if ($row['slot'] === Counters::slot()) {
            unset($row['slot']);
            echo preg_replace('/(.)\1{20,}/u', '$1…', json_encode($row, JSON_UNESCAPED_UNICODE | JSON_PRESERVE_ZERO_FRACTION)), "\n";
        }
    }
}
echo "-- defaults\n";
counted(fn () => Counters::add('views'));
echo "-- names\n";
counted(
    fn () => Counters::add('a'),
    fn () => Counters::add('0'),
    fn () => Counters::add(' '),
    fn () => Counters::add("a\0b"),
    fn () => Counters::add('a:60'),
    fn () => Counters::add(str_repeat('n', 64)),
    fn () => Counters::add(str_repeat("\u{1F600}", 16)),
);
echo "-- arguments\n";
counted(
    fn () => Counters::add('v', null),
    fn () => Counters::add('v', ''),
    fn () => Counters::add('v', '0'),
    fn () => Counters::add('v', "\0"),
    fn () => Counters::add('v', 'größe'),
    fn () => Counters::add('v', str_repeat('x', 250)),
    fn () => Counters::add('V', ''),
);
echo "-- values\n";
counted(
    fn () => Counters::add('zero', null, 0),
    fn () => Counters::add('minus zero', null, -0.0),
    fn () => Counters::add('negative', null, -2.5),
    fn () => Counters::add('huge', null, 1e308),
    fn () => Counters::add('huge', null, -1e308),
    fn () => Counters::add('tiny', null, 5e-324),
    fn () => Counters::add('largest', null, PHP_FLOAT_MAX),
    fn () => Counters::add('int max', null, PHP_INT_MAX),
    fn () => Counters::add('int min', null, PHP_INT_MIN),
);
echo "-- sums that rounding does not touch\n";
counted(function () {
    foreach ([1e16, 1.0, 1.0, 1.0, 1.0, -1e16] as $value) {
        Counters::add('cancelling', null, $value);
    }
    for ($i = 0; $i < 1000; $i++) {
        Counters::add('tenths', null, 0.1);
        Counters::add('one more than 2^53', null, $i === 0 ? 9007199254740992 : 1);
    }
});
echo "-- ways to call\n";
counted(
    fn () => Counters::add(value: 3, name: 'named'),
    fn () => call_user_func_array([Counters::class, 'add'], ['array', 'x', 2]),
    fn () => call_user_func('Counters::add', 'string'),
    fn () => array_map(Counters::add(...), ['first', 'class', 'class']),
    function () {
        $name = 'by reference';
        $argument = 'before';
        [$a, $b, $c] = [&$name, &$argument, &$value];
        $value = 4;
        Counters::add($name, $argument, $value);
        $argument = 'after';
        Counters::add($name, $argument, $value);
        return [$name, $argument, $value];
    },
    function () {
        // A string that is made at run time, and freed right away.
        for ($i = 0; $i < 3; $i++) {
            Counters::add('made' . ($i % 2), "x$i");
        }
    },
);
?>
--EXPECT--
-- defaults
null
{"name":"views","argument":null,"total":1.0,"count":1,"minimum":1.0,"maximum":1.0}
-- names
null
null
null
null
null
null
null
{"name":" ","argument":null,"total":1.0,"count":1,"minimum":1.0,"maximum":1.0}
{"name":"0","argument":null,"total":1.0,"count":1,"minimum":1.0,"maximum":1.0}
{"name":"a","argument":null,"total":1.0,"count":1,"minimum":1.0,"maximum":1.0}
{"name":"a\u0000b","argument":null,"total":1.0,"count":1,"minimum":1.0,"maximum":1.0}
{"name":"a:60","argument":null,"total":1.0,"count":1,"minimum":1.0,"maximum":1.0}
{"name":"n…","argument":null,"total":1.0,"count":1,"minimum":1.0,"maximum":1.0}
{"name":"😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀","argument":null,"total":1.0,"count":1,"minimum":1.0,"maximum":1.0}
-- arguments
null
null
null
null
null
null
null
{"name":"V","argument":"","total":1.0,"count":1,"minimum":1.0,"maximum":1.0}
{"name":"v","argument":null,"total":1.0,"count":1,"minimum":1.0,"maximum":1.0}
{"name":"v","argument":"","total":1.0,"count":1,"minimum":1.0,"maximum":1.0}
{"name":"v","argument":"\u0000","total":1.0,"count":1,"minimum":1.0,"maximum":1.0}
{"name":"v","argument":"0","total":1.0,"count":1,"minimum":1.0,"maximum":1.0}
{"name":"v","argument":"größe","total":1.0,"count":1,"minimum":1.0,"maximum":1.0}
{"name":"v","argument":"x…","total":1.0,"count":1,"minimum":1.0,"maximum":1.0}
-- values
null
null
null
null
null
null
null
null
null
{"name":"huge","argument":null,"total":0.0,"count":2,"minimum":-1.0e+308,"maximum":1.0e+308}
{"name":"int max","argument":null,"total":9.223372036854776e+18,"count":1,"minimum":9.223372036854776e+18,"maximum":9.223372036854776e+18}
{"name":"int min","argument":null,"total":-9.223372036854776e+18,"count":1,"minimum":-9.223372036854776e+18,"maximum":-9.223372036854776e+18}
{"name":"largest","argument":null,"total":1.7976931348623157e+308,"count":1,"minimum":1.7976931348623157e+308,"maximum":1.7976931348623157e+308}
{"name":"minus zero","argument":null,"total":0.0,"count":1,"minimum":-0.0,"maximum":-0.0}
{"name":"negative","argument":null,"total":-2.5,"count":1,"minimum":-2.5,"maximum":-2.5}
{"name":"tiny","argument":null,"total":5.0e-324,"count":1,"minimum":5.0e-324,"maximum":5.0e-324}
{"name":"zero","argument":null,"total":0.0,"count":1,"minimum":0.0,"maximum":0.0}
-- sums that rounding does not touch
null
{"name":"cancelling","argument":null,"total":4.0,"count":6,"minimum":-10000000000000000.0,"maximum":10000000000000000.0}
{"name":"one more than 2^53","argument":null,"total":9007199254741992.0,"count":1000,"minimum":1.0,"maximum":9007199254740992.0}
{"name":"tenths","argument":null,"total":100.0,"count":1000,"minimum":0.1,"maximum":0.1}
-- ways to call
null
null
null
[null,null,null]
["by reference","after",4]
null
{"name":"array","argument":"x","total":2.0,"count":1,"minimum":2.0,"maximum":2.0}
{"name":"by reference","argument":"after","total":4.0,"count":1,"minimum":4.0,"maximum":4.0}
{"name":"by reference","argument":"before","total":4.0,"count":1,"minimum":4.0,"maximum":4.0}
{"name":"class","argument":null,"total":2.0,"count":2,"minimum":1.0,"maximum":1.0}
{"name":"first","argument":null,"total":1.0,"count":1,"minimum":1.0,"maximum":1.0}
{"name":"made0","argument":"x0","total":1.0,"count":1,"minimum":1.0,"maximum":1.0}
{"name":"made0","argument":"x2","total":1.0,"count":1,"minimum":1.0,"maximum":1.0}
{"name":"made1","argument":"x1","total":1.0,"count":1,"minimum":1.0,"maximum":1.0}
{"name":"named","argument":null,"total":3.0,"count":1,"minimum":3.0,"maximum":3.0}
{"name":"string","argument":null,"total":1.0,"count":1,"minimum":1.0,"maximum":1.0}
