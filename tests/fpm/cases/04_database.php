<?php
// A database that is stopped while requests run.
declare(strict_types=1);

foreach (['auto', 'request'] as $mode) {
    test("The database is stopped while requests run, presence.flusher=$mode", ['site' => ['presence.flusher' => $mode]], function (Site $site) {
        $database = $site->use_database();
        $site->start();
        $site->request('Counters::install();');
        $page = 'for ($i = 0; $i < 10; $i++) Counters::add("views", null, 1); (new Presence())->persist(mt_rand()); echo "ok";';
        $wrong = 0;
        $minute = 0;
        $visit = function (int $requests) use ($site, $page, &$wrong) {
            for ($i = 0; $i < $requests; $i += 4) {
                $running = array_map(fn () => $site->send($page), range(1, 4));
                foreach ($running as $request) {
                    $request->read();
                    $wrong += $request->body() === 'ok' ? 0 : 1;
                }
            }
        };
        $visit(20);
        $site->set_clock(60 * ++$minute + 2);
        $visit(20);
        $site->wait_for(fn () => $database->sums('views')[0] === 200, 'the first minute is not stored');
        Database::stop();
        for ($i = 0; $i < 4; $i++) {
            $site->set_clock(60 * ++$minute + 2);
            $visit(20);
        }
        same(0, $wrong, 'all requests were answered');
        $site->wait_for(fn () => $site->request('echo json_encode(str_contains((string) Counters::status()["sinks"][0]["last_error"], "connect"));') === 'true', 'status() does not tell');
        same('"open"', $site->request('echo json_encode(Counters::status()["sinks"][0]["breaker"]);'), 'status() tells');
        $database->start();
        $site->set_clock(60 * ++$minute + 2);
        $visit(20);
        $site->set_clock(60 * ++$minute + 32);
        $visit(4);
        // The end of a request that finds another one at work leaves its minute to the next, which may be any.
        $site->wait_for(fn () => $site->request('Counters::available();') === '' && $database->sums('views') === [1400, 1400], 'rows do not arrive after the restart');
        same([1400, 1400], $database->sums('views'), 'every row arrived, once');
        $site->wait_for(fn () => $site->request('$s = Counters::status(); echo json_encode([$s["sinks"][0]["breaker"], $s["flusher"]["batches_waiting"]]);') === '["closed",0]', 'something still waits');
        same(0, $wrong, 'all requests were answered');
    });
}
