--TEST--
Counters::$db: an object that cannot be used is refused with a reason, and the counters go on without it
--EXTENSIONS--
pdo_sqlite
--FILE--
<?php
require __DIR__ . '/../support.inc.php';
class Unfinished extends PDO
{
    public function __construct()
    {
    }
}
Counters::$db = new Unfinished();
attempt(fn () => Counters::add('views'));
attempt(fn () => Counters::flush());
Counters::$db = null;
attempt(fn () => Counters::add('views'));
echo count(Counters::pending()), "\n";
?>
--EXPECT--
Presence\ConnectionException: Counters::$db is a PDO object whose constructor has not run
Presence\ConnectionException: Counters::$db is a PDO object whose constructor has not run
null
1
