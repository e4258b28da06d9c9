<?php
// Processes that do not serve pages: scripts of a second, workers that never end a request, `php -S`.
declare(strict_types=1);

foreach (['auto', 'request'] as $mode) {
    test("Scripts of a second, presence.flusher=$mode", [], fn (Site $site) => with_store($site, 'redis', function (StoreServer $redis) use ($site, $mode) {
        $ini = ['presence.flusher' => $mode] + own_memory('scripts');
        $recorded = [];
        for ($id = 1; $id <= 5; $id++) {
            $pause = $id === 1 ? 1_000_000 : 0;
            $recorded[] = $site->cli(on_store($redis->dsn('strategy=zset'), "\$presence->persist('script-$id'); usleep($pause); echo 'script-$id';"), $ini);
        }
        same($recorded, $redis->redis('ZRANGE', 'zset', '0', '-1'), 'what they recorded is pushed when they have ended');
        same([], $site->flushers("$site->memory/scripts"), 'and they leave no process behind');
        same('', $site->log(), 'nothing logged');
    }), false);

    test("A worker that never ends a request, presence.flusher=$mode", [], fn (Site $site) => with_store($site, 'redis', function (StoreServer $redis) use ($site, $mode) {
        $code = on_store($redis->dsn('strategy=zset'), 'for ($i = 1; !file_exists($argv[1]); $i++) { $presence->persist("job-$i"); usleep(50_000); }');
        $stop = "$site->run/data/stop";
        $process = proc_open($site->cli_command(['-r', $code, '--', $stop], ['presence.flusher' => $mode] + own_memory('worker')), [], $pipes);
        $site->note(proc_get_status($process)['pid']);
        try {
            // In its first minute it may yet be a short script.
            sleep(1);
            $site->set_clock(70);
            $pushed = fn (): int => $redis->redis('ZCARD', 'zset');
            Site::comes_true(fn () => $pushed() > 10, 20);
            same(true, $pushed() > 10, 'what it recorded is pushed while it runs');
        } finally {
            touch($stop);
            proc_close($process);
        }
        same('', $site->log(), 'nothing logged');
    }));
}

test('php -S with a store on Redis', [], fn (Site $site) => with_store($site, 'redis', function (StoreServer $redis) use ($site) {
    file_put_contents("$site->run/router.php", '<?php ' . on_store($redis->dsn('strategy=zset'), '$presence->persist($_GET["id"] ?? "nobody"); echo $presence->count();'));
    chmod("$site->run/router.php", 0644);
    $site->with_builtin_server("$site->run/router.php", own_memory('builtin'), function (Closure $get) use ($redis) {
        for ($id = 1; $id <= 20; $id++) {
            $last = $get("/page?id=$id");
        }
        same('21', $last, 'all are counted');
        Site::comes_true(fn () => $redis->redis('ZCARD', 'zset') === 21, 20);
        same(21, $redis->redis('ZCARD', 'zset'), 'and pushed with no further request');
    });
    same('', $site->log(), 'nothing logged');
}), false);
