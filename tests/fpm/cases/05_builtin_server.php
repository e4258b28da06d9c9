<?php
// `php -S`, PHP's own web server.
declare(strict_types=1);

test('php -S', ['site' => []], function (Site $site) {
    file_put_contents("$site->run/router.php", '<?php
        Counters::add("views", $_SERVER["REQUEST_URI"], 1);
        (new Presence())->persist($_GET["id"] ?? "nobody");
        echo json_encode([(new Presence())->count(), Counters::read("views", 0)[0]["count"], Counters::status()["flusher"]["pid"]]);');
    chmod("$site->run/router.php", 0644);
    $site->with_builtin_server("$site->run/router.php", [], function (Closure $get) use ($site) {
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
    });
});
