--TEST--
After a fork, parent and children count and persist each for themselves, and the sums are exact
--EXTENSIONS--
pcntl
pdo_sqlite
--FILE--
<?php
require __DIR__ . '/../support.inc.php';
$presence = new Presence();
$room = $presence->room('topic');
$ended = fn () => array_map(function () {
    pcntl_wait($status);
    return pcntl_wifexited($status) ? pcntl_wexitstatus($status) : -1;
}, range(1, 4));
// The parent's lane is in use, and one of its series is hot, when it forks.
for ($i = 0; $i < 100; $i++) {
    Counters::add('hot', null, 1);
}
$presence->persist('parent');
for ($child = 1; $child <= 4; $child++) {
    if (pcntl_fork() === 0) {
        for ($i = 0; $i < 1000; $i++) {
            Counters::add('hot', null, 1);
            Counters::add("child $child", (string) ($i % 10), 1);
        }
        // The parent's objects work here as well.
        $presence->persist("child $child");
        $room->persist("child $child");
        // A child of a child, whose parent ends first.
        if (pcntl_fork() === 0) {
            for ($i = 0; $i < 500; $i++) {
                Counters::add('hot', null, 1);
            }
            $room->persist("grandchild $child");
            exit($presence->isOnline('parent') ? 0 : 1);
        }
        if ($child % 2) {
            pcntl_wait($status);
        }
        exit($child);
    }
    Counters::add('hot', null, 1);
}
for ($i = 0; $i < 1000; $i++) {
    Counters::add('hot', null, 1);
}
$codes = $ended();
sort($codes);
attempt(fn () => $codes);
// What the children stored at their ends, and what is still in memory, together.
var_dump(wait_for(fn () => users_of_segment() === []));
attempt(fn () => array_map(fn ($row) => [$row['total'], $row['count']], Counters::read('hot', 0, null, 86400)));
foreach ([1, 2, 3, 4] as $child) {
    attempt(fn () => array_sum(array_column(Counters::read("child $child", 0), 'count')));
}
$ids = [...$presence->ids(), ...$room->ids()];
sort($ids);
attempt(fn () => $ids);
attempt(fn () => Counters::status()['segment']['processes_used'] >= 1);
Counters::flush();
?>
--EXPECT--
[1,2,3,4]
bool(true)
[[7104,7104]]
1000
1000
1000
1000
["child 1","child 1","child 2","child 2","child 3","child 3","child 4","child 4","grandchild 1","grandchild 2","grandchild 3","grandchild 4","parent"]
true
