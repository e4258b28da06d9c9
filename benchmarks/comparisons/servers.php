<?php
declare(strict_types=1);

// Direct mode beside PHP code that does the same on the same server.
return static fn (Bench $bench): array => [
    $bench->faster('direct persist, zset', 'direct persist, zset', 'phpredis ZADD', 'phpredis, ZADD'),
    $bench->faster('direct persist, sets', 'direct persist, sets', 'phpredis SADD and EXPIRE', 'phpredis, SADD and EXPIRE in one round trip'),
    $bench->faster('direct persist, bitmap', 'direct persist, bitmap', 'phpredis SETBIT and EXPIRE', 'phpredis, SETBIT and EXPIRE'),
    $bench->faster('direct persist, table', 'direct persist, table', 'memcached table', 'memcached extension, the table'),
    $bench->faster('direct persist, ring', 'direct persist, ring', 'memcached ring', 'memcached extension, the ring'),
    $bench->faster('direct ids of 10,000, zset', 'direct ids, zset', 'phpredis ZRANGEBYSCORE', 'phpredis, ZRANGEBYSCORE'),
];
