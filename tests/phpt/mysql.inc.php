<?php
// What tests on a real MySQL or MariaDB server share. The server is that of PRESENCE_TEST_MYSQL.

function skip_without_mysql(): void
{
    if (getenv('PRESENCE_TEST_MYSQL') === false && getenv('PRESENCE_TEST_REQUIRE') === false) {
        echo 'skip needs PRESENCE_TEST_MYSQL=mysql://user:password@host:port/database';
    }
}

/** @return array{string, string, string} PDO's DSN, user and password */
function mysql_credentials(string $more = '', ?string $database = null): array
{
    $url = parse_url(getenv('PRESENCE_TEST_MYSQL'));
    $database ??= trim($url['path'], '/');
    $dsn = "mysql:host={$url['host']};port={$url['port']};dbname=$database$more";
    return [$dsn, rawurldecode($url['user'] ?? ''), rawurldecode($url['pass'] ?? '')];
}

function mysql_pdo(array $options = [], string $more = '', ?string $database = null): PDO
{
    return new PDO(...[...mysql_credentials($more, $database), $options]);
}

/** Creates a database for this test alone, and returns its name. */
function mysql_database(PDO $pdo): string
{
    $name = 'presence_' . bin2hex(random_bytes(8));
    $pdo->exec("CREATE DATABASE $name");
    return $name;
}

/** The DSN of the extension for a database on the test server, with another port and password if wanted. */
function mysql_dsn(string $database, ?int $port = null, ?string $password = null): string
{
    $url = parse_url(getenv('PRESENCE_TEST_MYSQL'));
    return "mysql://{$url['user']}:" . ($password ?? $url['pass']) . "@{$url['host']}:" . ($port ?? $url['port']) . "/$database";
}

/** A port of this machine that nobody listens on. */
function free_port(): int
{
    $server = stream_socket_server('tcp://127.0.0.1:0');
    return (int) explode(':', stream_socket_get_name($server, false))[1];
}

/**
 * Starts a process that lets connections to the port through to the test server: the server is down for whoever uses that
 * port until this is called, and again once end_gateway() is. Returns its process id.
 */
function start_gateway(int $port): int
{
    $server = stream_socket_server("tcp://127.0.0.1:$port") ?: throw new RuntimeException("port $port is taken");
    $pid = pcntl_fork();
    if ($pid === 0) {
        serve_gateway($server);
    }
    return $pid;
}

/** @param resource $server */
function serve_gateway($server): never
{
    $url = parse_url(getenv('PRESENCE_TEST_MYSQL'));
    $pairs = [];  // Each connection's other end, by its id.
    while (true) {
        $read = [$server, ...array_column($pairs, 0)];
        $none = null;
        if (stream_select($read, $none, $none, null) === false) {
            continue;
        }
        foreach ($read as $from) {
            if ($from === $server) {
                $client = stream_socket_accept($server);
                $upstream = stream_socket_client("tcp://{$url['host']}:{$url['port']}");
                $pairs[(int) $client] = [$client, $upstream];
                $pairs[(int) $upstream] = [$upstream, $client];
                continue;
            }
            if (!is_resource($from)) {
                continue;  // Closed a moment ago, as the other end of one before it.
            }
            $to = $pairs[(int) $from][1];
            $bytes = fread($from, 65536);
            if ($bytes === '' || $bytes === false) {
                unset($pairs[(int) $from], $pairs[(int) $to]);
                fclose($from);
                fclose($to);
                continue;
            }
            for (; $bytes !== ''; $bytes = substr($bytes, $written)) {
                $written = fwrite($to, $bytes);
            }
        }
    }
}

function end_gateway(int $pid): void
{
    posix_kill($pid, SIGKILL);
    pcntl_waitpid($pid, $status);
}
