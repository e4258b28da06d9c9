--TEST--
new Presence(): stores and options, right and wrong
--INI--
presence.window=4
presence.retention=50
presence.key=site
--FILE--
<?php
require __DIR__ . '/../support.inc.php';
ini_set('zend.exception_ignore_args', '1');
$status = fn (Presence $presence) => array_intersect_key($presence->status(), ['store' => 1, 'key' => 1, 'window' => 1, 'retention' => 1]);
attempt(fn () => $status(new Presence()));
attempt(fn () => $status(new Presence(null, [])));
attempt(fn () => $status(new Presence('shm:', ['window' => 1, 'retention' => 1, 'key' => 'k'])));
attempt(fn () => $status(new Presence(options: ['retention' => 525600, 'window' => 525600])));
attempt(fn () => $status(new Presence(null, ['key' => str_repeat('k', 200)]))['key'] === str_repeat('k', 200));
attempt(fn () => $status(new Presence(null, ['throttle' => 0, 'timeout' => 0.001, 'mode' => 'direct', 'on_error' => 'silent'])));
attempt(fn () => $status(new Presence(null, ['throttle' => 239, 'timeout' => 60, 'mode' => 'buffered', 'on_error' => 'throw'])));
$value = 3;
$options = ['window' => &$value];
attempt(fn () => $status(new Presence(null, $options)));
echo "-- objects of different keys do not meet\n";
$a = new Presence(null, ['key' => 'a']);
$a->persist('x');
attempt(fn () => [(new Presence(null, ['key' => 'b']))->count(), (new Presence(null, ['key' => 'a']))->count(), (new Presence())->count()]);
echo "-- wrong\n";
foreach ([
    ['window' => 0], ['window' => -1], ['window' => 51], ['window' => PHP_INT_MAX], ['window' => '5'], ['window' => 5.0], ['window' => null], ['window' => []],
    ['retention' => 0], ['retention' => 3], ['retention' => 525601], ['retention' => PHP_INT_MIN],
    ['throttle' => -1], ['throttle' => 240], ['throttle' => 86401], ['throttle' => 'x'],
    ['timeout' => 0], ['timeout' => -1], ['timeout' => 60.1], ['timeout' => NAN], ['timeout' => INF], ['timeout' => '1'],
    ['mode' => 'Direct'], ['mode' => ''], ['mode' => 1], ['on_error' => 'ignore'], ['on_error' => true],
    ['key' => ''], ['key' => str_repeat('k', 201)], ['key' => 'a b'], ['key' => "a\0b"], ['key' => 7],
    ['nonsense' => 1], ['' => 1], [1], ['Window' => 5], ["window\0" => 5],
] as $options) {
    attempt(fn () => new Presence(null, $options));
}
foreach (['', 'shm', 'shm:x', 'shm://host', 'shm:/path', 'shm:?strategy=zset', 'SHM:', 'redis://u:s3cret@h/0', 'memcached://h', 'mysql://u:s3cret@h/d', 'sqlite:/tmp/x', 'nonsense:', "shm:\0", 'http://h'] as $store) {
    attempt(fn () => new Presence($store));
}
?>
--EXPECT--
{"store":"shm:","key":"site","window":4,"retention":50}
{"store":"shm:","key":"site","window":4,"retention":50}
{"store":"shm:","key":"k","window":1,"retention":1}
{"store":"shm:","key":"site","window":525600,"retention":525600}
true
{"store":"shm:","key":"site","window":4,"retention":50}
{"store":"shm:","key":"site","window":4,"retention":50}
{"store":"shm:","key":"site","window":3,"retention":50}
-- objects of different keys do not meet
[0,1,0]
-- wrong
ValueError: Presence::__construct(): Argument #2 ($options) window must be between 1 and 50 minutes, 0 given
ValueError: Presence::__construct(): Argument #2 ($options) window must be between 1 and 50 minutes, -1 given
ValueError: Presence::__construct(): Argument #2 ($options) window must not be longer than retention (50 minutes), 51 given
ValueError: Presence::__construct(): Argument #2 ($options) option "window" must be an integer
ValueError: Presence::__construct(): Argument #2 ($options) option "window" must be an integer
ValueError: Presence::__construct(): Argument #2 ($options) option "window" must be an integer
ValueError: Presence::__construct(): Argument #2 ($options) option "window" must be an integer
ValueError: Presence::__construct(): Argument #2 ($options) option "window" must be an integer
ValueError: Presence::__construct(): Argument #2 ($options) retention must be between 1 and 525600 minutes, 0 given
ValueError: Presence::__construct(): Argument #2 ($options) window must not be longer than retention (3 minutes), 4 given
ValueError: Presence::__construct(): Argument #2 ($options) retention must be between 1 and 525600 minutes, 525601 given
ValueError: Presence::__construct(): Argument #2 ($options) option "retention" must be an integer
ValueError: Presence::__construct(): Argument #2 ($options) throttle must be between 0 and 86400 seconds, -1 given
ValueError: Presence::__construct(): Argument #2 ($options) throttle must be shorter than window (240 seconds), 240 given: visitors who stay would seem to leave
ValueError: Presence::__construct(): Argument #2 ($options) throttle must be between 0 and 86400 seconds, 86401 given
ValueError: Presence::__construct(): Argument #2 ($options) option "throttle" must be an integer
ValueError: Presence::__construct(): Argument #2 ($options) timeout must be between 0.001 and 60 seconds
ValueError: Presence::__construct(): Argument #2 ($options) timeout must be between 0.001 and 60 seconds
ValueError: Presence::__construct(): Argument #2 ($options) timeout must be between 0.001 and 60 seconds
ValueError: Presence::__construct(): Argument #2 ($options) timeout must be between 0.001 and 60 seconds
ValueError: Presence::__construct(): Argument #2 ($options) timeout must be between 0.001 and 60 seconds
ValueError: Presence::__construct(): Argument #2 ($options) option "timeout" must be a number of seconds
ValueError: Presence::__construct(): Argument #2 ($options) option "mode": mode must be "buffered" or "direct"
ValueError: Presence::__construct(): Argument #2 ($options) option "mode": mode must be "buffered" or "direct"
ValueError: Presence::__construct(): Argument #2 ($options) option "mode" must be a string
ValueError: Presence::__construct(): Argument #2 ($options) option "on_error": on_error must be "throw" or "silent"
ValueError: Presence::__construct(): Argument #2 ($options) option "on_error" must be a string
ValueError: Presence::__construct(): Argument #2 ($options) key must have 1 to 200 bytes, 0 given
ValueError: Presence::__construct(): Argument #2 ($options) key must have 1 to 200 bytes, 201 given
ValueError: Presence::__construct(): Argument #2 ($options) key must not contain spaces or control characters
ValueError: Presence::__construct(): Argument #2 ($options) key must not contain spaces or control characters
ValueError: Presence::__construct(): Argument #2 ($options) option "key" must be a string
ValueError: Presence::__construct(): Argument #1 ($store) "shm:" has no option "nonsense"; there are key, window, retention, throttle, mode, sync, timeout and on_error
ValueError: Presence::__construct(): Argument #1 ($store) "shm:" has no option ""; there are key, window, retention, throttle, mode, sync, timeout and on_error
ValueError: Presence::__construct(): Argument #2 ($options) must be an array of option names to values
ValueError: Presence::__construct(): Argument #1 ($store) "shm:" has no option "Window"; there are key, window, retention, throttle, mode, sync, timeout and on_error
ValueError: Presence::__construct(): Argument #1 ($store) "shm:" has no option "window
ValueError: Presence::__construct(): Argument #1 ($store) Invalid DSN: it must begin with a scheme and a colon, such as "mysql://", "redis://" or "sqlite:"
ValueError: Presence::__construct(): Argument #1 ($store) Invalid DSN: it must begin with a scheme and a colon, such as "mysql://", "redis://" or "sqlite:"
ValueError: Presence::__construct(): Argument #1 ($store) Invalid DSN: after the scheme must come "//" and a host, or an absolute path
ValueError: Presence::__construct(): Argument #1 ($store) must be "shm:" and no more; the memory's file is the INI entry presence.segment
ValueError: Presence::__construct(): Argument #1 ($store) must be "shm:" and no more; the memory's file is the INI entry presence.segment
ValueError: Presence::__construct(): Argument #1 ($store) must be "shm:" and no more; the memory's file is the INI entry presence.segment
{}
{}
{}
Presence\UnsupportedException: visitors cannot be kept there: the DSN of a store must begin with "shm:", "redis:", "rediss:", "redis+unix:", "redis+sentinel:", "redis+cluster:", "memcached:" or "memcached+unix:"
Presence\UnsupportedException: visitors cannot be kept there: the DSN of a store must begin with "shm:", "redis:", "rediss:", "redis+unix:", "redis+sentinel:", "redis+cluster:", "memcached:" or "memcached+unix:"
Presence\UnsupportedException: visitors cannot be kept there: the DSN of a store must begin with "shm:", "redis:", "rediss:", "redis+unix:", "redis+sentinel:", "redis+cluster:", "memcached:" or "memcached+unix:"
ValueError: Presence::__construct(): Argument #1 ($store) Invalid DSN: it must not contain control characters
Presence\UnsupportedException: visitors cannot be kept there: the DSN of a store must begin with "shm:", "redis:", "rediss:", "redis+unix:", "redis+sentinel:", "redis+cluster:", "memcached:" or "memcached+unix:"
