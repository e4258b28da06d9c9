<?php
declare(strict_types=1);

// What others do in place of Counters::add.
require_once __DIR__ . '/../peers/ApcuCounters.php';
require_once __DIR__ . '/../peers/DirectUpsert.php';
require_once __DIR__ . '/../peers/Prometheus.php';

$apcu = ['apc.enable_cli' => '1', 'apc.shm_size' => '256M', 'apc.entries_hint' => '200000'];
$prometheus = static fn (string $storage): Closure => static function (int $calls) use ($storage): void {
    $counter = Prometheus::counter($storage);
    for ($i = 0; $i < $calls; ++$i) {
        $counter->incBy(0.0347, ['stripe']);
    }
};

return [
    'apcu recipe' => new Workload(static function (int $calls): void {
        for ($i = 0; $i < $calls; ++$i) {
            ApcuCounters::add('payment.time', 'stripe', 0.0347);
        }
    }, ['apcu'], $apcu),
    'apcu recipe, new keys' => new Workload(static function (int $calls): void {
        for ($i = 0; $i < $calls; ++$i) {
            ApcuCounters::add('bench.new', "argument-$i", 0.0347);
        }
    }, ['apcu'], $apcu, static fn () => ApcuCounters::add('bench.old'), 20_000),
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
    'prometheus on APCng' => new Workload($prometheus('apcng'), ['apcu'], $apcu),
    'prometheus on Redis' => new Workload($prometheus('redis'), ['igbinary', 'redis']),
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
