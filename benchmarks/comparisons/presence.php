<?php
declare(strict_types=1);

// Presence in memory beside the recipes on servers.
return static fn (Bench $bench): array => [
    $bench->cost('persist', 'persist'),
    $bench->faster('persist', 'persist', 'phpredis ZADD', 'phpredis, ZADD'),
    $bench->faster('persist', 'persist', 'phpredis SADD and EXPIRE', 'phpredis, SADD and EXPIRE in one round trip'),
    $bench->faster('persist', 'persist', 'Predis SETBIT and EXPIRE', 'Predis, SETBIT and EXPIRE in one round trip'),
    $bench->faster('persist', 'persist', 'memcached table', 'memcached extension, the table'),
    $bench->faster('persist', 'persist', 'memcached ring', 'memcached extension, the ring'),
    $bench->faster('isOnline', 'isOnline', 'phpredis two GETBIT', 'phpredis, two GETBIT in one round trip'),
    $bench->faster('areOnline of 200 ids', 'areOnline of 200', 'Predis pipeline of 400 GETBIT', 'Predis, pipeline of 400 GETBIT'),
    $bench->faster('count of 10,000, cold', 'count of ten thousand, cold', 'phpredis ZCOUNT', 'phpredis, ZCOUNT'),
    $bench->faster('count of 10,000, cold', 'count of ten thousand, cold', 'phpredis SUNION', 'phpredis, SUNION of five sets'),
    $bench->faster('count of 10,000, cold', 'count of ten thousand, cold', 'memcached get', 'memcached extension, get of the stored count'),
    $bench->faster('ids of 10,000', 'ids of ten thousand', 'phpredis ZRANGEBYSCORE', 'phpredis, ZRANGEBYSCORE'),
];
