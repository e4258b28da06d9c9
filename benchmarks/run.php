<?php
declare(strict_types=1);

/*
 * Called by script/bench, beside the servers it started:
 *
 *   php benchmarks/run.php --extension=…/presence.so [--quick] [--only=TEXT] [--output=FOLDER] [--readme=README.md]
 *
 * Measures each comparison in several rounds, ours and the peer by turns, and prints a table. Without --only it also measures
 * growth, a minute's end and memory. Writes RESULTS.md and its charts into the folder, and the results that matter most into the
 * marked place of the README.
 */

require_once __DIR__ . '/Bench.php';
require_once __DIR__ . '/Footprint.php';
require_once __DIR__ . '/Growth.php';
require_once __DIR__ . '/Report.php';

set_error_handler(static function (int $level, string $message, string $file, int $line): bool {
    return (error_reporting() & $level) === 0 ? true : throw new ErrorException($message, 0, $level, $file, $line);
});

/** What is said when a measurement cannot be made. */
function or_left_out(Closure $measure): mixed
{
    try {
        return $measure();
    } catch (RuntimeException | ErrorException $failure) {
        echo "left out: {$failure->getMessage()}\n";
        return null;
    }
}

$options = getopt('', ['extension:', 'quick', 'only:', 'output:', 'readme:']);
$quick = isset($options['quick']);
$only = $options['only'] ?? null;
$started = hrtime(true);
$seconds = $quick ? 0.1 : 0.4;
$bench = new Bench($options['extension'], new Php($options['extension'], $seconds), $seconds);
$sections = [
    'What was promised' => require __DIR__ . '/comparisons/goals.php',
    'Counters' => require __DIR__ . '/comparisons/counters.php',
    'Presence in memory' => require __DIR__ . '/comparisons/presence.php',
    'Presence in direct mode' => require __DIR__ . '/comparisons/servers.php',
];
$sections = array_map(static fn (Closure $section): array => $section($bench), $sections);
$chosen = array_filter(array_map(
    static fn (array $section): array => array_values(array_filter($section, static fn (Comparison $one): bool => $only === null || stripos("$one->name, beside $one->peer_name", $only) !== false)),
    $sections,
));
if ($chosen === []) {
    $names = array_map(static fn (Comparison $one): string => "$one->name, beside $one->peer_name", array_merge(...array_values($sections)));
    fwrite(STDERR, "nothing is called like that; there are:\n  " . implode("\n  ", $names) . "\n");
    exit(2);
}

$report = new Report($quick);
foreach ($chosen as $title => $section) {
    $report->begin($title);
    foreach ($section as $comparison) {
        $rounds = $comparison->has_goal() ? ($quick ? 3 : 9) : ($quick ? 1 : 5);
        try {
            for ($i = 0; $i < $rounds; ++$i) {
                $comparison->round();
            }
        } catch (RuntimeException $failure) {
            $comparison->left_out = $failure->getMessage();
        }
        $report->add($comparison);
    }
}
if ($only === null) {
    $report->growth(or_left_out(static fn (): array => Growth::measure($bench->php, 1)) ?? []);
    $footprint = new Footprint($options['extension']);
    try {
        $report->memory(or_left_out($footprint->measure(...)) ?? []);
        $report->minute_end($quick ? null : or_left_out($footprint->minute_end(...)));
    } finally {
        $footprint->close();
    }
}
if (isset($options['output'])) {
    $report->write($options['output']);
}
if (isset($options['readme'])) {
    $report->write_readme($options['readme']);
}
echo $report->verdict(), sprintf(" (%.0f s)\n", (hrtime(true) - $started) / 1e9);
