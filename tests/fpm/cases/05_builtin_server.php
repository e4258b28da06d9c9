<?php
// `php -S`, PHP's own web server.
declare(strict_types=1);

test('php -S', ['site' => []], function (Site $site) {
    $port = free_port();
    file_put_contents("$site->run/router.php", '<?php
        Counters::add("views", $_SERVER["REQUEST_URI"], 1);
        (new Presence())->persist($_GET["id"] ?? "nobody");
        echo json_encode([(new Presence())->count(), Counters::read("views", 0)[0]["count"], Counters::status()["flusher"]["pid"]]);');
    chmod("$site->run/router.php", 0644);
    $log = ['file', "$site->run/server.out", 'a'];
    $command = $site->cli_command(['-S', "127.0.0.1:$port", "$site->run/router.php"]);
    $server = proc_open($command, [['file', '/dev/null', 'r'], $log, $log], $pipes, null, ['PHP_CLI_SERVER_WORKERS' => '2'] + getenv());
    $pid = proc_get_status($server)['pid'];
    $site->note($pid);
    try {
        $get = fn (string $path) => @file_get_contents("http://127.0.0.1:$port$path");
        $site->wait_for(fn () => $get('/start') !== false, 'php -S does not start');
        for ($i = 1; $i <= 20; $i++) {
            $last = json_decode((string) $get("/page?id=$i"));
        }
        same([21, 21], array_slice($last, 0, 2), 'visitors and views');
        $site->wait_for(fn () => $site->flushers() !== [], 'no flusher is started');
        same(1, count($site->flushers()), 'one flusher');
        same([], array_values(array_filter(array_map(fn ($link) => (string) @readlink($link), glob("/proc/{$site->flushers()[0]}/fd/*")), fn ($target) => str_starts_with($target, 'socket:'))), 'which holds no socket');
        $site->set_clock(64);
        $rows = fn () => $site->cli('echo json_encode([array_sum(array_column(Counters::read("views", 0), "count")), Counters::pending()]);', ['presence.flusher' => 'off']);
        $site->wait_for(fn () => $rows() === '[21,[]]', 'the minute is not stored');
        same('[21,[]]', $rows(), 'the minute is stored with no further request');
    } finally {
        foreach (array_map(intval(...), explode(' ', (string) @file_get_contents("/proc/$pid/task/$pid/children"))) as $worker) {
            $worker > 0 && posix_kill($worker, SIGTERM);
        }
        posix_kill($pid, SIGTERM);
        proc_close($server);
    }
});
