--TEST--
Buffered presence on Redis: two servers that exchange their visitors, logins and logouts
--SKIPIF--
<?php
require __DIR__ . '/../redis.inc.php';
skip_without_redis();
?>
--INI--
presence.flusher=off
presence.timeout=10
--FILE--
<?php
require __DIR__ . '/../support.inc.php';
require __DIR__ . '/../redis.inc.php';
// What another web server, with memory of its own, does with the same key.
function elsewhere(string $store, string $key, string $code): string
{
    return run_php(
        '$presence = new Presence(' . var_export($store, true) . ', ["key" => ' . var_export($key, true) . ']); ' . $code,
        ['presence.flusher' => 'off', 'presence.timeout' => '10', 'presence.segment' => dirname(ini_get('presence.segment')) . '/elsewhere-' . $key,
            'presence.data_dir' => dirname(ini_get('presence.data_dir')) . '/elsewhere-' . $key],
    );
}
function sorted(array $ids): array
{
    sort($ids, SORT_STRING);
    return $ids;
}
foreach (['zset', 'sets', 'bitmap', 'bitmap&chunked=1'] as $strategy) {
    echo "-- $strategy\n";
    $store = getenv('PRESENCE_TEST_REDIS') . "?strategy=$strategy";
    $direct = fn () => new Presence($store, ['key' => $GLOBALS['key'], 'mode' => 'direct']);
    $key = redis_key();
    $presence = new Presence($store, ['key' => $key]);
    $presence->persist(42);
    attempt(fn () => [$presence->count(), $presence->isOnline(42), $direct()->count()]);
    $presence->flush();
    attempt(fn () => [$presence->count(), $direct()->ids()]);
    echo elsewhere($store, $key, '$presence->persist(7); $presence->flush(); var_dump($presence->count(), $presence->isOnline(42));');
    attempt(fn () => [$presence->count(), $presence->isOnline(7)]);
    $presence->flush();
    attempt(fn () => [sorted($presence->ids()), $presence->areOnline([7, 8, 42])]);
    $presence->forget(7);
    $presence->replace(42, 43);
    $presence->flush();
    $presence->flush();
    attempt(fn () => [$presence->ids(), $direct()->ids()]);
    echo elsewhere($store, $key, '$presence->flush(); echo json_encode([$presence->ids(), $presence->areOnline([7, 42, 43])]), "\n";');
    $presence->persist(7);
    $presence->flush();
    attempt(fn () => [sorted($presence->ids()), sorted($direct()->ids())]);
    attempt(fn () => array_diff_key($presence->status()['server'], ['last_push' => 0, 'last_pull' => 0, 'pulled' => 0]));
    attempt(fn () => $presence->room('r')->count());
}
echo "-- hll\n";
$key = redis_key();
$presence = new Presence(getenv('PRESENCE_TEST_REDIS') . '?strategy=hll', ['key' => $key]);
$presence->persist('a');
$presence->persist('b');
$presence->flush();
$presence->flush();
attempt(fn () => $presence->count());
attempt(fn () => $presence->ids());
attempt(fn () => $presence->forget('a'));
attempt(fn () => $presence->replace('a', 'c'));
echo "-- a script that ends\n";
$key = redis_key();
$store = getenv('PRESENCE_TEST_REDIS');
echo run_php('(new Presence("' . $store . '", ["key" => "' . $key . '"]))->persist("script");', ['presence.flusher' => 'auto']);
attempt(fn () => (new Presence($store, ['key' => $key, 'mode' => 'direct']))->ids());
putenv('STORE_AND_KEY=' . json_encode([$store, redis_key()]));
echo "-- a script that does not end shares its visitors all the same\n";
echo run_php(<<<'PHP'
    [$store, $key] = json_decode(getenv('STORE_AND_KEY'));
    $presence = new Presence($store, ['key' => $key]);
    $asking = new Presence($store, ['key' => $key, 'mode' => 'direct']);
    for ($i = 0; $i < 300 && $asking->ids() === []; $i++) {
        $presence->persist('worker');
        usleep(100000);
    }
    echo json_encode($asking->ids()), "\n";
    PHP, ['presence.flusher' => 'auto']);
echo "-- what the strategy cannot hold or answer\n";
$presence = new Presence(getenv('PRESENCE_TEST_REDIS') . '?strategy=bitmap', ['key' => redis_key()]);
attempt(fn () => $presence->persist('guest'));
attempt(fn () => $presence->count(7));
attempt(fn () => new Presence(getenv('PRESENCE_TEST_REDIS') . '?strategy=sets', ['window' => 1, 'throttle' => 20]));
attempt(fn () => new Presence(getenv('PRESENCE_TEST_REDIS'), ['sync' => 0.1]));
?>
--EXPECT--
-- zset
[1,true,0]
[1,["42"]]
int(2)
bool(true)
[1,false]
[["42","7"],{"7":true,"8":false,"42":true}]
[["43"],["43"]]
[["43"],{"7":false,"42":false,"43":true}]
[["43","7"],["43","7"]]
{"breaker":"closed","last_error":null,"last_error_time":null,"pushed":3,"waiting":0}
0
-- sets
[1,true,0]
[1,["42"]]
int(2)
bool(true)
[1,false]
[["42","7"],{"7":true,"8":false,"42":true}]
[["43"],["43"]]
[["43"],{"7":false,"42":false,"43":true}]
[["43","7"],["43","7"]]
{"breaker":"closed","last_error":null,"last_error_time":null,"pushed":3,"waiting":0}
0
-- bitmap
[1,true,0]
[1,["42"]]
int(2)
bool(true)
[1,false]
[["42","7"],{"7":true,"8":false,"42":true}]
[["43"],["43"]]
[["43"],{"7":false,"42":false,"43":true}]
[["43","7"],["43","7"]]
{"breaker":"closed","last_error":null,"last_error_time":null,"pushed":3,"waiting":0}
0
-- bitmap&chunked=1
[1,true,0]
[1,["42"]]
int(2)
bool(true)
[1,false]
[["42","7"],{"7":true,"8":false,"42":true}]
[["43"],["43"]]
[["43"],{"7":false,"42":false,"43":true}]
[["43","7"],["43","7"]]
{"breaker":"closed","last_error":null,"last_error_time":null,"pushed":3,"waiting":0}
0
-- hll
2
Presence\UnsupportedException: the strategy hll counts visitors and does not know them; strategy=zset and strategy=sets do
Presence\UnsupportedException: the strategy hll counts visitors and does not know them; strategy=zset and strategy=sets do
Presence\UnsupportedException: the strategy hll counts visitors and does not know them; strategy=zset and strategy=sets do
-- a script that ends
["script"]
-- a script that does not end shares its visitors all the same
["worker"]
-- what the strategy cannot hold or answer
ValueError: Presence::persist(): Argument #1 ($visitorId) must be an integer from 0 to 134217728 for strategy=bitmap (its option max_id sets the limit); strategy=zset takes any id
Presence\UnsupportedException: strategy=bitmap with blocks of 300 seconds answers for a window of 5 minutes only, 7 asked; strategy=zset answers for any
ValueError: Presence::__construct(): Argument #1 ($store) option "throttle" must be at most 0 seconds for this window and strategy: visitors who stay would seem to leave
ValueError: Presence::__construct(): Argument #2 ($options) sync must be between 0.5 and 60 seconds
