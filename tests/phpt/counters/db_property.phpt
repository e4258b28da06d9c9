--TEST--
Counters::$db takes a PDO object or null and nothing else
--EXTENSIONS--
pdo_sqlite
--FILE--
<?php
require __DIR__ . '/../support.inc.php';
var_dump(Counters::$db);
Counters::$db = new PDO('sqlite::memory:');
echo get_class(Counters::$db), "\n";
class Connection extends PDO
{
}
Counters::$db = new Connection('sqlite::memory:');
echo get_class(Counters::$db), "\n";
foreach ([1, 'mysql://h/d', new stdClass(), []] as $wrong) {
    attempt(fn () => Counters::$db = $wrong);
}
echo get_class(Counters::$db), "\n";
Counters::$db = null;
var_dump(Counters::$db);
?>
--EXPECT--
NULL
PDO
Connection
TypeError: Cannot assign int to property Counters::$db of type ?PDO
TypeError: Cannot assign string to property Counters::$db of type ?PDO
TypeError: Cannot assign stdClass to property Counters::$db of type ?PDO
TypeError: Cannot assign array to property Counters::$db of type ?PDO
Connection
NULL
