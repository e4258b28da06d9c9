<?php
// The process that stores minutes: one for each segment, with nothing of PHP-FPM's, and in time.
declare(strict_types=1);

test('One flusher for many workers', ['site' => ['listen' => '127.0.0.1:' . free_port(), 'pm.max_children' => '8']], function (Site $site) {
    $database = $site->use_database();
    $site->start();
    $site->request('Counters::install();');
    $site->set_clock(50);
    $requests = array_map(fn () => $site->send('for ($i = 0; $i < 100; $i++) Counters::add("views", null, 1); (new Presence())->persist(getmypid()); usleep(50000); echo "done";'), range(1, 16));
    foreach ($requests as $request) {
        $request->read();
    }
    same(array_fill(0, 16, 'done'), array_map(fn (FastCgi $request) => $request->body(), $requests), 'sixteen requests to eight workers');
    $site->wait_for(fn () => $site->flushers() !== [], 'no flusher is started');
    $site->request('echo 1;');
    $flushers = $site->flushers();
    same(1, count($flushers), 'one flusher');
    same((string) $flushers[0], $site->request('echo Counters::status()["flusher"]["pid"];'), 'is the one that status() names');
    $held = array_map(fn (string $link) => (string) @readlink($link), glob("/proc/{$flushers[0]}/fd/*"));
    same([], array_values(array_filter($held, fn (string $target) => $target !== '' && $target !== '/dev/null' && !str_contains($target, $site->memory))), 'it holds no socket, log or terminal of PHP-FPM');
    same(false, in_array($flushers[0], $site->workers(), true), 'it is no child of PHP-FPM');
    same(false, posix_getsid($flushers[0]) === posix_getsid($site->fpm_pid()), 'it has a session of its own');
    // The minute ends, and nobody visits.
    same([null, null], $database->sums('views'), 'nothing is stored within the minute');
    $site->set_clock(64);
    $site->wait_for(fn () => $database->sums('views')[0] !== null, 'a quiet minute is not stored');
    same([1600, 1600], $database->sums('views'), 'four seconds after its end the quiet minute is stored, with no further request');
    same(Site::START + 64, (int) $site->request('echo Counters::status()["sinks"][0]["last_flush"];'), 'at that time');
    // PHP-FPM goes and comes again on the same port, while the flusher stays.
    $site->stop();
    same($flushers, $site->flushers(), 'the flusher lives on when PHP-FPM stops');
    $site->start();
    same($flushers[0], (int) $site->request('Counters::add("views", null, 1); echo Counters::status()["flusher"]["pid"];'), 'PHP-FPM starts on the same port, and finds it');
    $site->reload();
    $site->request('Counters::add("views", null, 1);');
    same($flushers, $site->flushers(), 'it lives on through a reload');
    // Ended, it stores what is left, the running minute, too.
    $site->end_flushers();
    same([], $site->flushers(), 'it ends on SIGTERM');
    same([1602, 1602], $database->sums('views'), 'and stores what is left');
    // The next request has another one.
    $site->request('Counters::add("views", null, 1);');
    $site->wait_for(fn () => $site->flushers() !== [], 'no flusher takes its place');
    posix_kill($site->flushers()[0], SIGKILL);
    $site->wait_for(fn () => $site->flushers() === [], 'it is not killed');
    $site->set_clock(130);
    $site->request('Counters::add("views", null, 1);');
    $site->wait_for(fn () => $site->flushers() !== [], 'no flusher takes the place of a killed one');
    $site->wait_for(fn () => $database->sums('views')[0] === 1603, 'the minute of a killed flusher is not stored');
    same(1, count($site->flushers()), 'one again, which stores the minute of the killed one');
    same('', $site->log(), 'nothing logged');
});

test('Two pools with segments of their own', [
    'site' => [],
    'apart' => ['presence.segment' => '/dev/shm/presence-fpm-apart-' . getmypid(), 'presence.data_dir' => '/var/tmp/presence-fpm-apart-' . getmypid()],
], function (Site $site) {
    $apart = '/dev/shm/presence-fpm-apart-' . getmypid();
    try {
        $site->start();
        $site->request('Counters::add("views", null, 1);');
        $site->request('Counters::add("views", null, 10);', 'apart');
        $site->wait_for(fn () => $site->flushers() !== [] && $site->flushers($apart) !== [], 'not each segment has a flusher');
        same([1, 1], [count($site->flushers()), count($site->flushers($apart))], 'each has one flusher');
        same([], array_intersect($site->flushers(), $site->flushers($apart)), 'of its own');
        $site->set_clock(62);
        $total = 'echo json_encode([Counters::pending(), array_sum(array_column(Counters::read("views", 0), "total"))]);';
        $site->wait_for(fn () => $site->request($total) === '[[],1]' && $site->request($total, 'apart') === '[[],10]', 'not each is stored');
        same(true, true, 'each minute is stored where its pool says');
    } finally {
        $site->stop();
        $site->end_flushers($apart);
        exec('rm -rf ' . escapeshellarg($apart) . ' /var/tmp/presence-fpm-apart-' . getmypid());
    }
});
