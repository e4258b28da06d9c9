<?php
// A store that is down, silent or cut off is no page's concern, and gets what was recorded meanwhile.
declare(strict_types=1);

/** What a page of a site does: greets its visitor, counts, and marks 200 people. */
function page_code(string $store): string
{
    return on_store($store, <<<'PHP'
        $before = time();
        $id = (int) $_SERVER['VISITOR'];
        $presence->persist($id);
        $presence->count();
        $presence->areOnline(range(1, 200));
        echo json_encode([$before, time()]);
        PHP);
}

/**
 * Pages with and without the extension by turns, for a while.
 *
 * @param array<int, array{int, int}> $recorded visitor => when, at least and at most; is added to
 * @return array{with: list<float>, without: list<float>} milliseconds
 */
function pages_by_turns(Site $site, string $store, float $seconds, array &$recorded): array
{
    $took = ['with' => [], 'without' => []];
    $end = hrtime(true) + (int) ($seconds * 1e9);
    for ($pair = 0; $pair < 100 || hrtime(true) < $end; $pair++) {
        $visitor = 1000 + count($recorded);
        foreach ($pair % 2 === 0 ? ['with', 'without'] : ['without', 'with'] as $pool) {
            $began = hrtime(true);
            $answer = $site->request(page_code($store), $pool, ['VISITOR' => (string) $visitor]);
            $took[$pool][] = (hrtime(true) - $began) / 1e6;
            $times = json_decode($answer) ?? throw new RuntimeException("a page failed: $answer");
            if ($pool === 'with') {
                $recorded[$visitor] = $times;
            }
        }
        usleep(2000);
    }
    return $took;
}

foreach (['redis' => 'zset', 'memcached' => 'table'] as $kind => $strategy) {
    $pools = ['with' => ['presence.timeout' => '2'] + own_memory('with'), 'without' => ['presence.enabled' => '0'] + own_memory('without')];
    test("A store on $kind goes away", $pools, fn (Site $site) => with_store($site, $kind, function (StoreServer $server) use ($site, $kind, $strategy) {
        $site->start();
        $store = $server->dsn("strategy=$strategy");
        $recorded = [];
        $slow = 0;
        $phase = function (string $title, float $seconds) use ($site, $store, &$recorded, &$slow): void {
            $took = pages_by_turns($site, $store, $seconds, $recorded);
            foreach ($took as $pool => $times) {
                printf("        %-18s %-8s %s\n", $title, $pool, spread($times, 'ms', 3));
                sort($took[$pool]);
            }
            $median = fn (array $times): float => $times[intdiv(count($times), 2)];
            printf("        %-18s the difference of the medians is %.0f us\n", $title, 1000 * ($median($took['with']) - $median($took['without'])));
            // Whoever waits for the store waits at least for the timeout, of this server's pages or its flusher.
            $slow += count(array_filter($took['with'], fn (float $ms): bool => $ms >= 1000));
        };
        $status = fn () => json_decode($site->request(on_store($store, 'echo json_encode($presence->status()["server"]);'), 'with'), true);
        $site->request(page_code($store), 'with', ['VISITOR' => '1']);
        $phase('all is well', 2);
        // What Memcached held is gone with it, so it is only silenced.
        $troubles = ['stopped' => $server->kill(...), 'silent' => $server->freeze(...), 'cut off' => $server->cut_off(...)];
        foreach ($kind === 'redis' ? $troubles : array_slice($troubles, 1) as $title => $trouble) {
            $trouble();
            $phase($title, 4);
            $told = $status();
            same([true, true, true], [$told['breaker'] === 'open', $told['waiting'] > 0, is_string($told['last_error'])], "$title: status() tells");
            echo "        ", $told['last_error'], "\n";
            $server->await();
            Site::comes_true(fn () => ($told = $status()) && $told['breaker'] === 'closed' && $told['waiting'] === 0, 60);
            $told = $status();
            same(['closed', 0], [$told['breaker'], $told['waiting']], "$title: status() tells that it is over");
        }
        same(0, $slow, 'no page waited for the store');
        $ids = json_encode(array_keys($recorded));
        $question = on_store($store, "echo json_encode(array_map(\$presence->lastSeen(...), array_combine($ids, $ids)));", 'direct');
        $wrong = [];
        Site::comes_true(function () use ($site, $question, $recorded, &$wrong, &$seen): bool {
            $seen = json_decode($site->request($question, 'with'), true);
            // The extension's clock is up to a tick of the kernel behind PHP's.
            $wrong = array_filter($recorded, fn (array $times, int $id): bool => $seen[$id] < $times[0] - 1 || $seen[$id] > $times[1], ARRAY_FILTER_USE_BOTH);
            return $wrong === [];
        }, 20);
        foreach (array_slice($wrong, 0, 5, true) as $id => $times) {
            printf("        visitor %d of %d to %d: the store says %s\n", $id, $times[0], $times[1], json_encode($seen[$id]));
        }
        same(0, count($wrong), 'all ' . count($recorded) . ' visitors arrived, with their times');
        // A key that nobody asked for yet has to be asked for: one page tries, and none after it for ten seconds.
        $server->freeze();
        $began = hrtime(true);
        $waited = 0;
        for ($i = 0; $i < 50; $i++) {
            $at = hrtime(true);
            $site->request('$presence = new Presence(' . var_export($store, true) . ', ["key" => "new"]); $presence->persist(' . $i . '); echo $presence->count();', 'with');
            $waited += (hrtime(true) - $at) / 1e9 >= 1.5 ? 1 : 0;
        }
        same(true, $waited <= 1 + intdiv((int) ((hrtime(true) - $began) / 1e9), 10), "of a new key's first pages $waited waited, at most one in ten seconds");
        $server->thaw();
        same('', $site->log(), 'nothing logged');
    }, true), false);
}
