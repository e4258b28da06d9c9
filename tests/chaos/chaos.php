<?php
declare(strict_types=1);

// Many processes count, or record visitors, while they, the flusher and the database or store are killed; in the end what
// they wrote down must be there. Started by script/chaos, which builds the extension and says what the options mean.

require __DIR__ . '/CounterRun.php';
require __DIR__ . '/VisitorRun.php';

$options = getopt('', ['extension:', 'fpm:', 'seconds:', 'kills:', 'seed:', 'broken:', 'folder:', 'memory:', 'store:']);
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
    'push' => ['PRESENCE_BREAK' => 'push'],
};

$plan = new Plan($options['folder'], $options['memory'], $options['extension'], $options['fpm'], (float) $options['seconds'],
    (int) $options['kills'], match (true) {
        $broken === 'ledger' => 90,
        isset($options['store']) => 60,
        default => 30,
    }, $environment, !in_array($broken, ['', 'nothing'], true));
$run = isset($options['store']) ? VisitorRun::of($plan, $options['store']) : CounterRun::of($plan);
pcntl_async_signals(true);
pcntl_signal(SIGTERM, static function () use ($run): never {
    $run->close();
    exit(143);
});

$verdict = $run->run();
$run->close();
$verdict->print();
$complaints = $run->complaints();
if ($verdict->failed > 0 && $complaints !== '') {
    $lines = array_slice(explode("\n", rtrim($complaints)), -20);
    echo "what PHP wrote to its log:\n  ", implode("\n  ", $lines), "\n";
}
if ($broken === '' || $broken === 'nothing') {
    printf("%d passed, %d failed\n", $verdict->passed, $verdict->failed);
    exit($verdict->failed === 0 ? 0 : 1);
}
// What was broken on purpose must have shown.
printf("the broken %s was %s\n", $broken, $verdict->differs ? 'noticed' : 'NOT noticed');
printf("%d passed, %d failed\n", (int) $verdict->differs, (int) !$verdict->differs);
exit($verdict->differs ? 0 : 1);
