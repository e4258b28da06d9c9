<?php
// A host on which PHP may start no process.
declare(strict_types=1);

/** Forbids a site's workers to start processes, or allows it again: the limit of processes that their user may have. */
function allow_processes(Site $site, bool $allowed): void
{
    foreach ($site->workers() as $pid) {
        preg_match('/^Max processes +\S+ +(\S+)/m', file_get_contents("/proc/$pid/limits"), $most);
        $command = [...$site->as_user(), 'prlimit', '--pid', (string) $pid, '--nproc=' . ($allowed ? $most[1] : '0') . ':'];
        proc_close(proc_open($command, [], $pipes)) === 0 || throw new RuntimeException('prlimit failed');
    }
}

test('A host that forbids fork', ['site' => ['pm.max_children' => '2']], function (Site $site) {
    $database = $site->use_database();
    $site->start();
    allow_processes($site, false);
    $site->request('Counters::install();');
    for ($i = 0; $i < 20; $i++) {
        $site->request('Counters::add("views", null, 1); (new Presence())->persist(getmypid());');
    }
    same([], $site->flushers(), 'there is no flusher');
    $status = json_decode($site->request('echo json_encode(Counters::status());'), true);
    same([null, true, true], [$status['flusher']['pid'], $status['flusher']['fork_failures'] > 0, $status['series']['used'] > 0], 'status() says so');
    same([null, null], $database->sums('views'), 'nothing is stored within the minute');
    $site->set_clock(64);
    $site->request('echo 1;');
    $site->wait_for(fn () => $database->sums('views')[0] !== null, 'the minute is not stored');
    same([20, 20], $database->sums('views'), 'the end of the next request stores the minute');
    same([], $site->flushers(), 'by itself');
    // Allowed again, it is tried again, though not on each request.
    allow_processes($site, true);
    $site->set_clock(600);
    $site->request('Counters::add("views", null, 1);');
    $site->wait_for(fn () => $site->flushers() !== [], 'no flusher is started once it is allowed');
    same(1, count($site->flushers()), 'once it is allowed, there is one');
    $site->end_flushers();
    same([21, 21], $database->sums('views'), 'which stores the rest');
    same('', $site->log(), 'nothing logged');
});
