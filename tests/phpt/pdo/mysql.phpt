--TEST--
Counters::$db: MySQL and MariaDB through PDO, whatever the connection's character set, error mode and way to fetch
--EXTENSIONS--
pdo_mysql
--SKIPIF--
<?php
require __DIR__ . '/../mysql.inc.php';
skip_without_mysql();
?>
--FILE--
<?php
require __DIR__ . '/../support.inc.php';
require __DIR__ . '/../mysql.inc.php';
$check = mysql_pdo([], ';charset=utf8mb4');
$database = mysql_database($check);
set_error_handler(function (int $level, string $message) {
    echo "HANDLER CALLED: $message\n";
});
$connections = [
    'silent, latin1' => [[PDO::ATTR_ERRMODE => PDO::ERRMODE_SILENT], ';charset=latin1'],
    'warning, unbuffered' => [[PDO::ATTR_ERRMODE => PDO::ERRMODE_WARNING, PDO::MYSQL_ATTR_USE_BUFFERED_QUERY => false], ''],
    'exception, native prepares' => [[PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION, PDO::ATTR_EMULATE_PREPARES => false], ';charset=utf8mb4'],
    'stringified, other SQL mode' => [[PDO::ATTR_STRINGIFY_FETCHES => true,
        PDO::MYSQL_ATTR_INIT_COMMAND => "SET sql_mode = 'ANSI_QUOTES,NO_BACKSLASH_ESCAPES,PIPES_AS_CONCAT'"], ''],
];
foreach ($connections as $title => [$options, $dsn]) {
    echo "-- $title\n";
    Counters::$db = $pdo = mysql_pdo($options, $dsn, $database);
    $missing = function (callable $call) {
        try {
            $call();
            echo "no error\n";
        } catch (Presence\ConnectionException $e) {
            echo str_contains($e->getMessage(), 'Counters::install() creates the table') ? "not installed\n" : $e->getMessage() . "\n";
        }
    };
    $missing(fn () => Counters::read('views', 0));
    Counters::install();
    Counters::add('views', "it's \\ größe ? :name \u{1F600}", 2.5);
    Counters::add('views', "it's \\ größe ? :name \u{1F600}", 0.1);
    Counters::add('views', null, 1e300);
    // Stored at the end of a script that does the same, with what is pending here.
    $arguments = implode(', ', array_map(fn ($part) => var_export($part, true), [...mysql_credentials($dsn, $database), $options]));
    echo run_php("Counters::\$db = new PDO($arguments); Counters::add('views', \"it's \\\\ größe ? :name \u{1F600}\", -1);", [], true);
    echo json_encode(Counters::pending()), "\n";
    $read = Counters::read('views', time() - 3600, null, 86400, "it's \\ größe ? :name \u{1F600}");
    echo json_encode(array_map(fn ($row) => array_slice($row, 1), $read)), "\n";
    echo json_encode($check->query("SELECT argument, SUM(total), MIN(minimum), MAX(maximum), SUM(count)"
        . " FROM $database.counter GROUP BY argument ORDER BY argument")->fetchAll(PDO::FETCH_NUM), JSON_UNESCAPED_UNICODE), "\n";
    echo $check->query("SELECT COUNT(*) FROM $database.counter_batch")->fetchColumn(), " source\n";
    // A query of the application whose rows are not all fetched is in the way, and stays usable.
    $rows = $pdo->query('SELECT 1 UNION SELECT 2');
    echo $rows->fetchColumn(), ' ';
    try {
        Counters::install();
    } catch (Presence\ConnectionException $e) {
    }
    echo $rows->fetchColumn(), "\n";
    unset($rows);
    var_dump(error_get_last());
    $check->exec("DROP TABLE $database.counter, $database.counter_batch");
}
Counters::$db = null;
$check->exec("DROP DATABASE $database");
?>
--EXPECT--
-- silent, latin1
not installed
[]
[{"total":1.6,"count":3,"minimum":-1,"maximum":2.5,"average":0.5333333333333333}]
[[null,1.0e+300,1.0e+300,1.0e+300,"1"],["it's \\ größe ? :name 😀",1.6,-1,2.5,"3"]]
1 source
1 2
NULL
-- warning, unbuffered
not installed
[]
[{"total":1.6,"count":3,"minimum":-1,"maximum":2.5,"average":0.5333333333333333}]
[[null,1.0e+300,1.0e+300,1.0e+300,"1"],["it's \\ größe ? :name 😀",1.6,-1,2.5,"3"]]
1 source
1 2
NULL
-- exception, native prepares
not installed
[]
[{"total":1.6,"count":3,"minimum":-1,"maximum":2.5,"average":0.5333333333333333}]
[[null,1.0e+300,1.0e+300,1.0e+300,"1"],["it's \\ größe ? :name 😀",1.6,-1,2.5,"3"]]
1 source
1 2
NULL
-- stringified, other SQL mode
not installed
[]
[{"total":1.6,"count":3,"minimum":-1,"maximum":2.5,"average":0.5333333333333333}]
[[null,1.0e+300,1.0e+300,1.0e+300,"1"],["it's \\ größe ? :name 😀",1.6,-1,2.5,"3"]]
1 source
1 2
NULL
