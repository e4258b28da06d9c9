--TEST--
Where the segment cannot be used there is one warning for each process, and all works the slow way
--EXTENSIONS--
pdo_sqlite
posix
--FILE--
<?php
require __DIR__ . '/../support.inc.php';
$base = ini_get('presence.segment');
$work = <<<'PHP'
    Counters::add('views', '/', 1);
    Counters::add('views', '/', 20);
    Counters::time('work', null, fn () => null);
    echo json_encode([Counters::available(), Counters::pending(), Counters::status()['segment'], Counters::status()['available']]), "\n";
    echo json_encode(array_map(fn ($row) => [$row['total'], $row['count']], Counters::read('views', 0, null, 86400))), "\n";
    echo json_encode(Counters::flush()), "\n";
    $presence = new Presence();
    $presence->persist(42);
    $presence->room('topic')->persist('guest');
    echo json_encode([$presence->ids(), $presence->isOnline('42'), $presence->count(), $presence->room('topic')->ids(), $presence->lastSeen(42) !== null]), "\n";
    PHP;
$shown = function (string $printed) use ($base) {
    echo preg_replace('/ in Command line code on line \d+/', '', str_replace($base, 'SEGMENT', $printed));
};
$places = [
    'a folder that does not exist' => function (string $path) {
        return "$path/nowhere/segment";
    },
    'a symbolic link' => function (string $path) {
        symlink("$path.elsewhere", $path);
        return $path;
    },
    'a symbolic link to a good segment' => function (string $path) {
        run_php('Counters::available();', ['presence.segment' => "$path.good"]);
        symlink("$path.good", $path);
        return $path;
    },
    'a folder' => function (string $path) {
        mkdir($path);
        return $path;
    },
    'a pipe' => function (string $path) {
        posix_mkfifo($path, 0600);
        return $path;
    },
    'a file that others may read' => function (string $path) {
        file_put_contents($path, 'theirs');
        chmod($path, 0644);
        return $path;
    },
    'not a folder on the way' => function (string $path) {
        file_put_contents($path, 'theirs');
        return "$path/segment";
    },
];
$number = 0;
foreach ($places as $title => $make) {
    echo "-- $title\n";
    $path = $make($base . '-' . ++$number);
    $ini = ['presence.segment' => $path, 'presence.data_dir' => "$base-$number.data"];
    $shown(run_php($work, $ini));
    // Another process finds what this one stored.
    echo json_encode(array_map(fn ($row) => array_slice(json_decode($row), 1, 4), array_filter(stored_rows("$base-$number.data/counters.sqlite"), fn ($row) => str_contains($row, 'views')))), "\n";
    $shown(run_php('$p = new Presence(); echo json_encode([$p->ids(), $p->room("topic")->count()]), "\n";', $ini));
    if (!is_link($path) && is_file($path) && file_get_contents($path) !== 'theirs') {
        echo "CHANGED\n";
    }
}
echo "-- neither a segment nor a data folder\n";
$shown(run_php(<<<'PHP'
    set_error_handler(fn ($level, $message) => print("$message\n"));
    foreach ([fn () => Counters::add('views'), fn () => Counters::add('views'), fn () => Counters::time('work', null, fn () => 'done'), fn () => Counters::flush(), fn () => Counters::pending(), fn () => (new Presence())->persist(1)] as $call) {
        try {
            echo json_encode($call()), "\n";
        } catch (Presence\PresenceException $e) {
            echo $e::class, ': ', $e->getMessage(), "\n";
        }
    }
    echo Counters::status()['refused_adds'], " refused\n";
    PHP, ['presence.segment' => "$base/nowhere", 'presence.data_dir' => "$base-4/data/nowhere"]));
?>
--EXPECT--
-- a folder that does not exist

Warning: Counters::add(): presence works without shared memory, and slowly: cannot create a file in SEGMENT-1/nowhere: No such file or directory
[false,[],null,false]
[[21,2]]
0
[["42"],true,1,["guest"],true]
[["views","\/",21,2]]

Warning: Presence::__construct(): presence works without shared memory, and slowly: cannot create a file in SEGMENT-1/nowhere: No such file or directory
[["42"],1]
-- a symbolic link

Warning: Counters::add(): presence works without shared memory, and slowly: the segment SEGMENT-2 is not used: it is a symbolic link
[false,[],null,false]
[[21,2]]
0
[["42"],true,1,["guest"],true]
[["views","\/",21,2]]

Warning: Presence::__construct(): presence works without shared memory, and slowly: the segment SEGMENT-2 is not used: it is a symbolic link
[["42"],1]
-- a symbolic link to a good segment

Warning: Counters::add(): presence works without shared memory, and slowly: the segment SEGMENT-3 is not used: it is a symbolic link
[false,[],null,false]
[[21,2]]
0
[["42"],true,1,["guest"],true]
[["views","\/",21,2]]

Warning: Presence::__construct(): presence works without shared memory, and slowly: the segment SEGMENT-3 is not used: it is a symbolic link
[["42"],1]
-- a folder

Warning: Counters::add(): presence works without shared memory, and slowly: the segment SEGMENT-4 is not used: Is a directory
[false,[],null,false]
[[21,2]]
0
[["42"],true,1,["guest"],true]
[["views","\/",21,2]]

Warning: Presence::__construct(): presence works without shared memory, and slowly: the segment SEGMENT-4 is not used: Is a directory
[["42"],1]
-- a pipe

Warning: Counters::add(): presence works without shared memory, and slowly: the segment SEGMENT-5 is not used: it is not a regular file
[false,[],null,false]
[[21,2]]
0
[["42"],true,1,["guest"],true]
[["views","\/",21,2]]

Warning: Presence::__construct(): presence works without shared memory, and slowly: the segment SEGMENT-5 is not used: it is not a regular file
[["42"],1]
-- a file that others may read

Warning: Counters::add(): presence works without shared memory, and slowly: the segment SEGMENT-6 is not used: other users may open it; its mode must be 0600
[false,[],null,false]
[[21,2]]
0
[["42"],true,1,["guest"],true]
[["views","\/",21,2]]

Warning: Presence::__construct(): presence works without shared memory, and slowly: the segment SEGMENT-6 is not used: other users may open it; its mode must be 0600
[["42"],1]
-- not a folder on the way

Warning: Counters::add(): presence works without shared memory, and slowly: the segment SEGMENT-7/segment is not used: Not a directory
[false,[],null,false]
[[21,2]]
0
[["42"],true,1,["guest"],true]
[["views","\/",21,2]]

Warning: Presence::__construct(): presence works without shared memory, and slowly: the segment SEGMENT-7/segment is not used: Not a directory
[["42"],1]
-- neither a segment nor a data folder
Counters::add(): presence works without shared memory, and slowly: cannot create a file in SEGMENT: No such file or directory; values are being lost, Counters::status() counts how many (refused_adds): sqlite:SEGMENT-4/data/nowhere/counters.sqlite: cannot create the file: No such file or directory; its folder must exist and be writable for the user that PHP runs as; and cannot create the folder SEGMENT-4/data/nowhere: No such file or directory
null
null
"done"
0
[]
Presence\ConnectionException: visitors can be kept nowhere: cannot create a file in SEGMENT: No such file or directory; and a file in presence.data_dir, SEGMENT-4/data/nowhere, cannot be used either: set one of them to a place that this user alone may write to
3 refused
