<?php
// What the programs share that run cases on a Site: each case is a file that calls test() and, in it, same().
declare(strict_types=1);

require_once __DIR__ . '/Site.php';

$passed = $failed = 0;
$ended = false;
pcntl_async_signals(true);
foreach ([SIGTERM, SIGINT, SIGHUP] as $signal) {
    // Thrown out of whatever runs, so that the site under test is cleared away.
    pcntl_signal($signal, function (int $signal) {
        global $ended;
        $ended = true;
        throw new RuntimeException("ended by signal $signal");
    });
}

/** Notes whether two values are the same. */
function same(mixed $expected, mixed $found, string $what): void
{
    global $passed, $failed;
    $equal = $expected === $found;
    $equal ? $passed++ : $failed++;
    echo $equal ? '  ok    ' : '  FAIL  ', $what, $equal ? '' : ': expected ' . json_encode($expected) . ', found ' . json_encode($found), "\n";
}

/** Runs a test on a site of its own. @param array<string, array<string, string>> $pools */
function test(string $title, array $pools, callable $body, bool $moves_clock = true): void
{
    global $module, $only, $failed, $ended;
    if ($ended || ($only !== '' && !str_contains($title, $only))) {
        return;
    }
    echo "$title\n";
    $began = hrtime(true);
    $site = new Site($module, $pools, $moves_clock);
    try {
        $body($site);
    } catch (Throwable $e) {
        $failed++;
        echo '  FAIL  ', $e::class, ': ', $e->getMessage(), ' in line ', $e->getLine(), "\n", $site->log(), "\n";
    } finally {
        $site->close();
    }
    printf("  %.1f s\n", (hrtime(true) - $began) / 1e9);
}

/** A port that nobody uses now. */
function free_port(): int
{
    return (int) explode(':', stream_socket_get_name(stream_socket_server('tcp://127.0.0.1:0'), false))[1];
}

/** Says how it went; the exit code is 1 if anything failed or nothing passed. */
function closing_line(): never
{
    global $passed, $failed;
    echo "\n$passed passed, $failed failed\n";
    exit($failed === 0 && $passed > 0 ? 0 : 1);
}
