<?php
declare(strict_types=1);

/** The counters' database, opened as any application would: for `sqlite:/path` and `mysql://user:password@host:port/name`. */
function counters_database(#[\SensitiveParameter] string $dsn): PDO
{
    if (str_starts_with($dsn, 'sqlite:')) {
        return new PDO($dsn);
    }
    $part = array_map(rawurldecode(...), array_map(strval(...), parse_url($dsn)));
    $place = "host={$part['host']};port=" . ($part['port'] ?? '3306');
    parse_str($part['query'] ?? '', $options);
    if (isset($options['socket'])) {
        $place = "unix_socket={$options['socket']}";
    }
    $name = substr($part['path'], 1);
    return new PDO("mysql:$place;dbname=$name;charset=utf8mb4", $part['user'] ?? null, $part['pass'] ?? null);
}
