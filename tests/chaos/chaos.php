<?php
declare(strict_types=1);

// Many processes count while they, the flusher and the database are killed and the clock jumps; in the end the database
// must have what they wrote down. Started by script/chaos, which builds the extension and says what the options mean.

require __DIR__ . '/Run.php';

$options = getopt('', ['extension:', 'fpm:', 'seconds:', 'kills:', 'seed:', 'broken:', 'folder:', 'memory:']);
$seed = (int) $options['seed'];
$broken = $options['broken'] ?? '';
mt_srand($seed);
// A worker that dies while it is being written to.
pcntl_signal(SIGPIPE, SIG_IGN);

// The broken builds linger where it hurts, so that a short run is enough.
$environment = match ($broken) {
    '' => [],
    'nothing' => ['PRESENCE_LINGER' => getenv('PRESENCE_LINGER') ?: 'shared.total:50:300000'],
    'sealing' => ['PRESENCE_LINGER' => 'shared.total:50:300000', 'PRESENCE_BREAK' => 'sealing'],
    'ledger' => ['PRESENCE_LINGER' => 'send.answered:1:400000', 'PRESENCE_BREAK' => 'ledger'],
};

$folder = $options['folder'];
$server = getenv('PRESENCE_TEST_MYSQL');
$database = $server === false
    ? new SqliteDatabase("{$options['memory']}/counters.sqlite")
    : new MariaDbDatabase($server, (int) getenv('PRESENCE_TEST_MYSQL_PID'), "$folder/server.log");
pcntl_async_signals(true);
pcntl_signal(SIGTERM, static function () use ($database): never {
    $database->close();
    exit(143);
});
$clock = new Clock("$folder/clock");
$site = new Site($folder, $options['memory'], $options['extension'], $database->dsn(), $clock, $environment);
$kills = (int) $options['kills'];
$seconds = (float) $options['seconds'];
$flusherPercent = $broken === 'ledger' ? 90 : 30;
// A batch in the spool is somewhere between being sent and being removed.
$atWork = static fn (int $flusher): bool => glob($site->spool() . '/*.batch') !== [];
$secondsPerKill = ($seconds - 2.0) / max(1, $kills);
$trouble = new Trouble($site, $clock, $database, $atWork, $secondsPerKill, $kills, $flusherPercent);

$verdict = (new Run($site, $clock, $database, $trouble, $options['fpm'], $seconds, $kills))->run();
$database->close();
$verdict->print();
if ($verdict->failed > 0 && $site->complaints() !== '') {
    $lines = array_slice(explode("\n", rtrim($site->complaints())), -20);
    echo "what PHP wrote to its log:\n  ", implode("\n  ", $lines), "\n";
}
if ($broken === '' || $broken === 'nothing') {
    printf("%d passed, %d failed\n", $verdict->passed, $verdict->failed);
    exit($verdict->failed === 0 ? 0 : 1);
}
// What was broken on purpose must have shown.
printf("the broken %s was %s\n", $broken, $verdict->sumsDiffer ? 'noticed' : 'NOT noticed');
printf("%d passed, %d failed\n", (int) $verdict->sumsDiffer, (int) !$verdict->sumsDiffer);
exit($verdict->sumsDiffer ? 0 : 1);
