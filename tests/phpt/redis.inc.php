<?php
// What the tests share that need a Redis server: the one of script/with-redis, or one of their own.

function skip_without_redis(): void
{
    if (getenv('PRESENCE_TEST_REDIS') === false && getenv('PRESENCE_TEST_REQUIRE') === false) {
        echo 'skip needs PRESENCE_TEST_REDIS: run it under script/with-redis';
    }
}

/** A key that no other test has. */
function redis_key(): string
{
    return 'phpt' . getmypid() . '.' . hrtime(true);
}

/** Says something to the shared server, or that of a Unix socket, and returns its answer. Not for nil in arrays. */
function redis_command(array $words, ?string $socket = null): mixed
{
    $server = stream_socket_client('unix://' . ($socket ?? getenv('PRESENCE_TEST_REDIS_SOCKET')));
    fwrite($server, '*' . count($words) . "\r\n" . implode('', array_map(fn ($word) => '$' . strlen($word) . "\r\n$word\r\n", $words)));
    return redis_answer($server);
}

/** @param resource $server */
function redis_answer($server): mixed
{
    $line = rtrim(fgets($server), "\r\n");
    $rest = substr($line, 1);
    return match ($line[0]) {
        '+' => $rest,
        '-' => throw new RuntimeException($rest),
        ':' => (int) $rest,
        '$' => $rest === '-1' ? null : substr(stream_get_contents($server, (int) $rest + 2), 0, -2),
        '*' => array_map(fn () => redis_answer($server), (int) $rest > 0 ? range(1, (int) $rest) : []),
    };
}

/** A server of the test's own on a Unix socket, killed at its end. @return array{string, int} socket and process id */
function start_redis(string ...$options): array
{
    $folder = dirname(ini_get('presence.segment')) . '/redis' . hrtime(true);
    mkdir($folder);
    // In a folder with another Debian there is that one's.
    $program = getenv('PRESENCE_TEST_REDIS_PROGRAM');
    $program = is_executable($program) ? $program : 'valkey-server';
    $process = proc_open(
        [$program, '--port', '0', '--unixsocket', "$folder/sock", '--dir', $folder, '--save', '', '--logfile', "$folder/log", ...$options],
        [],
        $pipes,
        null,
        array_diff_key(getenv(), ['LD_PRELOAD' => 1]),
    );
    $pid = proc_get_status($process)['pid'];
    $owner = getmypid();
    register_shutdown_function(function () use ($process, $owner) {
        if (getmypid() === $owner) {
            proc_terminate($process, 9);
        }
    });
    if (!wait_for(fn () => file_exists("$folder/sock") && @stream_socket_client("unix://$folder/sock"))) {
        echo "redis-server does not start\n";
    }
    return ["$folder/sock", $pid];
}
