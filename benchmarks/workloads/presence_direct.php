<?php
declare(strict_types=1);

// Presence in direct mode: each call asks the server. A second's answers are kept for the request: what asks again first
// records somebody else.

$presence = static function (string $strategy): Presence {
    $server = in_array($strategy, ['table', 'ring'], true) ? 'PRESENCE_TEST_MEMCACHED' : 'PRESENCE_TEST_REDIS';
    return new Presence(getenv($server) . "?strategy=$strategy", ['mode' => 'direct', 'key' => "bench:ours:$strategy", 'timeout' => 2]);
};
$persist = static fn (string $strategy): Workload => new Workload(static function (int $calls) use ($presence, $strategy): void {
    $store = $presence($strategy);
    for ($i = 0; $i < $calls; ++$i) {
        $store->persist($i & 8191);
    }
});
$workloads = [];
foreach (['zset', 'sets', 'bitmap', 'table', 'ring'] as $strategy) {
    $workloads["direct persist, $strategy"] = $persist($strategy);
}
return $workloads + [
    'direct areOnline of 200 on the bitmap' => new Workload(static function (int $calls) use ($presence): void {
        // Always 200 ids that were not asked for: as many pages of the member list as ids below 10,000 give.
        static $first = 1;
        $store = $presence('bitmap');
        $pages = [];
        for ($at = 0; $at < 50; ++$at) {
            $pages[] = range($at * PAGE + 1, ($at + 1) * PAGE);
        }
        for ($i = 0; $i < $calls; ++$i) {
            if ($i % 50 === 0) {
                $store->purge();  // Nothing to do for a bitmap; it lets go of all answers kept.
            }
            $store->areOnline($pages[$i % 50]);
        }
    }, prepare: static function () use ($presence): void {
        $store = $presence('bitmap');
        for ($i = 0; $i < 10_000; ++$i) {
            $store->persist($i * 2);
        }
    }),
    'direct ids, zset' => new Workload(static function (int $calls) use ($presence): void {
        $store = $presence('zset');
        for ($i = 0; $i < $calls; ++$i) {
            $store->ids();
        }
    }, prepare: static function () use ($presence): void {
        $store = $presence('zset');
        for ($i = 0; $i < 10_000; ++$i) {
            $store->persist($i);
        }
    }),
];
