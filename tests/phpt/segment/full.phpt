--TEST--
A full /dev/shm: one warning that says what to do, and all works the slow way
--EXTENSIONS--
posix
--SKIPIF--
<?php
if (posix_geteuid() !== 0) {
    die('skip mounting a file system needs root');
}
exec('unshare --mount true 2>&1', $output, $code);
if ($code !== 0) {
    die('skip mounting a file system is not allowed here');
}
?>
--FILE--
<?php
require __DIR__ . '/../support.inc.php';
$folder = ini_get('presence.segment') . '-shm';
mkdir($folder);
$use = <<<'PHP'
    Counters::add('views', null, 1);
    Counters::add('views', null, 2);
    $presence = new Presence();
    $presence->persist(42);
    echo json_encode([Counters::available(), array_sum(array_column(Counters::read('views', 0), 'total')), $presence->ids(), glob(dirname(ini_get('presence.segment')) . '/*')]), "\n";
    PHP;
foreach (['64k', '1m', '5m'] as $size) {
    $command = ['unshare', '--mount', 'sh', '-c', 'mount -t tmpfs -o "size=$1" tmpfs "$2" && shift 2 && exec "$@"', 'sh', $size, $folder,
        ...php_command(['presence.segment' => "$folder/segment", 'presence.data_dir' => "$folder-data-$size"], false, '-r', $use)];
    $process = proc_open($command, [1 => ['pipe', 'w'], 2 => ['redirect', 1]], $pipes, null, php_environment());
    echo "-- $size\n", preg_replace(['/ in Command line code on line \d+/', '/\d{5,}/'], ['', 'N'], str_replace($folder, 'FOLDER', stream_get_contents($pipes[1])));
    echo proc_close($process), "\n";
}
?>
--EXPECT--
-- 64k

Warning: Counters::add(): presence works without shared memory, and slowly: cannot reserve N bytes in FOLDER: No space left on device; free some, or lower presence.max_series and presence.max_visitors
[false,3,["42"],[]]
0
-- 1m

Warning: Counters::add(): presence works without shared memory, and slowly: cannot reserve N bytes in FOLDER: No space left on device; free some, or lower presence.max_series and presence.max_visitors
[false,3,["42"],[]]
0
-- 5m

Warning: Counters::add(): presence works without shared memory, and slowly: cannot reserve N bytes in FOLDER: No space left on device; free some, or lower presence.max_series and presence.max_visitors
[false,3,["42"],[]]
0
