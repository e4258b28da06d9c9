<?php
declare(strict_types=1);

/*
 * php benchmarks/worker.php NAME SECONDS [START]
 *
 * Measures one workload in a process of its own and prints nanoseconds per call. With START, a Unix time, it begins at that
 * moment and measures its whole share, so that several processes run against each other; without, it prints the best of
 * five equal parts, as what disturbs a measurement only ever adds to it.
 */

require __DIR__ . '/Workload.php';

/** @param Closure(int): void $run */
function nanoseconds(Closure $run, int $calls): float
{
    $before = hrtime(true);
    $run($calls);
    return (float) (hrtime(true) - $before);
}

/** How many calls take about that long. */
function calls_of(Closure $run, float $seconds): int
{
    $calls = 1;
    while (true) {
        $took = nanoseconds($run, $calls) / 1e9;
        if ($took >= $seconds / 4) {
            return max(1, (int) ($calls * $seconds / $took));
        }
        $calls = $took < $seconds / 100 ? $calls * 10 : (int) ceil($calls * $seconds / $took);
    }
}

[, $name, $seconds] = $argv;
$start = $argv[3] ?? null;
$workload = Workload::all()[$name];
if ($workload->prepare !== null) {
    ($workload->prepare)();
}
$part = (float) $seconds / 5;
$calls = calls_of($workload->run, $part);
if ($start !== null) {
    time_sleep_until((float) $start);
    echo nanoseconds($workload->run, 5 * $calls) / (5 * $calls), "\n";
    return;
}
$best = INF;
for ($i = 0; $i < 5; ++$i) {
    $best = min($best, nanoseconds($workload->run, $calls) / $calls);
}
echo $best, "\n";
