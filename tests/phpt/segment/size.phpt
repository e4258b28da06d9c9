--TEST--
presence.segment_size caps the segment; a smaller one holds less, and loses nothing
--EXTENSIONS--
pdo_sqlite
--FILE--
<?php
require __DIR__ . '/../support.inc.php';
$base = ini_get('presence.segment');
$number = 0;
$use = <<<'PHP'
    for ($i = 0; $i < 70; $i++) {
        Counters::add('views', "$i", 1);
    }
    $presence = new Presence();
    for ($i = 0; $i < 500; $i++) {
        $presence->persist($i);
    }
    $status = Counters::status();
    echo json_encode([Counters::available(), $status['direct_adds'] > 0, $presence->count() === 500, array_sum(array_column(Counters::read('views', 0), 'total'))]), "\n";
    PHP;
foreach (['0', '4G', '16M', '8M', '100K', '1'] as $size) {
    $path = $base . '-' . ++$number;
    $ini = ['presence.segment' => $path, 'presence.data_dir' => "$path.data", 'presence.segment_size' => $size, 'presence.flusher' => 'request'];
    echo "-- $size\n", preg_replace('/ in Command line code on line \d+/', '', run_php($use, $ini));
    clearstatcache();
    $bytes = is_file($path) ? filesize($path) : null;
    $limit = ['4G' => 1 << 32, '16M' => 1 << 24, '8M' => 1 << 23][$size] ?? PHP_INT_MAX;
    echo json_encode([$bytes === null ? 'no file' : ($bytes <= $limit ? 'within' : "$bytes bytes"), array_sum(array_map(fn ($row) => json_decode($row)[3], stored_rows("$path.data/counters.sqlite")))]), "\n";
}
echo "-- more series and visitors than the least there can be\n";
$path = $base . '-' . ++$number;
echo run_php($use, ['presence.segment' => $path, 'presence.data_dir' => "$path.data", 'presence.max_series' => '64', 'presence.max_visitors' => '64']);
attempt(fn () => array_sum(array_map(fn ($row) => json_decode($row)[3], stored_rows("$path.data/counters.sqlite"))));
// An existing segment keeps its size, whatever is asked for later.
$before = filesize($path);
echo run_php('echo json_encode(Counters::available()), "\n";', ['presence.segment' => $path, 'presence.data_dir' => "$path.data"]);
clearstatcache();
attempt(fn () => filesize($path) === $before);
?>
--EXPECT--
-- 0
[true,false,true,70]
["within",70]
-- 4G
[true,false,true,70]
["within",70]
-- 16M
[true,false,true,70]
["within",70]
-- 8M
[true,false,true,70]
["within",70]
-- 100K

Warning: Counters::add(): presence works without shared memory, and slowly: presence.segment_size is too small: 102400 bytes do not hold even small tables; 0 makes it as large as needed
[false,false,true,70]
["no file",70]
-- 1

Warning: Counters::add(): presence works without shared memory, and slowly: presence.segment_size is too small: 1 bytes do not hold even small tables; 0 makes it as large as needed
[false,false,true,70]
["no file",70]
-- more series and visitors than the least there can be
[true,true,false,70]
70
true
true
