--TEST--
Counters: scalar arguments are converted as in any PHP function, and not under strict_types
--FILE--
<?php
require __DIR__ . '/../support.inc.php';
$code = <<<'PHP'
    require $argv[1];
    attempt(fn () => Counters::add(7));
    attempt(fn () => Counters::add(7.5, 8, '9'));
    attempt(fn () => Counters::add('v', 1, true));
    attempt(fn () => Counters::add('v', new class { function __toString() { return 'text'; } }));
    attempt(fn () => Counters::slot('61'));
    attempt(fn () => Counters::hash('v', null, '60') === Counters::hash('v', null, 60));
    attempt(fn () => count(Counters::read('v', '0')));
    attempt(fn () => Counters::add('v', null, 5));
    foreach (Counters::pending() as $row) {
        unset($row['slot']);
        echo json_encode($row), "\n";
    }
    PHP;
foreach (['', "declare(strict_types=1);\n"] as $declare) {
    echo "-- $declare\n";
    $file = ini_get('presence.segment') . '.php';
    file_put_contents($file, "<?php $declare\n$code");
    echo shell_exec(implode(' ', array_map(escapeshellarg(...), php_command([], false, $file, __DIR__ . '/../support.inc.php'))));
}
?>
--EXPECT--
-- 
null
null
null
null
60
true
1
null
{"name":"7","argument":null,"total":1,"count":1,"minimum":1,"maximum":1}
{"name":"7.5","argument":"8","total":9,"count":1,"minimum":9,"maximum":9}
{"name":"v","argument":null,"total":5,"count":1,"minimum":5,"maximum":5}
{"name":"v","argument":"1","total":1,"count":1,"minimum":1,"maximum":1}
{"name":"v","argument":"text","total":1,"count":1,"minimum":1,"maximum":1}
-- declare(strict_types=1);

TypeError: Counters::add(): Argument #1 ($name) must be of type string, int given
TypeError: Counters::add(): Argument #1 ($name) must be of type string, float given
TypeError: Counters::add(): Argument #2 ($argument) must be of type ?string, int given
TypeError: Counters::add(): Argument #2 ($argument) must be of type ?string, class@anonymous given
TypeError: Counters::slot(): Argument #1 ($time) must be of type ?int, string given
TypeError: Counters::hash(): Argument #3 ($slot) must be of type int, string given
TypeError: Counters::read(): Argument #2 ($since) must be of type int, string given
null
{"name":"v","argument":null,"total":5,"count":1,"minimum":5,"maximum":5}
