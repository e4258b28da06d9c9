--TEST--
Values at the ends of their ranges, and in each accepted form, are taken
--SKIPIF--
<?php
require __DIR__ . '/../support.inc.php';
skip_if_slow();
?>
--FILE--
<?php
require __DIR__ . '/../support.inc.php';
$good = [
    'presence.enabled' => ['on', 'Off', 'true', '0', ''],
    'presence.segment' => ['/dev/shm/presence-test', ''],
    'presence.segment_size' => ['64M', '1G', '1048576', '8k'],
    'presence.store' => ['shm:', 'redis://h/0', 'redis+unix:///run/redis.sock', 'memcached://h1:11211,h2:11211?strategy=ring'],
    'presence.key' => ['k', str_repeat('k', 200), 'schlüssel'],
    'presence.window' => ['1', '525600'],
    'presence.throttle' => ['0', '86400', ''],
    'presence.mode' => ['direct', 'buffered'],
    'presence.timeout' => ['0.001', '0.25', '60'],
    'presence.on_error' => ['silent', 'throw'],
    'presence.sink' => ['mysql://u:p@h/db', 'sqlite:/tmp/x.sqlite', ''],
    'presence.flusher' => ['auto', 'request', 'off', ''],
    'presence.spool_max' => ['64K', '1G', '1048576'],
    'presence.max_series' => ['64', '4M'],
    'presence.max_visitors' => ['64', '1M'],
];
$wrong = 0;
foreach ($good as $name => $values) {
    foreach ($values as $value) {
        $printed = run_php("echo ini_get('$name');", [$name => $value]);
        if ($printed !== $value) {
            echo "$name=$value gave: $printed\n";
            $wrong++;
        }
    }
}
echo $wrong, " refused\n";
var_dump(ini_set('presence.window', '7'), ini_get('presence.window'));
?>
--EXPECT--
0 refused
bool(false)
string(1) "5"
