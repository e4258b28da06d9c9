<?php
// Apache with mod_php: children that come and go.
declare(strict_types=1);

require_once __DIR__ . '/../Apache.php';

test('Apache prefork with mod_php', ['site' => []], function (Site $site) {
    $database = new Database();
    $site->cli('Counters::install();', ['presence.sink' => $database->dsn]);
    $apache = new Apache($site, ['presence.sink' => $database->dsn], max_requests: 5);
    try {
        $apache->start();
        $answers = [];
        for ($i = 1; $i <= 60; $i++) {
            $answers[] = $apache->get("adds=10&id=$i");
        }
        same(0, count(array_filter($answers, is_null(...))), 'sixty requests are answered');
        same(true, count(array_unique(array_column($answers, 'pid'))) >= 12, 'by children that end after five each');
        same(60, end($answers)['visitors'], 'they know each other\'s visitors');
        $site->wait_for(fn () => $site->flushers() !== [], 'no flusher is started');
        $flushers = $site->flushers();
        same([$apache->get('')['flusher']], $flushers, 'one flusher, which status() names');
        $held = array_map(fn (string $link) => (string) @readlink($link), glob("/proc/{$flushers[0]}/fd/*"));
        $foreign = fn (string $target) => !in_array($target, ['', '/dev/null'], true) && !str_contains($target, $site->memory) && !str_contains($target, "$site->run/data");
        same([], array_values(array_filter($held, $foreign)), 'it holds no socket, log or lock of Apache');
        same(false, posix_getsid($flushers[0]) === posix_getsid($apache->pid()), 'it has a session of its own');

        // 1,200 adds are under way when the children are replaced.
        $old = $apache->children();
        $running = array_map(fn (int $i) => $apache->send("adds=300&pause=1000&id=slow$i"), range(1, 4));
        usleep(100_000);
        $apache->restart_gracefully();
        $site->wait_for(fn () => array_intersect($apache->children(), $old) === [] && $apache->get('') !== null, 'Apache does not restart');
        $ended = array_map(Apache::answer(...), $running);
        same(0, count(array_filter($ended, is_null(...))), 'requests that run during a graceful restart end as if nothing had happened');
        same($flushers, [$apache->get('adds=1&id=new')['flusher']], 'the flusher lives on');

        $apache->stop();
        same($flushers, $site->flushers(), 'also when Apache stops');
        $apache->start();
        same($flushers, [$apache->get('adds=1&id=newer')['flusher']], 'Apache starts on the same port, and finds it');
        $site->end_flushers();
        same([1802, 1802], $database->sums('views'), 'nothing that was counted is lost');
        same('', $apache->log(), 'nothing logged');
    } finally {
        $apache->stop();
    }
}, moves_clock: false);
