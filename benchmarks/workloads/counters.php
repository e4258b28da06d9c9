<?php
declare(strict_types=1);

require_once __DIR__ . '/../peers/ApcuCounters.php';
require_once __DIR__ . '/../peers/DirectUpsert.php';

/** @return list<string> */
function series(int $how_many): array
{
    return array_map(fn (int $i): string => "bench.series-$i", range(1, $how_many));
}

$one_key = static function (int $calls): void {
    for ($i = 0; $i < $calls; ++$i) {
        Counters::add('bench.hits');
    }
};
/** `$names` in turn; their number is a power of two. */
$in_turn = static function (int $how_many): Closure {
    $names = series($how_many);
    return static function (int $calls) use ($names, $how_many): void {
        for ($i = 0; $i < $calls; ++$i) {
            Counters::add($names[$i & ($how_many - 1)]);
        }
    };
};
$with_value = static function (int $calls): void {
    for ($i = 0; $i < $calls; ++$i) {
        Counters::add('payment.time', 'stripe', 0.0347);
    }
};
$disabled = ['presence.enabled' => '0'];
$apcu = ['apc.enable_cli' => '1', 'apc.shm_size' => '256M'];
$many = ['presence.max_series' => '200000'];

return [
    'add one key' => new Workload($one_key),
    'add one key, disabled' => new Workload($one_key, ini: $disabled),
    'add one key, JIT' => new Workload($one_key, ini: ['opcache.jit' => 'tracing', 'opcache.jit_buffer_size' => '32M']),
    'add one key, JIT, disabled' => new Workload($one_key, ini: ['opcache.jit' => 'tracing', 'opcache.jit_buffer_size' => '32M'] + $disabled),
    'add 64 keys' => new Workload($in_turn(64)),
    'add 64 keys, disabled' => new Workload($in_turn(64), ini: $disabled),
    'add 1,024 keys' => new Workload($in_turn(1024), ini: $many),
    'add 1,024 keys, disabled' => new Workload($in_turn(1024), ini: $disabled),
    'add 65,536 keys' => new Workload($in_turn(65536), ini: $many),
    'add 65,536 keys, disabled' => new Workload($in_turn(65536), ini: $disabled),
    'add with argument and value' => new Workload($with_value),
    'add with argument and value, disabled' => new Workload($with_value, ini: $disabled),
    'apcu recipe' => new Workload(static function (int $calls): void {
        for ($i = 0; $i < $calls; ++$i) {
            ApcuCounters::add('payment.time', 'stripe', 0.0347);
        }
    }, ['apcu'], $apcu),
    'apcu_inc' => new Workload(static function (int $calls): void {
        for ($i = 0; $i < $calls; ++$i) {
            apcu_inc('bench.hits');
        }
    }, ['apcu'], $apcu),
    'yac' => new Workload(static function (int $calls): void {
        $yac = new Yac();
        for ($i = 0; $i < $calls; ++$i) {
            $yac->set('bench.hits', $yac->get('bench.hits') + 1);
        }
    }, ['yac'], ['yac.enable_cli' => '1']),
    'direct upsert' => new Workload(
        static function (int $calls): void {
            for ($i = 0; $i < $calls; ++$i) {
                DirectUpsert::add('payment.time', 'stripe', 0.0347);
            }
        },
        ['pdo', 'mysqlnd', 'pdo_mysql'],
        prepare: static fn () => DirectUpsert::connect(getenv('PRESENCE_TEST_MYSQL')),
    ),
];
