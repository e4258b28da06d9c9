<?php
// What outlives a reload and a restart of PHP-FPM, and who shares what with whom.
declare(strict_types=1);

test('A reload, a stop and a start of PHP-FPM', ['site' => ['presence.flusher' => 'off']], function (Site $site) {
    $site->start();
    $count = 'Counters::add("views", null, 1); (new Presence())->persist("v%d"); echo "ok";';
    $seen = 'echo json_encode([array_sum(array_column(Counters::pending(), "count")), (new Presence())->count(), Counters::available()]);';
    for ($i = 0; $i < 20; $i++) {
        $site->request(sprintf($count, $i));
    }
    $inode = fileinode($site->segment);
    $workers = $site->workers();
    $site->reload();
    same([], array_intersect($site->workers(), $workers), 'all workers are new after kill -USR2');
    same('[20,20,true]', $site->request($seen), 'counters and visitors after kill -USR2');
    for ($i = 20; $i < 40; $i++) {
        $site->request(sprintf($count, $i));
    }
    $site->stop();
    same([], $site->flushers(), 'no process is left');
    $site->start();
    same('[40,40,true]', $site->request($seen), 'after stop and start');
    $site->stop(SIGKILL);
    same('[40,40,true]', $site->cli($seen), 'on the command line, with PHP-FPM killed');
    clearstatcache();
    same($inode, fileinode($site->segment), 'it was one segment throughout');
    same('', $site->log(), 'nothing logged');
});

test('Requests that run while PHP-FPM is reloaded', ['site' => ['presence.flusher' => 'off']], function (Site $site) {
    $site->start();
    $running = array_map(fn () => $site->send('for ($i = 0; $i < 300; $i++) { Counters::add("views", null, 1); (new Presence())->persist($i); usleep(1000); } echo "done";'), range(1, 4));
    $running[0]->read(seconds: 0.1);
    $site->reload();
    foreach ($running as $request) {
        $request->read();
    }
    same(['done', 'done', 'done', 'done'], array_map(fn (FastCgi $request) => $request->body(), $running), 'they end as if nothing had happened');
    same('[1200,300]', $site->request('echo json_encode([array_sum(array_column(Counters::pending(), "count")), (new Presence())->count()]);'), 'and are counted to the end');
});

$own = sys_get_temp_dir() . '/presence-fpm-own.' . bin2hex(random_bytes(6));
test('Pools and the command line', [
    'site' => ['presence.flusher' => 'off'],
    'same' => ['presence.flusher' => 'off'],
    'keyed' => ['presence.flusher' => 'off', 'presence.key' => 'another'],
    'apart' => ['presence.flusher' => 'off', 'presence.segment' => "$own.segment", 'presence.data_dir' => "$own.data"],
], function (Site $site) use ($own) {
    $site->start();
    foreach (['site', 'same', 'keyed', 'apart'] as $pool) {
        $site->request("Counters::add('views', '$pool', 1); (new Presence())->persist('$pool');", $pool);
    }
    $site->cli("Counters::add('views', 'cli', 1); (new Presence())->persist('cli');", ['presence.flusher' => 'off']);
    $seen = '$a = array_column(Counters::pending(), "argument"); $i = (new Presence())->ids(); sort($a); sort($i); echo json_encode([$a, $i]);';
    $shared = ['cli', 'keyed', 'same', 'site'];
    same(json_encode([$shared, ['cli', 'same', 'site']]), $site->request($seen), 'two pools and the command line share the segment');
    same(json_encode([$shared, ['cli', 'same', 'site']]), $site->cli($seen, ['presence.flusher' => 'off']), 'seen from the command line');
    same(json_encode([$shared, ['keyed']]), $site->request($seen, 'keyed'), 'a pool with a key of its own has visitors of its own');
    same('[["apart"],["apart"]]', $site->request($seen, 'apart'), 'a pool with a segment of its own shares nothing');
    exec('rm -rf ' . escapeshellarg("$own.segment") . ' ' . escapeshellarg("$own.data"));
});

// What a request sets so stays for the later requests of its worker, which is PHP's doing: each one here has a new worker.
test('INI entries set by a request', ['site' => ['pm.max_children' => '1', 'pm.max_requests' => '1', 'presence.flusher' => 'off']], function (Site $site) {
    $site->start();
    $seen = 'Counters::add("views"); (new Presence())->persist("v"); echo json_encode([ini_get("presence.key"), ini_get("presence.window"), ini_get("presence.enabled"), (new Presence())->count(), Counters::available()]);';
    $set = fn (string $kind, string ...$entries) => $site->request($seen, 'site', [$kind => implode("\n", $entries)]);
    $normal = '["users:online","5","1",1,true]';
    same($normal, $site->request($seen), 'as configured');
    same('["mine","7","1",1,true]', $set('PHP_ADMIN_VALUE', 'presence.key=mine', 'presence.window=7'), 'PHP_ADMIN_VALUE changes what it names');
    same('["users:online","5","0",0,false]', $set('PHP_ADMIN_VALUE', 'presence.enabled=0'), 'switched off');
    same($normal, $set('PHP_ADMIN_VALUE', 'presence.window=nonsense', 'presence.key='), 'what is out of range is refused');
    same(2, preg_match_all('/presence\.(window|key) must be /', $site->log()), 'with one warning each');
    same('["users:online","5","1",1,true]', $set('PHP_ADMIN_VALUE', "presence.segment=$site->memory/second", "presence.data_dir=$site->run/data/second"), 'another segment');
    same(true, is_file("$site->memory/second"), 'which is made');
    same('["theirs","5","1",1,true]', $set('PHP_VALUE', 'presence.key=theirs'), 'PHP_VALUE does the same');
    same($normal, $site->request($seen), 'as configured again');
    same('5', $site->request('echo array_sum(array_column(Counters::pending(), "count"));'), 'what was counted in the first segment');
});

test('INI entries that one worker has differently in turn', ['site' => ['pm.max_children' => '1', 'presence.flusher' => 'off']], function (Site $site) {
    $site->start();
    foreach (['a', 'b', 'a', 'c', 'b'] as $number => $key) {
        $site->request("(new Presence())->persist('v$number'); Counters::add('views', '$key', 1);", 'site', ['PHP_ADMIN_VALUE' => "presence.key=$key\npresence.segment=$site->memory/$key"]);
    }
    foreach (['a' => '["v0","v2"]', 'b' => '["v1","v4"]', 'c' => '["v3"]'] as $key => $expected) {
        same($expected, $site->request('$i = (new Presence())->ids(); sort($i); echo json_encode($i);', 'site', ['PHP_ADMIN_VALUE' => "presence.key=$key\npresence.segment=$site->memory/$key"]), "visitors of $key");
        same(strlen($expected) > 8 ? '2' : '1', $site->request('echo array_sum(array_column(Counters::pending(), "count"));', 'site', ['PHP_ADMIN_VALUE' => "presence.segment=$site->memory/$key"]), "counters of $key");
    }
});
