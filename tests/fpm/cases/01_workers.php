<?php
// Many workers at once, those that come and go, and those that are killed.
declare(strict_types=1);

test('Workers that count and persist at once', ['site' => ['pm.max_children' => '8', 'presence.flusher' => 'request']], function (Site $site) {
    $database = $site->use_database();
    $site->start();
    $site->request('Counters::install();');
    $work = 'for ($i = 1; $i <= 500; $i++) { Counters::add("hot", null, 1); if ($i % 10 === 0) Counters::add("split", "worker NUMBER", $i); }
        $presence = new Presence(); $presence->persist("visitor NUMBER"); $presence->persist("everybody"); $presence->room("topic")->persist(NUMBER % 3); echo getmypid();';
    $pids = [];
    for ($wave = 0, $number = 0; $wave < 4; $wave++) {
        $requests = [];
        for ($i = 0; $i < 10; $i++, $number++) {
            $requests[] = $site->send(str_replace('NUMBER', (string) $number, $work));
        }
        foreach ($requests as $request) {
            $request->read();
            $pids[$request->body()] = $request->complete;
        }
    }
    same(true, count($pids) > 1 && !in_array(false, $pids, true), 'several workers answered, and all completely');
    same('[41,41,3]', $site->request('$p = new Presence(); echo json_encode([$p->count(), count($p->ids()), $p->room("topic")->count()]);'), 'visitors, before anything is stored');
    same('[20000,20000]', $site->request('$r = Counters::read("hot", 0)[0]; echo json_encode([$r["total"], $r["count"]]);'), 'the sum, before anything is stored');
    $site->set_clock(60);
    $site->request('Counters::add("next", null, 1);');
    $site->wait_for(fn () => $database->sums('hot')[0] !== null, 'the minute is not stored at the end of a request');
    same([20000, 20000], $database->sums('hot'), 'the sum in the database');
    same([40, 40, 12750, 10, 500, 50], $database->row("SELECT COUNT(*), COUNT(DISTINCT argument), MIN(total), MIN(minimum), MAX(maximum), MIN(count) FROM DB.counter WHERE name = 'split'"), 'each worker\'s own rows');
    same([Site::START, Site::START], $database->row("SELECT MIN(timeslot), MAX(timeslot) FROM DB.counter"), 'all in their minute');
    same('', $site->log(), 'nothing logged');
});

test('Workers that end after five requests each', ['site' => ['pm.max_requests' => '5', 'presence.flusher' => 'request']], function (Site $site) {
    $site->start();
    $pids = [];
    for ($i = 0; $i < 60; $i++) {
        $pids[$site->request('for ($i = 0; $i < 10; $i++) Counters::add("views", null, 1); (new Presence())->persist("v' . $i . '"); echo getmypid();')] = true;
    }
    same(true, count($pids) >= 10, 'many workers had their turn');
    same('[600,60]', $site->request('echo json_encode([Counters::read("views", 0)[0]["count"], (new Presence())->count()]);'), 'all that they did');
    same(true, json_decode($site->request('echo json_encode(Counters::status()["segment"]["processes_used"]);')) <= 8, 'the places of those who left are used again');
    same('', $site->log(), 'nothing logged');
});

test('Workers killed in the middle of requests', ['site' => ['presence.flusher' => 'request']], function (Site $site) {
    $database = $site->use_database();
    $site->start();
    $site->request('Counters::install();');
    $reported = $kills = $visitors = 0;
    foreach ([SIGKILL, SIGTERM, SIGKILL, SIGKILL, SIGTERM, SIGKILL, SIGKILL, SIGTERM] as $round => $signal) {
        // Says so after each add, so what it said is what returned. It would go on for long. Nothing of the request is left
        // unread, or the system would throw away what was said when the worker is killed.
        $victim = $site->send('echo getmypid(), "\n"; flush(); $presence = new Presence();
            for ($i = 0; $i < 1000000; $i++) { Counters::add("views", null, 1); $presence->persist("' . $round . ' " . ($i % 20)); echo "."; flush(); }', all_said: false);
        $others = [$site->send('for ($i = 0; $i < 2000; $i++) Counters::add("others", null, 1); echo "done";'), $site->send('for ($i = 0; $i < 2000; $i++) Counters::add("others", null, 1); echo "done";')];
        $victim->read(fn (FastCgi $request) => substr_count($request->body(), '.') > 100 + 37 * $round);
        posix_kill((int) $victim->body(), $signal);
        $victim->read();
        $reported += substr_count($victim->body(), '.');
        $kills++;
        $visitors += 20;
        foreach ($others as $other) {
            $other->read();
            same('done', $other->body(), 'the others go on after signal ' . $signal);
        }
    }
    $found = json_decode($site->request('echo json_encode([Counters::read("views", 0)[0]["count"], Counters::read("others", 0)[0]["count"], (new Presence())->count()]);'));
    same(true, $found[0] >= $reported && $found[0] <= $reported + $kills, "of what was reported ($reported) nothing is lost, and at most one add a kill is more ({$found[0]})");
    same([32000, $visitors], array_slice($found, 1), 'all of the others, and all visitors');
    $site->set_clock(60);
    same($found[0] + 1, (int) $site->request('Counters::add("views"); echo array_sum(array_column(Counters::read("views", 0), "count"));'), 'counting goes on in the next minute');
    $site->wait_for(fn () => $database->sums('others')[0] !== null, 'the minute is not stored');
    same([[$found[0], $found[0]], [32000, 32000]], [$database->sums('views'), $database->sums('others')], 'the same in the database');
});
