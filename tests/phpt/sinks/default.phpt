--TEST--
With nothing configured, counters go into an SQLite file in presence.data_dir that only its user can read
--EXTENSIONS--
pdo_sqlite
--FILE--
<?php
require __DIR__ . '/../support.inc.php';
umask(0);
$folder = ini_get('presence.data_dir');
attempt(fn () => Counters::read('views', 0));
attempt(fn () => Counters::install());
attempt(fn () => Counters::install());
attempt(fn () => stored_rows());
Counters::add('views', "it's", 2);
Counters::add('views', null, 0.5);
echo run_php('Counters::add("views", "it\'s", 40); Counters::add("größe", "\u{1F600}"); Counters::add("a:60", "b");', [], true);
$rows = (new PDO("sqlite:$folder/counters.sqlite"))->query('SELECT * FROM counter ORDER BY name, argument', PDO::FETCH_ASSOC)->fetchAll();
foreach ($rows as $row) {
    $same = Counters::hash($row['name'], $row['argument'], $row['timeslot']) === $row['hash'];
    echo $row['name'], ' ', $row['argument'] ?? '-', ' ', $row['total'], ' ', $row['count'], ' ', $same ? 'hash ok' : $row['hash'], "\n";
}
echo implode(', ', array_keys($rows[0])), "\n";
foreach ([$folder, "$folder/counters.sqlite", "$folder/spool", ini_get('presence.segment')] as $path) {
    printf("%s %o\n", basename($path), fileperms($path) & 0777);
}
attempt(fn () => Counters::pending());
attempt(fn () => glob("$folder/spool/*.batch"));
echo "-- the folder cannot be made\n";
echo preg_replace('{/\S+/}', '…/', run_php('Counters::add("kept"); try { Counters::install(); } catch (Presence\ConnectionException $e) { echo $e->getMessage(), "\n"; } echo count(Counters::pending()), "\n";',
    ['presence.data_dir' => "$folder/counters.sqlite/below"]));
?>
--EXPECT--
[]
null
null
[]
a:60 b 1 1 hash ok
größe 😀 1 1 hash ok
views - 0.5 1 hash ok
views it's 42 2 hash ok
hash, name, argument, timeslot, total, minimum, maximum, count
data 700
counters.sqlite 600
spool 700
segment 600
[]
[]
-- the folder cannot be made
sqlite:…/counters.sqlite: cannot create the file: Not a directory; its folder must exist and be writable for the user that PHP runs as
1
