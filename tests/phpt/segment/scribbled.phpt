--TEST--
Random bytes anywhere behind the header neither crash PHP nor make it wait
--SKIPIF--
<?php
require __DIR__ . '/../support.inc.php';
skip_if_slow();
?>
--FILE--
<?php
require __DIR__ . '/../support.inc.php';
$base = ini_get('presence.segment');
mt_srand(20250101);
$ini = ['presence.max_series' => '64', 'presence.max_visitors' => '64', 'presence.segment' => $base . '-1', 'presence.data_dir' => $base . '-1.data', 'memory_limit' => '64M', 'max_execution_time' => '20'];
run_php('for ($i = 0; $i < 40; $i++) { Counters::add("views", "$i"); (new Presence())->persist("v$i"); } Counters::add("hot", null, 1);', ['presence.flusher' => 'off'] + $ini);
$good = file_get_contents($base . '-1');
$use = <<<'PHP'
    for ($i = 0; $i < 50; $i++) {
        try { Counters::add('views', "$i"); } catch (Presence\PresenceException) {}
        try { (new Presence())->persist("v$i"); } catch (Presence\PresenceException) {}
    }
    foreach ([fn () => Counters::pending(), fn () => Counters::status(), fn () => Counters::read('views', 0), fn () => Counters::flush(), fn () => (new Presence())->ids(), fn () => (new Presence())->count(),
        fn () => (new Presence())->areOnline(range(1, 50)), fn () => (new Presence())->room('r')->persist('x'), fn () => (new Presence())->purge(), fn () => (new Presence())->status(), fn () => (new Presence())->forget('v1'), fn () => (new Presence())->replace('v2', 'v3')] as $call) {
        try { $call(); } catch (Presence\PresenceException) {}
    }
    echo 'through';
    PHP;
$through = 0;
for ($round = 0; $round < 40; $round++) {
    $bytes = $good;
    for ($i = 0, $patches = 1 << ($round % 10); $i < $patches; $i++) {
        $at = mt_rand(4096, strlen($bytes) - 9);
        $bytes = substr_replace($bytes, $round % 3 ? random_bytes(8) : "\xff\xff\xff\xff\xff\xff\xff\xff", $at, 8);
    }
    file_put_contents($base . '-1', $bytes);
    $printed = run_php($use, $ini, false, $code);
    if (str_ends_with($printed, 'through') && $code === 0) {
        $through++;
    } else {
        echo "round $round, code $code: ", substr($printed, 0, 500), "\n";
    }
}
echo "$through through\n";
?>
--EXPECT--
40 through
