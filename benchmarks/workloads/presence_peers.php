<?php
declare(strict_types=1);

// What others do in place of Presence.
require_once __DIR__ . '/../peers/MemcachedRecipes.php';
require_once __DIR__ . '/../peers/RedisRecipes.php';

const PHPREDIS = ['igbinary', 'redis'];
const MEMCACHED = ['igbinary', 'msgpack', 'memcached'];

$each_visitor = static fn (Closure $client, string $method): Closure => static function (int $calls) use ($client, $method): void {
    $recipes = $client();
    for ($i = 0; $i < $calls; ++$i) {
        $recipes->$method($i & 8191);
    }
};
$again = static fn (Closure $client, string $method): Closure => static function (int $calls) use ($client, $method): void {
    $recipes = $client();
    for ($i = 0; $i < $calls; ++$i) {
        $recipes->$method();
    }
};
$pages = static fn (Closure $client): Closure => static function (int $calls) use ($client): void {
    $recipes = $client();
    $ids = range(1, PAGE);
    for ($i = 0; $i < $calls; ++$i) {
        $recipes->bitmap_online($ids);
    }
};
$two_bits = static function (int $calls): void {
    $recipes = RedisRecipes::phpredis();
    for ($i = 0; $i < $calls; ++$i) {
        $recipes->bitmap_online([$i & 8191]);
    }
};
$filled = static fn (string $method): Closure => static function () use ($method): void {
    $recipes = RedisRecipes::phpredis();
    for ($i = 0; $i < 10_000; ++$i) {
        $recipes->$method($i * 2);
    }
};
$phpredis = RedisRecipes::phpredis(...);
$predis = RedisRecipes::predis(...);
$memcached = static fn (): MemcachedRecipes => new MemcachedRecipes();

return [
    'phpredis ZADD' => new Workload($each_visitor($phpredis, 'zset_record'), PHPREDIS),
    'phpredis SADD and EXPIRE' => new Workload($each_visitor($phpredis, 'sets_record'), PHPREDIS),
    'phpredis SETBIT and EXPIRE' => new Workload($each_visitor($phpredis, 'bitmap_record'), PHPREDIS),
    'phpredis ZCOUNT' => new Workload($again($phpredis, 'zset_count'), PHPREDIS, prepare: $filled('zset_record')),
    'phpredis ZRANGEBYSCORE' => new Workload($again($phpredis, 'zset_ids'), PHPREDIS, prepare: $filled('zset_record')),
    'phpredis SUNION' => new Workload($again($phpredis, 'sets_count'), PHPREDIS, prepare: $filled('sets_record')),
    'phpredis two GETBIT' => new Workload($two_bits, PHPREDIS, prepare: $filled('bitmap_record')),
    'phpredis pipeline of 400 GETBIT' => new Workload($pages($phpredis), PHPREDIS, prepare: $filled('bitmap_record')),
    'Predis SETBIT and EXPIRE' => new Workload($each_visitor($predis, 'bitmap_record'), PHPREDIS),
    'Predis pipeline of 400 GETBIT' => new Workload($pages($predis), PHPREDIS, prepare: $filled('bitmap_record')),
    'memcached table' => new Workload($each_visitor($memcached, 'table_record'), MEMCACHED),
    'memcached ring' => new Workload($each_visitor($memcached, 'ring_record'), MEMCACHED),
    'memcached get' => new Workload($again($memcached, 'count'), MEMCACHED, prepare: static fn () => (new MemcachedRecipes())->store_count(10_000)),
];
