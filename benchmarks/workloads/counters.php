<?php
declare(strict_types=1);

// Counters::add in its cases.

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
/** So many names in turn. */
$in_turn = static function (int $how_many, array $ini = []): Workload {
    $names = null;
    $run = static function (int $calls) use (&$names, $how_many): void {
        $names ??= series($how_many);
        static $next = 0;
        $at = $next;
        for ($i = 0; $i < $calls; ++$i) {
            Counters::add($names[$at]);
            $at = $at + 1 === $how_many ? 0 : $at + 1;
        }
        $next = $at;
    };
    return new Workload($run, ini: $ini, prepare: static fn () => $run($how_many));
};
$many = ['presence.max_series' => '200000'];

$workloads = [
    'add one key' => new Workload($one_key),
    'add one key, JIT' => new Workload($one_key, ini: ['opcache.jit' => 'tracing', 'opcache.jit_buffer_size' => '32M']),
    'add one key, no opcache' => new Workload($one_key, opcache: false),
    'add 64 keys' => $in_turn(64),
    'add 1,024 keys' => $in_turn(1024),
    'add 100,000 keys' => $in_turn(100_000, $many),
    'add with argument and value' => new Workload(static function (int $calls): void {
        for ($i = 0; $i < $calls; ++$i) {
            Counters::add('payment.time', 'stripe', 0.0347);
        }
    }),
    'add of new series' => new Workload(static function (int $calls): void {
        for ($i = 0; $i < $calls; ++$i) {
            Counters::add('bench.new', "argument-$i", 0.0347);
        }
    }, ini: $many, prepare: static fn () => Counters::add('bench.old'), once: 20_000),
];
foreach ([10_000, 31_623, 100_000, 316_228, 1_000_000] as $series) {
    $workloads["add, of $series series"] = $in_turn($series, ['presence.max_series' => (string) (int) ($series * 1.1)]);
}
return $workloads;
