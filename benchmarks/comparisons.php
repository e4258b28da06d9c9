<?php
declare(strict_types=1);

require_once __DIR__ . '/Comparison.php';
require_once __DIR__ . '/Php.php';

/** What script/bench built of benchmarks/upsert. */
final class UpsertClient
{
    /** Nanoseconds of a batch. @return Closure(): float */
    public static function nanoseconds(string $program): Closure
    {
        return static function () use ($program): float {
            $folder = getenv('PRESENCE_BENCH_PROGRAMS');
            $dsn = getenv('PRESENCE_TEST_MYSQL');
            $parts = parse_url((string) $dsn);
            $arguments = $program === 'sink_client' ? [$dsn] : [$parts['host'], $parts['port'], $parts['user'], $parts['pass'] ?? '', ltrim($parts['path'], '/')];
            $took = trim((string) shell_exec("$folder/$program " . implode(' ', array_map(fn (mixed $one): string => escapeshellarg((string) $one), $arguments))));
            return is_numeric($took) ? (float) $took : throw new RuntimeException("$program failed");
        };
    }
}

/** All that is compared: what the goals ask for, then what else is worth knowing. @return list<Comparison> */
return static function (Php $php, Closure $site, float $seconds): array {
    $cost = fn (string $name, string $peer, ?float $at_most, string $as): Comparison =>
        new Comparison($as, 'the same call with presence.enabled=0', $php->nanoseconds($name), $php->nanoseconds($peer), at_most: $at_most, cost: true);
    $faster = fn (string $as, string $ours, string $peer, string $peer_name, ?float $at_least = null): Comparison =>
        new Comparison($as, $peer_name, $php->nanoseconds($ours), $php->nanoseconds($peer), at_least: $at_least);
    $rate = fn (string $as, string $peer_name, string $name, int $processes, ?float $at_least = null): Comparison =>
        new Comparison($as, $peer_name, $php->rate($name, $processes), $php->rate($name, 1), '/s', $at_least);

    return [
        $cost('add one key', 'add one key, disabled', 2.0, 'add, one key'),
        $cost('add 64 keys', 'add 64 keys, disabled', 2.0, 'add, 64 keys in turn'),
        $faster('add', 'add with argument and value', 'apcu recipe', 'the recipe in PHP on APCu', 30),
        $rate('add, two processes on one key', 'one process', 'add one key', 2, 1.8),
        $faster('persist', 'persist', 'phpredis SETBIT and EXPIRE', 'phpredis, SETBIT and EXPIRE', 800),
        $faster('areOnline of 200 ids', 'areOnline of 200', 'phpredis pipeline of 400 GETBIT', 'phpredis, pipeline of 400 GETBIT', 20),
        $faster('direct areOnline of 200 ids, bitmap', 'direct areOnline of 200 on the bitmap', 'phpredis pipeline of 400 GETBIT', 'phpredis, pipeline of 400 GETBIT', 1.5),
        new Comparison('count of a million visitors, cold', 'a millisecond', $php->nanoseconds('count, of a million, cold'), fn (): float => 1e6, at_most: 1.0),
        $cost('count, repeated', 'count, disabled', 3.0, 'count, repeated within a second'),
        new Comparison('memory per visitor', '96 bytes', $php->bytes_per_visitor(), fn (): float => 96.0, 'bytes', at_most: 1.0),
        new Comparison('10,000 rows to MariaDB', 'the same upsert from a bare C client', UpsertClient::nanoseconds('sink_client'), UpsertClient::nanoseconds('bare_client'), at_most: 1.15),
        new Comparison('a page with 4 adds, 1 persist, 200 isOnline', 'the same page without', fn (): float => $site()->rate(true, $seconds), fn (): float => $site()->rate(false, $seconds), '/s', at_least: 0.97),

        $cost('add with argument and value', 'add with argument and value, disabled', null, 'add, with argument and value'),
        $cost('add one key, JIT', 'add one key, JIT, disabled', null, 'add, one key, with JIT'),
        $cost('add 1,024 keys', 'add 1,024 keys, disabled', null, 'add, 1,024 keys in turn'),
        $cost('add 65,536 keys', 'add 65,536 keys, disabled', null, 'add, 65,536 keys in turn'),
        $faster('add', 'add one key', 'apcu_inc', 'apcu_inc, a floor: one number'),
        $faster('add', 'add one key', 'yac', 'Yac get and set, a floor: one number, and updates get lost'),
        $faster('add', 'add with argument and value', 'direct upsert', 'a prepared upsert for each call, MariaDB on loopback'),
        $rate('add, two processes on 64 keys', 'one process', 'add 64 keys', 2),
        $rate('add, four processes on one key', 'one process', 'add one key', 4),
        $cost('persist', 'persist, disabled', null, 'persist'),
        $faster('isOnline', 'isOnline', 'phpredis two GETBIT', 'phpredis, pipeline of two GETBIT'),
    ];
};
