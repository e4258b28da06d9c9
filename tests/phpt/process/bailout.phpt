--TEST--
A bailout inside any method leaves the process able to go on: limits of memory and time while a huge answer is made
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
$segment = ini_get('presence.segment');
// Filled with much.
$ini = ['presence.max_series' => '65536', 'presence.max_visitors' => '262144', 'presence.flusher' => 'off'];
echo run_php('for ($i = 0; $i < 50000; $i++) { Counters::add("views", "argument number $i"); }
    $presence = new Presence(); for ($i = 0; $i < 100000; $i++) { $presence->persist("visitor number $i"); } echo "filled\n";', $ini, true);
$wide = $ini;
$ini += ['memory_limit' => '8M'];
foreach ([
    'Counters::pending()', '(new Presence())->ids()', '(new Presence())->areOnline(range(1, 100000))', 'Counters::time("t", null, fn () => Counters::pending())',
    'Counters::time("t", null, fn () => (new Presence())->ids())', 'array_map(fn () => (new Presence())->ids(), [1, 2])',
] as $call) {
    $printed = run_php("register_shutdown_function(fn () => Counters::add('after')); $call; echo 'no limit reached';", $ini, true, $code);
    // PHP jumps out, or unwinds; or at a second limit ends at once, without any shutdown. Whichever, nobody else notices.
    echo "$call: ", in_array($code, [255, 137], true) && preg_match('/^(Allowed|.*Hard) memory|Allowed memory size/m', $printed) ? 'out of memory' : "code $code, $printed", "\n";
    echo run_php("Counters::add('after'); echo json_encode([Counters::available(), (new Presence())->count()]), '\n';", $wide, true);
}
// An error handler, and an exception, in the middle of a warning that the extension raises.
$bad = ['presence.segment' => "$segment/nowhere", 'presence.data_dir' => "$segment.bad"];
echo run_php('set_error_handler(function ($level, $message) { throw new ErrorException("made of a warning"); });
    foreach ([fn () => Counters::add("views"), fn () => Counters::add("views"), fn () => Counters::available(), fn () => count((new Presence())->ids())] as $call) {
        try { echo json_encode($call()), "\n"; } catch (ErrorException $e) { echo $e->getMessage(), "\n"; } }', $bad);
echo run_php('set_error_handler(function ($level, $message) { exit("ended in the handler\n"); }); Counters::add("views"); echo "NOT REACHED";', $bad);
echo run_php('set_error_handler(function ($level, $message) { Counters::add("in the handler"); (new Presence())->persist("in the handler"); echo "handled once\n"; return true; });
    Counters::add("views"); Counters::add("views"); echo json_encode((new Presence())->ids()), "\n";', $bad);
$names = array_unique(array_map(fn ($row) => json_decode($row)[1], stored_rows("$segment.bad/counters.sqlite")));
sort($names);
attempt(fn () => $names);
// All that was counted before a limit was reached is there.
$sums = array_column(json_decode(run_php('echo json_encode(Counters::pending());', $wide, true), true), 'count', 'name');
attempt(fn () => [$sums['after'] >= 6]);
?>
--EXPECT--
filled
Counters::pending(): out of memory
[true,100000]
(new Presence())->ids(): out of memory
[true,100000]
(new Presence())->areOnline(range(1, 100000)): code 0, no limit reached
[true,100000]
Counters::time("t", null, fn () => Counters::pending()): out of memory
[true,100000]
Counters::time("t", null, fn () => (new Presence())->ids()): out of memory
[true,100000]
array_map(fn () => (new Presence())->ids(), [1, 2]): out of memory
[true,100000]
made of a warning
null
false
0
ended in the handler
handled once
["in the handler"]
["in the handler","views"]
[true]
