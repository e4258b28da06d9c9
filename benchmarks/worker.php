<?php
declare(strict_types=1);

/*
 * php benchmarks/worker.php NAME SECONDS [START]
 *
 * Measures one workload in a process of its own and prints nanoseconds per call. With START, a Unix time, it begins at that
 * moment and counts for so long, so that several processes run against each other; without, it prints the best of
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

/** How many calls take about that long. A step is measured twice, lest one disturbance pass for the cost of a call. */
function calls_of(Closure $run, float $seconds): int
{
    $calls = 1;
    while (true) {
        $took = min(nanoseconds($run, $calls), nanoseconds($run, $calls)) / 1e9;
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
if ($workload->once !== null) {
    echo nanoseconds($workload->run, $workload->once) / $workload->once, "\n";
    return;
}
$part = (float) $seconds / 5;
($workload->run)(1);  // The first call does what is done once in a process.
$calls = calls_of($workload->run, $part);
if ($start !== null) {
    // All count in the same stretch of time, and the calls that began in it.
    $made = 0;
    $few = (int) ceil($calls / 20);
    if (!@time_sleep_until((float) $start)) {
        fwrite(STDOUT, 'it was not ready when it was to begin: the machine has other work');
        exit(1);
    }
    $begin = hrtime(true);
    do {
        ($workload->run)($few);
        $made += $few;
        $took = hrtime(true) - $begin;
    } while ($took < $seconds * 1e9);
    echo $took / $made, "\n";
    return;
}
$best = INF;
for ($i = 0; $i < 5; ++$i) {
    $best = min($best, nanoseconds($workload->run, $calls) / $calls);
}
echo $best, "\n";
