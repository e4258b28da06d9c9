--TEST--
A value out of range gets one warning that says what it must be, and the default stays
--SKIPIF--
<?php
require __DIR__ . '/../support.inc.php';
skip_if_slow();
?>
--FILE--
<?php
require __DIR__ . '/../support.inc.php';
$bad = [
    'presence.enabled' => ['2', 'maybe'],
    'presence.segment' => ['relative/path'],
    'presence.segment_size' => ['-1', '1T', 'M', '17179869184G'],
    'presence.data_dir' => ['relative'],
    'presence.store' => ['', 'no dsn s3cret', 'redis://u:s3cret@h:port/'],
    'presence.key' => ['', 'a b', str_repeat('k', 201)],
    'presence.window' => ['0', '-5', '5.5', '5 ', '525601', ''],
    'presence.retention' => ['0', 'x'],
    'presence.throttle' => ['-1', '86401'],
    'presence.mode' => ['', 'Buffered', 'both'],
    'presence.timeout' => ['0', '-1', '61', '1s', 'nan', ''],
    'presence.on_error' => ['ignore'],
    'presence.sink' => ['s3cret'],
    'presence.flusher' => ['never'],
    'presence.spool_max' => ['0', '63K'],
    'presence.max_series' => ['63', '5M'],
    'presence.max_visitors' => ['0', '65M'],
];
foreach ($bad as $name => $values) {
    foreach ($values as $value) {
        $printed = trim(run_php("echo 'now: ', ini_get('$name');", [$name => $value]));
        if (in_array($name, ['presence.segment', 'presence.data_dir'], true)) {
            $printed = preg_replace('/now: .*/', 'now:', $printed);
        }
        echo $printed, "\n";
    }
}
?>
--EXPECT--
Warning: presence.enabled must be 1 or 0; the value is ignored in Unknown on line 0
now: 1
Warning: presence.enabled must be 1 or 0; the value is ignored in Unknown on line 0
now: 1
Warning: presence.segment must be an absolute path, or empty for the default; the value is ignored in Unknown on line 0
now:
Warning: presence.segment_size must be a whole number from 0 to 1099511627776, which may end in K, M or G; the value is ignored in Unknown on line 0
now: 0
Warning: presence.segment_size must be a whole number from 0 to 1099511627776, which may end in K, M or G; the value is ignored in Unknown on line 0
now: 0
Warning: presence.segment_size must be a whole number from 0 to 1099511627776, which may end in K, M or G; the value is ignored in Unknown on line 0
now: 0
Warning: presence.segment_size must be a whole number from 0 to 1099511627776, which may end in K, M or G; the value is ignored in Unknown on line 0
now: 0
Warning: presence.data_dir must be an absolute path, or empty for the default; the value is ignored in Unknown on line 0
now:
Warning: presence.store must be a valid DSN (Invalid DSN: it must begin with a scheme and a colon, such as "mysql://", "redis://" or "sqlite:"); the value is ignored in Unknown on line 0
now: shm:
Warning: presence.store must be a valid DSN (Invalid DSN: it must begin with a scheme and a colon, such as "mysql://", "redis://" or "sqlite:"); the value is ignored in Unknown on line 0
now: shm:
Warning: presence.store must be a valid DSN (Invalid DSN: the port must be a number from 1 to 65535 (a '/', '?', '@' or '%' in a user name or password must be percent-encoded: %2F, %3F, %40, %25)); the value is ignored in Unknown on line 0
now: shm:
Warning: presence.key must be 1 to 200 bytes long; the value is ignored in Unknown on line 0
now: users:online
Warning: presence.key must be free of spaces and control characters; the value is ignored in Unknown on line 0
now: users:online
Warning: presence.key must be 1 to 200 bytes long; the value is ignored in Unknown on line 0
now: users:online
Warning: presence.window must be a whole number from 1 to 525600; the value is ignored in Unknown on line 0
now: 5
Warning: presence.window must be a whole number from 1 to 525600; the value is ignored in Unknown on line 0
now: 5
Warning: presence.window must be a whole number from 1 to 525600; the value is ignored in Unknown on line 0
now: 5
Warning: presence.window must be a whole number from 1 to 525600; the value is ignored in Unknown on line 0
now: 5
Warning: presence.window must be a whole number from 1 to 525600; the value is ignored in Unknown on line 0
now: 5
Warning: presence.window must be a whole number from 1 to 525600; the value is ignored in Unknown on line 0
now: 5
Warning: presence.retention must be a whole number from 1 to 525600; the value is ignored in Unknown on line 0
now: 60
Warning: presence.retention must be a whole number from 1 to 525600; the value is ignored in Unknown on line 0
now: 60
Warning: presence.throttle must be a whole number from 0 to 86400; the value is ignored in Unknown on line 0
now:
Warning: presence.throttle must be a whole number from 0 to 86400; the value is ignored in Unknown on line 0
now:
Warning: presence.mode must be "buffered" or "direct"; the value is ignored in Unknown on line 0
now: buffered
Warning: presence.mode must be "buffered" or "direct"; the value is ignored in Unknown on line 0
now: buffered
Warning: presence.mode must be "buffered" or "direct"; the value is ignored in Unknown on line 0
now: buffered
Warning: presence.timeout must be a number of seconds from 0.001 to 60; the value is ignored in Unknown on line 0
now: 0.2
Warning: presence.timeout must be a number of seconds from 0.001 to 60; the value is ignored in Unknown on line 0
now: 0.2
Warning: presence.timeout must be a number of seconds from 0.001 to 60; the value is ignored in Unknown on line 0
now: 0.2
Warning: presence.timeout must be a number of seconds from 0.001 to 60; the value is ignored in Unknown on line 0
now: 0.2
Warning: presence.timeout must be a number of seconds from 0.001 to 60; the value is ignored in Unknown on line 0
now: 0.2
Warning: presence.timeout must be a number of seconds from 0.001 to 60; the value is ignored in Unknown on line 0
now: 0.2
Warning: presence.on_error must be "throw" or "silent"; the value is ignored in Unknown on line 0
now: throw
Warning: presence.sink must be a valid DSN (Invalid DSN: it must begin with a scheme and a colon, such as "mysql://", "redis://" or "sqlite:"); the value is ignored in Unknown on line 0
now:
Warning: presence.flusher must be "auto" or "request" or "off"; the value is ignored in Unknown on line 0
now: auto
Warning: presence.spool_max must be a whole number from 65536 to 1099511627776, which may end in K, M or G; the value is ignored in Unknown on line 0
now: 256M
Warning: presence.spool_max must be a whole number from 65536 to 1099511627776, which may end in K, M or G; the value is ignored in Unknown on line 0
now: 256M
Warning: presence.max_series must be a whole number from 64 to 4194304, which may end in K, M or G; the value is ignored in Unknown on line 0
now: 8192
Warning: presence.max_series must be a whole number from 64 to 4194304, which may end in K, M or G; the value is ignored in Unknown on line 0
now: 8192
Warning: presence.max_visitors must be a whole number from 64 to 67108864, which may end in K, M or G; the value is ignored in Unknown on line 0
now: 65536
Warning: presence.max_visitors must be a whole number from 64 to 67108864, which may end in K, M or G; the value is ignored in Unknown on line 0
now: 65536
