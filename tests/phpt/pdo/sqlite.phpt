--TEST--
Counters::$db: an SQLite file through PDO, in each error mode, leaving no trace in the application
--EXTENSIONS--
pdo_sqlite
--FILE--
<?php
require __DIR__ . '/../support.inc.php';
$folder = ini_get('presence.segment') . '-folder';
mkdir($folder);
set_error_handler(function (int $level, string $message) {
    echo "HANDLER CALLED: $message\n";
});
foreach ([PDO::ERRMODE_SILENT, PDO::ERRMODE_WARNING, PDO::ERRMODE_EXCEPTION] as $mode) {
    $pdo = new PDO("sqlite:$folder/$mode.sqlite", null, null, [PDO::ATTR_ERRMODE => $mode]);
    Counters::$db = $pdo;
    Counters::install();
    Counters::install();
    $past = time() - 86400;
    Counters::add('views', "it's", 2);
    Counters::add('views', "it's", 0.5);
    Counters::add('views', null, -1);
    echo count(Counters::pending()), " pending\n";
    echo json_encode(array_map(fn ($row) => array_slice($row, 1), Counters::read('views', time() - 3600, null, 86400))), "\n";
    // A table that the rows do not fit into.
    $pdo->exec('DROP TABLE counter');
    $pdo->exec('CREATE TABLE counter (other INTEGER)');
    attempt(fn () => Counters::read('views', $past));
    var_dump(error_get_last());
    var_dump($pdo->getAttribute(PDO::ATTR_ERRMODE) === $mode);
    $pdo->exec('DROP TABLE counter');
    Counters::install();
}
?>
--EXPECTF--
2 pending
[{"total":1.5,"count":3,"minimum":-1,"maximum":2,"average":0.5}]
Presence\ConnectionException: the database of Counters::$db (PDO sqlite): %Sno such column%S. Counters::install() creates the table `counter` where it is missing
NULL
bool(true)
2 pending
[{"total":1.5,"count":3,"minimum":-1,"maximum":2,"average":0.5}]
Presence\ConnectionException: the database of Counters::$db (PDO sqlite): %Sno such column%S. Counters::install() creates the table `counter` where it is missing
NULL
bool(true)
2 pending
[{"total":1.5,"count":3,"minimum":-1,"maximum":2,"average":0.5}]
Presence\ConnectionException: the database of Counters::$db (PDO sqlite): %Sno such column%S. Counters::install() creates the table `counter` where it is missing
NULL
bool(true)
