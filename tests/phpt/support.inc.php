<?php
// What several tests share.

/** For tests that run out of memory on purpose: below valgrind PHP takes memory from malloc(), and knows no limit. */
function skip_without_memory_limit(): void
{
    if (getenv('USE_ZEND_ALLOC') === '0') {
        echo 'skip needs memory_limit, which only PHP\'s own allocator observes';
    }
}

/** For tests that start PHP some forty times: too slow where each start takes seconds, as below valgrind. */
function skip_if_slow(): void
{
    if (getenv('SKIP_SLOW_TESTS')) {
        echo 'skip slow: starts PHP some forty times';
    }
}

/** For tests that require clock.inc.php. */
function skip_without_clock(): void
{
    if (faketime_library() === null && getenv('PRESENCE_TEST_REQUIRE') === false) {
        echo 'skip needs the package faketime';
    }
}

function faketime_library(): ?string
{
    return glob('/usr/lib/*/faketime/libfaketime.so.1')[0] ?? null;
}

/** What starts PHP with the extension, with errors shown on its output. @param array<string, string> $ini */
function php_command(array $ini, bool $same_segment, string ...$arguments): array
{
    if ($same_segment) {
        $ini += ['presence.segment' => ini_get('presence.segment'), 'presence.data_dir' => ini_get('presence.data_dir')];
    }
    $command = [getenv('PRESENCE_TEST_PHP'), '-d', 'display_errors=stdout', '-d', 'log_errors=0', '-d', 'html_errors=0'];
    foreach ($ini as $name => $value) {
        array_push($command, '-d', "$name=\"$value\"");
    }
    return [...$command, ...$arguments];
}

/** This process's environment, for another PHP. */
function php_environment(): array
{
    $environment = getenv();
    // The interpreter of the tests is a shell script, which must not be what our libraries are loaded into.
    $environment['PRESENCE_TEST_PRELOAD'] = $environment['LD_PRELOAD'] ?? '';
    unset($environment['LD_PRELOAD']);
    return $environment;
}

/**
 * Runs PHP code in another PHP process with the extension, in a segment and data folder of its own, or in those of this
 * process. Returns what it printed, errors included. Does not wait for processes that it leaves behind, if those close
 * its output.
 *
 * @param array<string, string> $ini
 * @param int|null $exit_code is set to that of the process, -1 if a signal ended it
 */
function run_php(string $code, array $ini = [], bool $same_segment = false, ?int &$exit_code = null): string
{
    $command = php_command($ini, $same_segment, '-r', $code);
    $process = proc_open($command, [1 => ['pipe', 'w'], 2 => ['redirect', 1]], $pipes, null, php_environment());
    $printed = stream_get_contents($pipes[1]);
    $exit_code = proc_close($process);
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

/** Whether it comes true within ten seconds. For what another process does in its own time. */
function wait_for(callable $condition): bool
{
    for ($i = 0; $i < 1000; $i++) {
        if ($condition()) {
            return true;
        }
        usleep(10_000);
    }
    return false;
}

/** What the default sink holds: lines of "slot name argument total count minimum maximum", sorted. */
function stored_rows(?string $file = null): array
{
    $file ??= ini_get('presence.data_dir') . '/counters.sqlite';
    if (!file_exists($file)) {
        return [];
    }
    $pdo = new PDO("sqlite:$file");
    // Somebody may be creating it just now.
    if ($pdo->query("SELECT COUNT(*) FROM sqlite_master WHERE name = 'counter'")->fetchColumn() === 0) {
        return [];
    }
    $rows = $pdo->query('SELECT timeslot, name, argument, total, count, minimum, maximum FROM counter'
        . ' ORDER BY timeslot, name, argument', PDO::FETCH_NUM);
    return array_map(json_encode(...), $rows->fetchAll());
}

/** The processes, other than this one, that have this segment mapped. @return list<int> */
function users_of_segment(?string $segment = null): array
{
    clearstatcache();
    $inode = (int) @fileinode($segment ?? ini_get('presence.segment'));
    $pids = [];
    foreach (glob('/proc/[0-9]*/maps') as $maps) {
        $pid = (int) basename(dirname($maps));
        // By its inode: a segment had no name yet when the process that made it mapped it.
        if ($pid !== getmypid() && preg_match("/^\\S+ rw-s \\S+ \\S+ $inode /m", (string) @file_get_contents($maps))) {
            $pids[] = $pid;
        }
    }
    return $pids;
}
