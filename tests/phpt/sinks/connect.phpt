--TEST--
Counters::connect(): the form is checked at once and without connecting; rows go there until the request ends
--EXTENSIONS--
pdo_sqlite
--FILE--
<?php
require __DIR__ . '/../support.inc.php';
$a = ini_get('presence.segment') . '.a.sqlite';
$b = ini_get('presence.segment') . '.b.sqlite';
echo "-- accepted\n";
attempt(fn () => Counters::connect('mysql://user:pass@nowhere.invalid:3306/stats'));
attempt(fn () => Counters::connect('mysql://nowhere.invalid/stats'));
attempt(fn () => Counters::connect('mysql://user@localhost/stats?socket=/run/mysqld/mysqld.sock'));
attempt(fn () => Counters::connect('mysql://user:p@ss@host/db'));
attempt(fn () => Counters::connect('sqlite:///nowhere/at/all.sqlite'));
attempt(fn () => Counters::connect('sqlite:/nowhere/at/all.sqlite'));
attempt(fn () => Counters::connect(dsn: "sqlite:$a"));
echo "-- refused, and $", "a stays\n";
foreach (['', 'x', 'mysql:', 'mysql://', 'mysql://host', 'mysql://host/', 'mysql://host:0/db', 'mysql://host:65536/db', 'mysql://host:x/db', 'mysql:host=h;dbname=d',
    'mysql://host/db?nonsense=1', 'mysql://host/db?table=a;b', 'mysql://host/db?timeout=0', 'sqlite:', 'sqlite:relative', 'sqlite::memory:', "sqlite:/a\0b",
    'sqlite:/folder/', 'redis://host/0', 'pgsql://host/db', 'shm:', " sqlite:$a", str_repeat('x', 1 << 20)] as $dsn) {
    attempt(fn () => Counters::connect($dsn));
}
attempt(fn () => Counters::connect());
attempt(fn () => Counters::connect([]));
Counters::add('views', null, 1);
Counters::connect("sqlite:$b");
Counters::add('views', null, 20);
attempt(fn () => array_column(Counters::pending(), 'total'));
attempt(fn () => array_column(Counters::read('views', 0, null, 86400), 'total'));
Counters::connect("sqlite:$a");
attempt(fn () => array_column(Counters::read('views', 0, null, 86400), 'total'));
// A PDO object takes its place, and gives it back when it goes.
Counters::$db = new PDO("sqlite:$b");
attempt(fn () => array_column(Counters::pending(), 'total'));
Counters::$db = null;
Counters::add('views', null, 300);
attempt(fn () => array_column(Counters::pending(), 'total'));
echo run_php("Counters::connect('sqlite:$a'); Counters::add('views', null, 1000);", [], true);
foreach ([$a, $b, null] as $file) {
    echo implode("\n", array_map(fn ($row) => implode(' ', array_slice(json_decode($row), 1)), stored_rows($file))), "\n";
}
?>
--EXPECT--
-- accepted
null
null
null
null
null
null
null
-- refused, and $a stays
ValueError: Counters::connect(): Argument #1 ($dsn) Invalid DSN: it must begin with a scheme and a colon, such as "mysql://", "redis://" or "sqlite:"
ValueError: Counters::connect(): Argument #1 ($dsn) Invalid DSN: it must begin with a scheme and a colon, such as "mysql://", "redis://" or "sqlite:"
ValueError: Counters::connect(): Argument #1 ($dsn) a MySQL DSN must be mysql://user:password@host:port/database, with one host, or with ?socket=/path
ValueError: Counters::connect(): Argument #1 ($dsn) a MySQL DSN must be mysql://user:password@host:port/database, with one host, or with ?socket=/path
ValueError: Counters::connect(): Argument #1 ($dsn) a MySQL DSN must be mysql://user:password@host:port/database, with the name of a database
ValueError: Counters::connect(): Argument #1 ($dsn) a MySQL DSN must be mysql://user:password@host:port/database, with the name of a database
ValueError: Counters::connect(): Argument #1 ($dsn) Invalid DSN: the port must be a number from 1 to 65535 (a '/', '?', '@' or '%' in a user name or password must be percent-encoded: %2F, %3F, %40, %25)
ValueError: Counters::connect(): Argument #1 ($dsn) Invalid DSN: the port must be a number from 1 to 65535 (a '/', '?', '@' or '%' in a user name or password must be percent-encoded: %2F, %3F, %40, %25)
ValueError: Counters::connect(): Argument #1 ($dsn) Invalid DSN: the port must be a number from 1 to 65535 (a '/', '?', '@' or '%' in a user name or password must be percent-encoded: %2F, %3F, %40, %25)
ValueError: Counters::connect(): Argument #1 ($dsn) Invalid DSN: after the scheme must come "//" and a host, or an absolute path
ValueError: Counters::connect(): Argument #1 ($dsn) the DSN has an unknown option; known for mysql are socket, table, timeout, ssl, ssl_ca
ValueError: Counters::connect(): Argument #1 ($dsn) the option "table" must be 1 to 58 letters, digits, '_' or '$'
ValueError: Counters::connect(): Argument #1 ($dsn) the option "timeout" must be a number of seconds above 0, at most 3600
ValueError: Counters::connect(): Argument #1 ($dsn) an SQLite DSN must be "sqlite:" and the absolute path of a file
ValueError: Counters::connect(): Argument #1 ($dsn) Invalid DSN: after the scheme must come "//" and a host, or an absolute path
ValueError: Counters::connect(): Argument #1 ($dsn) Invalid DSN: after the scheme must come "//" and a host, or an absolute path
ValueError: Counters::connect(): Argument #1 ($dsn) Invalid DSN: it must not contain control characters
ValueError: Counters::connect(): Argument #1 ($dsn) an SQLite DSN must be "sqlite:" and the absolute path of a file
Presence\UnsupportedException: counters cannot be written there: the DSN of a sink must begin with "sqlite:" or "mysql:"
Presence\UnsupportedException: counters cannot be written there: the DSN of a sink must begin with "sqlite:" or "mysql:"
Presence\UnsupportedException: counters cannot be written there: the DSN of a sink must begin with "sqlite:" or "mysql:"
ValueError: Counters::connect(): Argument #1 ($dsn) Invalid DSN: it must begin with a scheme and a colon, such as "mysql://", "redis://" or "sqlite:"
ValueError: Counters::connect(): Argument #1 ($dsn) Invalid DSN: it must be at most 4096 bytes long
ArgumentCountError: Counters::connect() expects exactly 1 argument, 0 given
TypeError: Counters::connect(): Argument #1 ($dsn) must be of type string, array given
[20]
[20]
[1]
[]
[301]
views  1301 3 1 1000
views  20 1 20 20
