--TEST--
A script that ends within its minute leaves no process behind, and stores what it counted unless it is told not to
--EXTENSIONS--
pdo_sqlite
--FILE--
<?php
require __DIR__ . '/../support.inc.php';
$segment = ini_get('presence.segment');
$code = 'Counters::add("views", null, 1); Counters::add("views", null, 2); (new Presence())->persist(42);';
foreach (['auto', 'request', 'off'] as $mode) {
    $ini = ['presence.flusher' => $mode, 'presence.segment' => "$segment.$mode", 'presence.data_dir' => "$segment.$mode.data"];
    $sums = fn () => array_map(fn ($row) => array_slice(json_decode($row), 3), stored_rows("$segment.$mode.data/counters.sqlite"));
    echo "-- $mode\n";
    echo run_php($code, $ini);
    attempt(fn () => users_of_segment("$segment.$mode"));
    attempt($sums);
    // Presence alone, or a look at the counters, is no reason to write anything.
    echo run_php('(new Presence())->count(); Counters::status(); Counters::pending(); echo json_encode(Counters::status()["flusher"]["pid"]), "\n";', $ini);
    attempt(fn () => users_of_segment("$segment.$mode"));
    echo run_php('exit((int) array_sum(array_column(Counters::pending(), "total")));', $ini, false, $pending);
    echo "$pending pending\n";
}
?>
--EXPECT--
-- auto
[]
[[3,2,1,2]]
null
[]
0 pending
-- request
[]
[[3,2,1,2]]
null
[]
0 pending
-- off
[]
[]
null
[]
3 pending
