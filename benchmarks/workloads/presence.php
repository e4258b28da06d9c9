<?php
declare(strict_types=1);

// Presence in shared memory.

/** A page's worth of ids, one of two online. */
const PAGE = 200;

/** So many visitors in memory. */
$filled = static fn (int $visitors): Closure => static function () use ($visitors): void {
    $presence = new Presence();
    for ($i = 0; $i < $visitors; ++$i) {
        $presence->persist($i * 2);
    }
};
$room_for = static fn (int $visitors): array => ['presence.max_visitors' => (string) (int) ($visitors * 1.1)];

/** Who came since the last count makes it count anew. */
$count_cold = static function (int $calls): void {
    $presence = new Presence();
    for ($i = 0; $i < $calls; ++$i) {
        $presence->persist(0);
        $presence->count();
    }
};
/** Visitors in an order that no cache foresees; `$visitors` is no multiple of the step. */
$persist_among = static fn (int $visitors): Closure => static function (int $calls) use ($visitors): void {
    $presence = new Presence();
    static $at = 0;
    for ($i = 0; $i < $calls; ++$i) {
        $at = ($at + 7919) % $visitors;
        $presence->persist($at * 2);
    }
};
$is_online_among = static fn (int $visitors): Closure => static function (int $calls) use ($visitors): void {
    $presence = new Presence();
    static $at = 0;
    for ($i = 0; $i < $calls; ++$i) {
        $at = ($at + 7919) % $visitors;
        $presence->isOnline($at * 2);
    }
};

$workloads = [
    'persist' => new Workload(static function (int $calls): void {
        $presence = new Presence();
        for ($i = 0; $i < $calls; ++$i) {
            $presence->persist($i & 8191);
        }
    }),
    'isOnline' => new Workload(static function (int $calls): void {
        $presence = new Presence();
        for ($i = 0; $i < $calls; ++$i) {
            $presence->isOnline($i & 8191);
        }
    }, prepare: $filled(10_000)),
    'areOnline of 200' => new Workload(static function (int $calls): void {
        $presence = new Presence();
        $ids = range(1, PAGE);
        for ($i = 0; $i < $calls; ++$i) {
            $presence->areOnline($ids);
        }
    }, prepare: $filled(10_000)),
    'count' => new Workload(static function (int $calls): void {
        $presence = new Presence();
        for ($i = 0; $i < $calls; ++$i) {
            $presence->count();
        }
    }, prepare: $filled(10_000)),
    'count of ten thousand, cold' => new Workload($count_cold, prepare: $filled(10_000)),
    'count of a million, cold' => new Workload($count_cold, ini: $room_for(1_000_000), prepare: $filled(1_000_000)),
    'ids of ten thousand' => new Workload(static function (int $calls): void {
        $presence = new Presence();
        for ($i = 0; $i < $calls; ++$i) {
            $presence->ids();
        }
    }, prepare: $filled(10_000)),
];
foreach ([10_000, 31_623, 100_000, 316_228, 1_000_000] as $visitors) {
    $workloads["persist, one of $visitors visitors"] = new Workload($persist_among($visitors), ini: $room_for($visitors), prepare: $filled($visitors));
    $workloads["isOnline, one of $visitors visitors"] = new Workload($is_online_among($visitors), ini: $room_for($visitors), prepare: $filled($visitors));
    $workloads["count of $visitors visitors, cold"] = new Workload($count_cold, ini: $room_for($visitors), prepare: $filled($visitors));
}
return $workloads;
