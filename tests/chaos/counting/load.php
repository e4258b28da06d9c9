<?php
declare(strict_types=1);

require_once __DIR__ . '/../Notes.php';

/** A random mix of adds, mostly single ones, some in bursts: hot series get stripes, and cold ones are claimed. */
function add_some(Notes $notes, int $bursts): int
{
    // Each process has a range of its own, so that minimum and maximum tell where a value came from.
    $base = random_int(1, 1_000_000);
    $adds = 0;
    for ($i = 0; $i < $bursts; $i++) {
        $hot = mt_rand(0, 7) > 0;
        $times = $hot && mt_rand(0, 7) === 0 ? mt_rand(2, 20) : 1;
        $series = $hot ? mt_rand(0, Series::HOT - 1) : mt_rand(Series::HOT, Series::ALL - 1);
        $notes->add($series, $base + mt_rand(0, 999), $times);
        $adds += $times;
    }
    return $adds;
}
