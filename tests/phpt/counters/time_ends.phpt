--TEST--
Counters::time(): work that ends the script ends it, and harms nothing that was counted
--EXTENSIONS--
pdo_sqlite
--SKIPIF--
<?php
require __DIR__ . '/../support.inc.php';
skip_without_memory_limit();
?>
--FILE--
<?php
require __DIR__ . '/../support.inc.php';
$run = function (string $title, string $code, array $ini = []) {
    $printed = run_php("Counters::add('before'); $code echo 'NOT REACHED';", $ini, true, $exit_code);
    // How PHP words it differs by version.
    echo "-- $title: code $exit_code\n", preg_replace('/^Fatal error: (\w+).*/s', 'Fatal error: $1', trim($printed)), "\n";
};
$run('exit', "Counters::time('exit', null, function () { echo 'bye'; exit(3); });");
$run('exit in a nested call', "Counters::time('exit', null, fn () => Counters::time('exit', null, fn () => exit(4)));");
$run('exit with a finally block', "Counters::time('exit', null, function () { try { exit(5); } finally { echo 'FINALLY'; } });");
$run('exit in a fiber', "(new Fiber(fn () => Counters::time('exit', null, fn () => exit(6))))->start();");
$run('exit in a shutdown function', "register_shutdown_function(fn () => Counters::time('exit', null, fn () => exit(7))); exit;");
$run('uncaught', "Counters::time('thrown', null, fn () => throw new Exception('up'));");
// Whether work that a fatal error broke off is counted is PHP's choice: it unwinds after some, and jumps after others.
$run('memory', "Counters::time('broken off', null, fn () => str_repeat('x', 1 << 30));", ['memory_limit' => '16M']);
$run('memory in a nested call', "Counters::time('broken off', null, fn () => Counters::time('broken off', null, fn () => str_repeat('x', 1 << 30)));", ['memory_limit' => '16M']);
$run('time', "Counters::time('broken off', null, function () { while (true); });", ['max_execution_time' => '1']);
$run('fatal error', "Counters::time('broken off', null, fn () => eval('class A {} class A {}'));");
echo "-- all\n";
foreach (stored_rows() as $row) {
    [, $name, , , $count] = json_decode($row);
    $counts[$name] = ($counts[$name] ?? 0) + $count;
}
unset($counts['broken off']);
echo json_encode($counts), "\n";
attempt(fn () => Counters::pending());
?>
--EXPECT--
-- exit: code 3
bye
-- exit in a nested call: code 4

-- exit with a finally block: code 5

-- exit in a fiber: code 6

-- exit in a shutdown function: code 7

-- uncaught: code 255
Fatal error: Uncaught
-- memory: code 255
Fatal error: Allowed
-- memory in a nested call: code 255
Fatal error: Allowed
-- time: code 255
Fatal error: Maximum
-- fatal error: code 255
Fatal error: Cannot
-- all
{"before":10,"exit":6,"thrown":1}
[]
