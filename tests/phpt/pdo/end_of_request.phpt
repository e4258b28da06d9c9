--TEST--
Counters::$db: what a script counted is stored through the object when the script ends, once
--EXTENSIONS--
pdo_sqlite
--FILE--
<?php
require __DIR__ . '/../support.inc.php';
$file = ini_get('presence.segment') . '.sqlite';
$count = <<<'PHP'
    class Connection extends PDO
    {
        public function exec(string $statement): int|false { echo "OVERRIDE CALLED\n"; return false; }
        public function prepare(string $query, array $options = []): PDOStatement|false { echo "OVERRIDE CALLED\n"; return false; }
        public function inTransaction(): bool { echo "OVERRIDE CALLED\n"; return true; }
    }
    class Statement extends PDOStatement
    {
        protected function __construct() { echo "STATEMENT MADE\n"; }
    }
    Counters::$db = new Connection('sqlite:FILE', null, null, [
        PDO::ATTR_STATEMENT_CLASS => [Statement::class], PDO::ATTR_STRINGIFY_FETCHES => true, PDO::ATTR_CASE => PDO::CASE_UPPER]);
    Counters::add('views', '/start', 1);
    Counters::add('views', '/start', 2.25);
    Counters::add('size', null, 9007199254740993.0);
    PHP;
$count = str_replace('FILE', $file, $count);
echo run_php($count, [], true);
echo run_php($count, [], true);
$pdo = new PDO("sqlite:$file");
$sums = 'SELECT name, argument, SUM(total) AS total, MIN(minimum) AS minimum, MAX(maximum) AS maximum, SUM(count) AS count'
    . ' FROM counter GROUP BY name, argument ORDER BY name';
foreach ($pdo->query($sums, PDO::FETCH_ASSOC) as $row) {
    echo json_encode($row), "\n";
}
$row = $pdo->query("SELECT * FROM counter WHERE name = 'views' ORDER BY timeslot LIMIT 1", PDO::FETCH_OBJ)->fetch();
var_dump($row->hash === Counters::hash($row->name, $row->argument, $row->timeslot));
var_dump($pdo->query('SELECT COUNT(*) FROM counter_batch')->fetchColumn());
?>
--EXPECT--
{"name":"size","argument":null,"total":18014398509481984,"minimum":9007199254740992,"maximum":9007199254740992,"count":2}
{"name":"views","argument":"\/start","total":6.5,"minimum":1,"maximum":2.25,"count":4}
bool(true)
int(1)
