<?php
// What one web server records, forgets or renames the others see.
declare(strict_types=1);

/** A page's code for one store, under a key for its strategy alone: `$presence` is there, `echo` answers. */
function on_store(string $store, string $code, string $mode = 'buffered'): string
{
    $options = ['key' => explode('strategy=', $store)[1], 'mode' => $mode];
    return '$presence = new Presence(' . var_export($store, true) . ', ' . var_export($options, true) . "); $code";
}

/** What a web server answers about all that it knows. @param list<int> $ids */
function all_reads(array $ids, bool $lists, bool $keeps_times): string
{
    $asked = json_encode($ids);
    return '$answers = [$presence->count(), $presence->areOnline(' . $asked . '), array_map($presence->isOnline(...), ' . $asked . ')];'
        . ($lists ? '$known = $presence->ids(); sort($known); $answers[] = $known;' : '')
        . ($keeps_times ? '$answers[] = array_map($presence->lastSeen(...), ' . $asked . ');' : '')
        . 'echo json_encode($answers);';
}

test('Two web servers see each other\'s visitors', web_servers('a', 'b'), function (Site $site) {
    with_store($site, 'redis', fn (StoreServer $redis) => with_store($site, 'memcached', function (StoreServer $memcached) use ($site, $redis) {
        $rounds = 12;
        // The ring shows a minute's visitors when the minute is over; whether one is there it is asked itself.
        $seen = fn (int $id) => "echo json_encode(\$presence->isOnline($id));";
        $strategies = [
            'zset' => [$redis->dsn('strategy=zset'), $seen, true, true],
            'sets' => [$redis->dsn('strategy=sets'), $seen, true, false],
            'bitmap' => [$redis->dsn('strategy=bitmap'), $seen, true, false],
            'hll' => [$redis->dsn('strategy=hll'), fn (int $id) => "echo json_encode(\$presence->count() >= $id);", false, false],
            'table' => [$memcached->dsn('strategy=table'), $seen, true, true],
            'ring' => [$memcached->dsn('strategy=ring'), $seen, false, false],
        ];
        $site->start();
        $delays = array_fill_keys(array_keys($strategies), []);
        $missing = 0;
        for ($id = 1; $id <= $rounds; $id++) {
            [$here, $there] = $id % 2 === 0 ? ['a', 'b'] : ['b', 'a'];
            $began = [];
            foreach ($strategies as $name => [$store]) {
                $site->request(on_store($store, "\$presence->persist($id);"), $here);
                $began[$name] = hrtime(true);
            }
            $deadline = hrtime(true) + 20_000_000_000;
            while ($began !== [] && hrtime(true) < $deadline) {
                foreach (array_intersect_key($strategies, $began) as $name => [$store, $question]) {
                    if ($site->request(on_store($store, $question($id)), $there) === 'true') {
                        $delays[$name][] = (hrtime(true) - $began[$name]) / 1e9;
                        unset($began[$name]);
                    }
                }
                usleep(10_000);
            }
            $missing += count($began);
        }
        same(0, $missing, 'visitors that the other server does not see');
        foreach ($delays as $name => $seconds) {
            printf("        %-7s until the other server knows: %s\n", $name, spread($seconds, 's'));
        }
        foreach ($strategies as $name => [$store, , $lists, $keeps_times]) {
            if ($name === 'hll') {
                $question = 'echo $presence->count();';
            } else {
                $question = all_reads(range(1, $rounds + 1), $lists, $keeps_times);
            }
            $answers = fn () => array_map(fn (string $pool) => $site->request(on_store($store, $question), $pool), ['a', 'b']);
            Site::comes_true(fn () => count(array_unique($answers())) === 1, 20);
            $last = $answers();
            same($last[0], $last[1], "$name: both answer alike");
            $direct = $site->request(on_store($store, $name === 'hll' || $name === 'ring' ? 'echo $presence->count();' : all_reads(range(1, $rounds + 1), $lists, $keeps_times), 'direct'), 'a');
            $buffered = $name === 'ring' ? $site->request(on_store($store, 'echo $presence->count();'), 'b') : $last[0];
            same($direct, $buffered, "$name: and as the store does");
        }
    }));
}, false);

test('Who logs out or in does so on all web servers', web_servers('a', 'b', 'c'), function (Site $site) {
    with_store($site, 'redis', fn (StoreServer $redis) => with_store($site, 'memcached', function (StoreServer $memcached) use ($site, $redis) {
        $stores = [
            'zset' => $redis->dsn('strategy=zset'),
            'sets' => $redis->dsn('strategy=sets'),
            'bitmap' => $redis->dsn('strategy=bitmap'),
            'table' => $memcached->dsn('strategy=table'),
        ];
        $site->start();
        $ids = fn (string $store, string $pool) => $site->request(on_store($store, '$known = $presence->ids(); sort($known); echo implode(" ", $known);'), $pool);
        $everywhere = function (string $expected, int $seconds = 20) use ($stores, $ids): array {
            $wrong = [];
            Site::comes_true(function () use ($stores, $ids, $expected, &$wrong): bool {
                $wrong = [];
                foreach ($stores as $name => $store) {
                    foreach (['a', 'b', 'c'] as $pool) {
                        $found = $ids($store, $pool);
                        $found === $expected || $wrong[] = "$name on $pool: $found";
                    }
                }
                return $wrong === [];
            }, $seconds);
            return $wrong;
        };
        foreach ($stores as $store) {
            $site->request(on_store($store, '$presence->persist(1); $presence->persist(2);'), 'a');
            $site->request(on_store($store, '$presence->persist(3);'), 'b');
            $site->request(on_store($store, '$presence->persist(4);'), 'c');
        }
        same([], $everywhere('1 2 3 4'), 'all are known everywhere');
        foreach ($stores as $store) {
            $site->request(on_store($store, '$presence->forget(1); $presence->replace(2, 5);'), 'b');
        }
        same([], $everywhere('3 4 5'), 'one logged out, and one in');
        // Memory of what was sent goes with a flusher: the next one sends all again.
        foreach (['a', 'b', 'c'] as $pool) {
            array_map(fn (int $pid) => posix_kill($pid, SIGKILL), $site->flushers("$site->memory/$pool"));
        }
        foreach ($stores as $store) {
            foreach (['a' => 6, 'b' => 7, 'c' => 8] as $pool => $id) {
                $site->request(on_store($store, "\$presence->persist($id);"), $pool);
            }
        }
        // What was pushed late, as a flusher died, is found by the pull of everything, once a minute.
        same([], $everywhere('3 4 5 6 7 8', 90), 'which no flusher that starts anew undoes');
        foreach ($stores as $store) {
            $site->request(on_store($store, '$presence->persist(1);'), 'c');
        }
        same([], $everywhere('1 3 4 5 6 7 8'), 'and who comes back is there');
    }));
}, false);
