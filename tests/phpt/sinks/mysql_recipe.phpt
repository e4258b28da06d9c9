--TEST--
The counter table of the recipe, with its id and FLOAT columns, works unchanged beside PHP code that writes to it as well
--EXTENSIONS--
pdo_mysql
pcntl
posix
--SKIPIF--
<?php
require __DIR__ . '/../mysql.inc.php';
require __DIR__ . '/../support.inc.php';
skip_without_mysql();
skip_without_clock();
?>
--INI--
presence.flusher=off
--FILE--
<?php
require __DIR__ . '/../support.inc.php';
require __DIR__ . '/../clock.inc.php';
require __DIR__ . '/../mysql.inc.php';
$pdo = mysql_pdo([], ';charset=utf8mb4');
$database = mysql_database($pdo);
$pdo->exec("USE $database");
$pdo->exec('CREATE TABLE counter (id BIGINT AUTO_INCREMENT PRIMARY KEY, hash CHAR(32) UNIQUE, name VARCHAR(64), argument VARCHAR(250) NULL,
    timeslot BIGINT, total FLOAT, minimum FLOAT, maximum FLOAT, count INT, INDEX (timeslot), INDEX (name)) DEFAULT CHARSET utf8mb4');
$before = $pdo->query('SHOW CREATE TABLE counter')->fetchColumn(1);
// What the recipe in PHP does.
function recipe_hash(string $name, ?string $argument, int $slot): string
{
    return substr(hash('sha256', $argument === null ? "$name:$slot" : "$name:$slot:$argument"), 0, 32);
}
function recipe_add(PDO $pdo, string $name, ?string $argument, float $value, int $slot): void
{
    $pdo->prepare('INSERT INTO counter (hash, name, argument, timeslot, total, minimum, maximum, count) VALUES (?, ?, ?, ?, ?, ?, ?, 1)
        ON DUPLICATE KEY UPDATE total = total + VALUES(total), minimum = LEAST(minimum, VALUES(minimum)),
        maximum = GREATEST(maximum, VALUES(maximum)), count = count + 1')
        ->execute([recipe_hash($name, $argument, $slot), $name, $argument, $slot, $value, $value, $value]);
}
Counters::connect(mysql_dsn($database));
$adds = [['payment.time', 'stripe', 0.25], ['payment.time', 'stripe', 4], ['payment.time', null, 1], ['größe', "it's \u{1F600}", -2], ['longest ' . str_repeat('n', 56), str_repeat('x', 250), 8],
    ['payment.time', 'Stripe', 16], ['payment.time', '', 32], ['payment.time', 'stripe ', 64]];
foreach ($adds as [$name, $argument, $value]) {
    Counters::add($name, $argument, $value);
    recipe_add($pdo, $name, $argument, 2 * $value, CLOCK_START);
}
attempt(fn () => count(Counters::pending()));
$read = fn () => array_map(fn ($row) => array_slice($row, 1), Counters::read('payment.time', CLOCK_START, null, 3600));
$only = fn () => array_map(fn ($row) => array_slice($row, 1), Counters::read('payment.time', CLOCK_START, null, 3600, 'stripe'));
attempt($read);
attempt($only);
set_clock(60);
attempt(fn () => Counters::flush());
attempt(fn () => Counters::pending());
attempt($read);
attempt($only);
recipe_add($pdo, 'payment.time', 'stripe', 128, CLOCK_START);
attempt($only);
$wrong = 0;
foreach ($pdo->query('SELECT * FROM counter ORDER BY id', PDO::FETCH_ASSOC) as $row) {
    $wrong += $row['hash'] !== recipe_hash($row['name'], $row['argument'], $row['timeslot']) || $row['hash'] !== Counters::hash($row['name'], $row['argument'], $row['timeslot']);
    echo preg_replace('/(.)\1{20,}/', '$1…', $row['name'] . ' ' . json_encode($row['argument'], JSON_UNESCAPED_UNICODE)), ' ', $row['total'], ' ', $row['minimum'], ' ', $row['maximum'], ' ', $row['count'], "\n";
}
echo "$wrong wrong hashes\n";
var_dump(preg_replace("/ AUTO_INCREMENT=\\d+/", "", $pdo->query("SHOW CREATE TABLE counter")->fetchColumn(1)) === $before);
attempt(fn () => $pdo->query('SHOW TABLES')->fetchAll(PDO::FETCH_COLUMN));
// install() leaves the table alone, and adds what makes each batch count once.
Counters::install();
Counters::install();
attempt(fn () => $pdo->query('SHOW TABLES')->fetchAll(PDO::FETCH_COLUMN));
Counters::add('payment.time', 'stripe', 256);
set_clock(120);
attempt(fn () => Counters::flush());
attempt($only);
$pdo->exec("DROP DATABASE $database");
?>
--EXPECT--
7
[{"total":351.75,"count":12,"minimum":0.25,"maximum":128,"average":29.3125}]
[{"total":12.75,"count":4,"minimum":0.25,"maximum":8,"average":3.1875}]
7
[]
[{"total":351.75,"count":12,"minimum":0.25,"maximum":128,"average":29.3125}]
[{"total":12.75,"count":4,"minimum":0.25,"maximum":8,"average":3.1875}]
[{"total":140.75,"count":5,"minimum":0.25,"maximum":128,"average":28.15}]
payment.time "stripe" 140.75 0.25 128 5
payment.time null 3 1 2 2
größe "it's 😀" -6 -4 -2 2
longest n… "x…" 24 8 16 2
payment.time "Stripe" 48 16 32 2
payment.time "" 96 32 64 2
payment.time "stripe " 192 64 128 2
0 wrong hashes
bool(true)
["counter"]
["counter","counter_batch"]
1
[{"total":396.75,"count":6,"minimum":0.25,"maximum":256,"average":66.125}]
