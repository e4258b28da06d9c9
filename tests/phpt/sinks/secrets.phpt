--TEST--
The password of a DSN shows in no message, trace, dump, log or status, whatever goes wrong
--EXTENSIONS--
pdo_mysql
--SKIPIF--
<?php
require __DIR__ . '/../mysql.inc.php';
skip_without_mysql();
?>
--INI--
zend.exception_ignore_args=0
zend.exception_string_param_max_len=1000
log_errors=1
--FILE--
<?php
require __DIR__ . '/../support.inc.php';
require __DIR__ . '/../mysql.inc.php';
const WRONG = 's3cret%2Fw%21rong';
// A user of this test's own, since phpinfo() shows the environment, in which that of PRESENCE_TEST_MYSQL is.
$admin = mysql_pdo();
// In constants, since a dump of a closure in a trace shows what it has captured.
define('USER', 'user_' . bin2hex(random_bytes(6)));
define('PASSWORD', 'pass_' . bin2hex(random_bytes(12)));
$admin->exec(strtr("CREATE USER USER@'127.0.0.1' IDENTIFIED BY 'PASSWORD', USER@localhost IDENTIFIED BY 'PASSWORD'", ['USER@' => USER . '@', 'PASSWORD' => PASSWORD]));
function dsn_of(?int $port = null, ?string $other_password = null): string
{
    $url = parse_url(mysql_dsn('nowhere', $port));
    return 'mysql://' . USER . ':' . ($other_password ?? PASSWORD) . "@{$url['host']}:{$url['port']}/nowhere";
}
$log = ini_get('presence.segment') . '.log';
ini_set('error_log', $log);
$shown = '';
/** Everything that can be made to show about a failure. */
$try = function (string $title, callable $call) use (&$shown) {
    try {
        $call();
        echo "$title: done\n";
    } catch (Throwable $e) {
        echo "$title: ", $e::class, "\n";
        ob_start();
        echo $e, "\n", $e->getTraceAsString(), "\n";
        print_r($e);
        var_dump($e);
        var_export($e->getMessage());
        debug_zval_refcount($e);
        $shown .= ob_get_clean();
        error_log((string) $e);
    }
};
function debug_zval_refcount(Throwable $e): void
{
    debug_print_backtrace();
    echo json_encode($e->getTrace(), JSON_PARTIAL_OUTPUT_ON_ERROR);
}
$port = free_port();
foreach ([
    'right password, no such database' => fn () => dsn_of(),
    'wrong password' => fn () => dsn_of(null, WRONG),
    'nobody listens' => fn () => dsn_of($port),
    'unknown option' => fn () => dsn_of() . '?nonsense=' . WRONG,
    'malformed' => fn () => dsn_of(null, 'wrong:' . WRONG . '@@/') . ':',
    'other scheme' => fn () => str_replace('mysql:', 'pgsql:', dsn_of()),
] as $title => $dsn) {
    $try("$title: connect", fn () => Counters::connect($dsn()));
    Counters::add('views');
    $try("$title: install", fn () => Counters::install());
    $try("$title: read", fn () => Counters::read('views', 0));
    ob_start();
    var_dump(Counters::status(), Counters::pending());
    echo serialize(Counters::status());
    $shown .= ob_get_clean();
}
$try('store', fn () => new Presence(dsn_of()));
$try('store with a wrong option', fn () => new Presence(dsn_of(), ['window' => 0]));
// Set in the configuration: shown by phpinfo() and by -i, and by whoever fails to reach it, in another process.
foreach ([dsn_of(), dsn_of(null, WRONG), dsn_of() . '?nonsense=' . WRONG] as $dsn) {
    $shown .= run_php('phpinfo(); var_dump((new ReflectionExtension("presence"))->info()); Counters::add("views"); var_dump(Counters::status()); Counters::install();',
        ['presence.sink' => $dsn, 'presence.store' => str_replace('mysql', 'redis', $dsn)], true);
    $shown .= run_php('phpinfo(); Counters::add("views"); var_dump(Counters::status()); Counters::flush();', ['presence.sink' => $dsn], true);
}
$shown .= run_php('new Presence();', ['presence.store' => dsn_of()]);
$shown .= file_get_contents($log);
echo strlen($shown) > 20_000 ? 'much shown' : 'little shown', "\n";
foreach ([USER => 'user', PASSWORD => 'password', WRONG => 'wrong password', rawurldecode(WRONG) => 'wrong password, decoded', 's3cret' => 'part of the wrong password'] as $secret => $name) {
    echo $name, ': ', str_contains($shown, $secret) ? 'shown' : 'not shown', "\n";
    if ($name !== 'user' && str_contains($shown, $secret)) {
        echo substr($shown, max(0, strpos($shown, $secret) - 300), 500), "\n";
    }
}
// Neither in the files that others might read.
foreach (glob(ini_get('presence.data_dir') . '/{*,*/*,*/*/*}', GLOB_BRACE) as $file) {
    if (is_file($file) && str_contains(file_get_contents($file), PASSWORD)) {
        echo "in $file\n";
    }
}
$admin->exec('DROP USER ' . USER . "@'127.0.0.1', " . USER . '@localhost');
?>
--EXPECT--
right password, no such database: connect: done
right password, no such database: install: Presence\ConnectionException
right password, no such database: read: Presence\ConnectionException
wrong password: connect: done
wrong password: install: Presence\ConnectionException
wrong password: read: Presence\ConnectionException
nobody listens: connect: done
nobody listens: install: Presence\ConnectionException
nobody listens: read: Presence\ConnectionException
unknown option: connect: ValueError
unknown option: install: Presence\ConnectionException
unknown option: read: Presence\ConnectionException
malformed: connect: ValueError
malformed: install: Presence\ConnectionException
malformed: read: Presence\ConnectionException
other scheme: connect: Presence\UnsupportedException
other scheme: install: Presence\ConnectionException
other scheme: read: Presence\ConnectionException
store: Presence\UnsupportedException
store with a wrong option: ValueError
much shown
user: shown
password: not shown
wrong password: not shown
wrong password, decoded: not shown
part of the wrong password: not shown
