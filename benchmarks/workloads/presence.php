<?php
declare(strict_types=1);

/** A page's worth of ids, one of two online. */
const PAGE = 200;

$fill = static function (int $visitors): Closure {
    return static function () use ($visitors): void {
        $presence = new Presence();
        for ($i = 0; $i < $visitors; ++$i) {
            $presence->persist($i * 2);
        }
    };
};
$million = ['presence.max_visitors' => '1100000'];

/** phpredis on the server of script/bench, by TCP on loopback. */
$redis = static function (): Redis {
    static $redis = null;
    if ($redis === null) {
        $parts = parse_url(getenv('PRESENCE_TEST_REDIS'));
        $redis = new Redis();
        $redis->pconnect($parts['host'], $parts['port']);
    }
    return $redis;
};
$fill_bitmap = static function () use ($redis): void {
    $block = intdiv(time(), 300);
    foreach ([$block - 1, $block, $block + 1] as $at) {
        for ($i = 0; $i < 10000; ++$i) {
            $redis()->setBit("bench:$at", $i * 2, true);
        }
    }
};

$workloads = [
    'persist' => new Workload(static function (int $calls): void {
        $presence = new Presence();
        for ($i = 0; $i < $calls; ++$i) {
            $presence->persist($i & 8191);
        }
    }),
    'persist, disabled' => new Workload(static function (int $calls): void {
        $presence = new Presence();
        for ($i = 0; $i < $calls; ++$i) {
            $presence->persist($i & 8191);
        }
    }, ini: ['presence.enabled' => '0']),
    'isOnline' => new Workload(static function (int $calls): void {
        $presence = new Presence();
        for ($i = 0; $i < $calls; ++$i) {
            $presence->isOnline($i & 8191);
        }
    }, prepare: $fill(10000)),
    'areOnline of 200' => new Workload(static function (int $calls): void {
        $presence = new Presence();
        $ids = range(1, PAGE);
        for ($i = 0; $i < $calls; ++$i) {
            $presence->areOnline($ids);
        }
    }, prepare: $fill(10000)),
    'count, of a million, cold' => new Workload(static function (int $calls): void {
        // Each window asked for is another question: nothing kept answers it.
        $presence = new Presence(null, ['retention' => 500000]);
        static $minutes = 5;
        for ($i = 0; $i < $calls; ++$i) {
            $presence->count($minutes = $minutes % 400000 + 1);
        }
    }, ini: $million, prepare: static function () {
        $presence = new Presence(null, ['retention' => 500000]);
        for ($i = 0; $i < 1000000; ++$i) {
            $presence->persist("visitor-$i");
        }
    }),
    'count, repeated' => new Workload(static function (int $calls): void {
        $presence = new Presence();
        for ($i = 0; $i < $calls; ++$i) {
            $presence->count();
        }
    }, prepare: $fill(10000)),
    'count, disabled' => new Workload(static function (int $calls): void {
        $presence = new Presence();
        for ($i = 0; $i < $calls; ++$i) {
            $presence->count();
        }
    }, ini: ['presence.enabled' => '0']),

    'phpredis SETBIT and EXPIRE' => new Workload(static function (int $calls) use ($redis): void {
        for ($i = 0; $i < $calls; ++$i) {
            $key = 'bench:' . intdiv(time(), 300);
            $redis()->multi(Redis::PIPELINE)->setBit($key, $i & 8191, true)->expire($key, 600)->exec();
        }
    }, ['igbinary', 'redis']),
    'phpredis two GETBIT' => new Workload(static function (int $calls) use ($redis): void {
        for ($i = 0; $i < $calls; ++$i) {
            $block = intdiv(time(), 300);
            $id = $i & 8191;
            $redis()->multi(Redis::PIPELINE)->getBit("bench:$block", $id)->getBit('bench:' . ($block - 1), $id)->exec();
        }
    }, ['igbinary', 'redis'], prepare: $fill_bitmap),
    'phpredis pipeline of 400 GETBIT' => new Workload(static function (int $calls) use ($redis): void {
        $ids = range(1, PAGE);
        for ($i = 0; $i < $calls; ++$i) {
            $block = intdiv(time(), 300);
            $pipeline = $redis()->multi(Redis::PIPELINE);
            foreach ($ids as $id) {
                $pipeline->getBit("bench:$block", $id)->getBit('bench:' . ($block - 1), $id);
            }
            $bits = $pipeline->exec();
            $online = [];
            foreach ($ids as $at => $id) {
                $online[$id] = $bits[2 * $at] || $bits[2 * $at + 1];
            }
        }
    }, ['igbinary', 'redis'], prepare: $fill_bitmap),
    'direct areOnline of 200 on the bitmap' => new Workload(static function (int $calls): void {
        // A second's answers are kept: another key is another question.
        $ids = range(1, PAGE);
        $presence = new Presence(getenv('PRESENCE_TEST_REDIS') . '?strategy=bitmap', ['mode' => 'direct', 'key' => 'bench', 'window' => 5, 'retention' => 5]);
        for ($i = 0; $i < $calls; ++$i) {
            $presence->areOnline($ids, $i % 5 + 1);
            if ($i % 5 === 4) {
                $presence = new Presence(getenv('PRESENCE_TEST_REDIS') . '?strategy=bitmap', ['mode' => 'direct', 'key' => 'bench', 'window' => 5, 'retention' => 5]);
                $presence->persist(1);
            }
        }
    }, prepare: null),
];
return $workloads;
