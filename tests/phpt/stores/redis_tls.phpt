--TEST--
Presence on Redis over TLS, direct and buffered; who is not trusted is refused
--SKIPIF--
<?php
require __DIR__ . '/../redis.inc.php';
skip_without_redis();
?>
--INI--
presence.timeout=10
--FILE--
<?php
require __DIR__ . '/../support.inc.php';
require __DIR__ . '/../redis.inc.php';
$tls = getenv('PRESENCE_TEST_REDIS_TLS');
[$bare] = explode('?', $tls);
$key = redis_key();
foreach (['zset', 'sets', 'bitmap', 'hll'] as $strategy) {
    $presence = new Presence($tls, ['mode' => 'direct', 'strategy' => $strategy, 'key' => "$key:$strategy"]);
    $presence->persist(7);
    attempt(fn () => $presence->count());
}
echo "-- as others see it\n";
attempt(fn () => (new Presence(getenv('PRESENCE_TEST_REDIS'), ['mode' => 'direct', 'key' => "$key:zset"]))->ids());
echo "-- buffered\n";
$buffered = new Presence($tls, ['mode' => 'buffered', 'key' => "$key:zset"]);
$buffered->persist(8);
$buffered->flush();
attempt(fn () => redis_command(['ZCARD', "$key:zset"]));
echo "-- refused\n";
foreach (['?ssl_ca=' . getenv('PRESENCE_TEST_REDIS_CERTIFICATES') . '/wrong-ca.pem', ''] as $trust) {
    $refused = new Presence($bare . $trust, ['mode' => 'direct', 'key' => "$key:zset"]);
    try {
        $refused->persist(9);
        echo "recorded\n";
    } catch (Presence\ConnectionException $e) {
        echo preg_replace('/\(.*\)/', '(…)', str_replace($bare, 'DSN', $e->getMessage())), "\n";
    }
}
attempt(fn () => redis_command(['ZCARD', "$key:zset"]));
?>
--EXPECT--
1
1
1
1
-- as others see it
["7"]
-- buffered
2
-- refused
DSN: the server's certificate is not trusted (…); name the file of the authority that signed it by the option "ssl_ca"
DSN: the server's certificate is not trusted (…); name the file of the authority that signed it by the option "ssl_ca"
2
