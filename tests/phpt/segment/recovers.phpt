--TEST--
A process that had no shared memory tries again once a minute, and finds what it recorded meanwhile
--EXTENSIONS--
pcntl
pdo_sqlite
--INI--
presence.flusher=off
--SKIPIF--
<?php
require __DIR__ . '/../support.inc.php';
skip_without_clock();
?>
--FILE--
<?php
require __DIR__ . '/../support.inc.php';
require __DIR__ . '/../clock.inc.php';
$folder = ini_get('presence.segment') . '.folder';
$ini = ['presence.segment' => "$folder/segment", 'presence.data_dir' => "$folder.data", 'presence.flusher' => 'off'];
$use = 'require ' . var_export(__DIR__ . '/../support.inc.php', true) . '; require ' . var_export(__DIR__ . '/../clock.inc.php', true) . ';' . <<<'PHP'
    $presence = new Presence();
    $room = $presence->room('topic');
    $later = $presence->room('later');
    foreach ([1, 2, 'gone'] as $id) {
        $presence->persist($id);
    }
    $room->persist('guest');
    $later->persist('reader');
    Counters::add('views', null, 1);
    mkdir(dirname(ini_get('presence.segment')));
    $presence->forget('gone');
    set_clock(59);
    $presence->persist(2);
    $show = function () use ($presence, $room) {
        $ids = $presence->ids();
        sort($ids);
        $sums = array_map(fn ($row) => [$row['total'], $row['count']], Counters::read('views', 0, null, 86400));
        attempt(fn () => [Counters::available(), $presence->count(), $ids, $presence->lastSeen(2) - CLOCK_START, $room->ids(), $sums]);
    };
    $show();
    set_clock(60);
    $presence->persist(3);
    $show();
    attempt(fn () => [$presence->isOnline('gone'), (new Presence())->room('later')->ids()]);
    Counters::add('views', null, 20);
    $show();
    attempt(fn () => [count(Counters::pending()), Counters::status()['series']['used']]);
    PHP;
echo preg_replace('/ in Command line code on line \d+/', '', str_replace($folder, 'FOLDER', run_php($use, $ini)));
echo "-- another process\n";
echo run_php('$p = new Presence(); $ids = $p->ids(); sort($ids); echo json_encode([$ids, $p->room("topic")->ids()]), "\n";', $ini);
?>
--EXPECT--
Warning: Presence::__construct(): presence works without shared memory, and slowly: cannot create a file in FOLDER: No such file or directory
[false,2,["1","2"],59,["guest"],[[1,1]]]
[true,3,["1","2","3"],59,["guest"],[[1,1]]]
[false,["reader"]]
[true,3,["1","2","3"],59,["guest"],[[21,2]]]
[1,1]
-- another process
[["1","2","3"],["guest"]]
