<?php
declare(strict_types=1);

/*
 * Called by script/bench, beside the servers it started:
 *
 *   php benchmarks/run.php --extension=…/presence.so [--quick] [--only=TEXT] [--results=RESULTS.md]
 *
 * Measures each comparison in several rounds, ours and the peer by turns, prints a table and writes it to the file.
 */

require_once __DIR__ . '/Comparison.php';
require_once __DIR__ . '/PageSite.php';
require_once __DIR__ . '/Php.php';
require_once __DIR__ . '/Report.php';

set_error_handler(static function (int $level, string $message, string $file, int $line): bool {
    return (error_reporting() & $level) === 0 ? true : throw new ErrorException($message, 0, $level, $file, $line);
});

$options = getopt('', ['extension:', 'quick', 'only:', 'results:']);
$quick = isset($options['quick']);
$rounds = $quick ? 3 : 9;
$php = new Php($options['extension'], $quick ? 0.25 : 1.0);
$site = static function () use ($options): PageSite {
    static $site = null;
    return $site ??= new PageSite($options['extension']);
};
$all = (require __DIR__ . '/comparisons.php')($php, $site, $quick ? 1.0 : 3.0);
$chosen = array_values(array_filter($all, fn (Comparison $one): bool => stripos("$one->name, $one->peer_name", $options['only'] ?? '') !== false));
if ($chosen === []) {
    fwrite(STDERR, "nothing is called like that; there are:\n  " . implode("\n  ", array_map(fn (Comparison $one): string => $one->name, $all)) . "\n");
    exit(2);
}

$report = new Report(STDOUT);
$report->head();
foreach ($chosen as $comparison) {
    try {
        for ($i = 0; $i < $rounds; ++$i) {
            $comparison->round();
        }
    } catch (RuntimeException $failure) {
        $comparison->left_out = $failure->getMessage();
    }
    $report->row($comparison);
}
if (isset($options['results'])) {
    file_put_contents($options['results'], Report::markdown($chosen, $rounds, $quick));
}
$verdicts = array_count_values(array_map(fn (Comparison $one): string => $one->verdict(), $chosen)) + ['met' => 0, 'not met' => 0, 'left out' => 0];
printf("%d goals met, %d not met, %d comparisons left out\n", $verdicts['met'], $verdicts['not met'], $verdicts['left out']);
