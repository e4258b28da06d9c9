<?php
// What several tests share.

/**
 * Runs PHP code in another PHP process with the extension, in a segment and data folder of its own, or in those of this
 * process. Returns what it printed, errors included.
 *
 * @param array<string, string> $ini
 */
function run_php(string $code, array $ini = [], bool $same_segment = false): string
{
    if ($same_segment) {
        $ini += ['presence.segment' => ini_get('presence.segment'), 'presence.data_dir' => ini_get('presence.data_dir')];
    }
    $command = [getenv('PRESENCE_TEST_PHP'), '-d', 'display_errors=stdout', '-d', 'log_errors=0', '-d', 'html_errors=0'];
    foreach ($ini as $name => $value) {
        array_push($command, '-d', "$name=\"$value\"");
    }
    array_push($command, '-r', $code);
    $process = proc_open($command, [1 => ['pipe', 'w'], 2 => ['redirect', 1]], $pipes);
    $printed = stream_get_contents($pipes[1]);
    proc_close($process);
    return $printed;
}

/** Calls, and prints the result or what was thrown. */
function attempt(callable $call): void
{
    try {
        echo json_encode($call()), "\n";
    } catch (Throwable $e) {
        echo $e::class, ': ', $e->getMessage(), "\n";
    }
}
