--TEST--
A damaged, cut, foreign or older segment is replaced with one warning, and what was stored before stays
--EXTENSIONS--
pdo_sqlite
--FILE--
<?php
require __DIR__ . '/../support.inc.php';
$base = ini_get('presence.segment');
$write = function (string $path, int $at, string $bytes) {
    $file = fopen($path, 'r+');
    fseek($file, $at);
    fwrite($file, $bytes);
    fclose($file);
};
$truncate = function (string $path, int $size) {
    $file = fopen($path, 'r+');
    ftruncate($file, $size);
    fclose($file);
};
$damages = [
    'empty' => fn ($path) => $truncate($path, 0),
    'a few bytes' => fn ($path) => $truncate($path, 100),
    'cut to half' => fn ($path) => $truncate($path, intdiv(filesize($path), 2)),
    'one byte short' => fn ($path) => $truncate($path, filesize($path) - 1),
    'longer' => fn ($path) => $truncate($path, filesize($path) + 4096),
    'another magic' => fn ($path) => $write($path, 0, 'GIF89a..'),
    'another layout version' => fn ($path) => $write($path, 8, pack('V', 999)),
    'a bit of the header' => fn ($path) => $write($path, 48, "\xff"),
    'all of the header' => fn ($path) => $write($path, 0, random_bytes(4096)),
    'text' => fn ($path) => file_put_contents($path, str_repeat('not a segment ', 1000)),
];
$number = 0;
foreach ($damages as $title => $damage) {
    $path = $base . '-' . ++$number;
    $ini = ['presence.segment' => $path, 'presence.data_dir' => "$path.data"];
    run_php('Counters::add("views"); (new Presence())->persist(1);', $ini);
    $damage($path);
    $printed = run_php('Counters::add("views"); Counters::add("views"); (new Presence())->persist(2); echo json_encode([Counters::available(), (new Presence())->ids(), array_sum(array_column(Counters::read("views", 0), "total"))]);', $ini);
    echo "-- $title\n", preg_replace('/ in Command line code on line \d+/', '', str_replace($path, 'SEGMENT', trim($printed))), "\n";
    // Whoever comes next finds a good one.
    echo run_php('Counters::add("views"); echo json_encode([Counters::available(), (new Presence())->ids()]), "\n";', $ini);
    clearstatcache();
    $total = array_sum(array_map(fn ($row) => json_decode($row)[3], stored_rows("$path.data/counters.sqlite")));
    echo json_encode([$total, decoct(fileperms($path) & 0777)]), "\n";
}
?>
--EXPECT--
-- empty
Warning: Counters::add(): the segment SEGMENT was replaced by a new one: it is cut short
[true,["2"],3]
[true,["2"]]
[4,"600"]
-- a few bytes
Warning: Counters::add(): the segment SEGMENT was replaced by a new one: it is cut short
[true,["2"],3]
[true,["2"]]
[4,"600"]
-- cut to half
Warning: Counters::add(): the segment SEGMENT was replaced by a new one: it is cut short
[true,["2"],3]
[true,["2"]]
[4,"600"]
-- one byte short
Warning: Counters::add(): the segment SEGMENT was replaced by a new one: it is cut short
[true,["2"],3]
[true,["2"]]
[4,"600"]
-- longer
Warning: Counters::add(): the segment SEGMENT was replaced by a new one: it is longer than it was made
[true,["2"],3]
[true,["2"]]
[4,"600"]
-- another magic
Warning: Counters::add(): the segment SEGMENT was replaced by a new one: it is not a presence segment
[true,["2"],3]
[true,["2"]]
[4,"600"]
-- another layout version
Warning: Counters::add(): the segment SEGMENT was replaced by a new one: it has the layout of another version
[true,["2"],3]
[true,["2"]]
[4,"600"]
-- a bit of the header
Warning: Counters::add(): the segment SEGMENT was replaced by a new one: its header is damaged
[true,["2"],3]
[true,["2"]]
[4,"600"]
-- all of the header
Warning: Counters::add(): the segment SEGMENT was replaced by a new one: it is not a presence segment
[true,["2"],3]
[true,["2"]]
[4,"600"]
-- text
Warning: Counters::add(): the segment SEGMENT was replaced by a new one: it is not a presence segment
[true,["2"],3]
[true,["2"]]
[4,"600"]
