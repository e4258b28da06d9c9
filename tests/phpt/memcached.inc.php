<?php
// What tests on a real Memcached share. The server is that of PRESENCE_TEST_MEMCACHED.

function skip_without_memcached(): void
{
    if (getenv('PRESENCE_TEST_MEMCACHED') === false && getenv('PRESENCE_TEST_REQUIRE') === false) {
        echo 'skip needs PRESENCE_TEST_MEMCACHED=memcached://host:port';
    }
}

/** A store under a key of this test's own. */
function memcached_presence(string $options = '', array $more = []): Presence
{
    static $key;
    $key ??= 'test:' . bin2hex(random_bytes(8));
    $options = $options === '' ? '' : "?$options";
    // A busy test machine is slower than a page may be.
    return new Presence(getenv('PRESENCE_TEST_MEMCACHED') . $options, $more + ['mode' => 'direct', 'key' => $key, 'timeout' => 10]);
}

/** What any other client reads there: the line of flags and size, and the value. */
function memcached_get(string $key): ?string
{
    $socket = stream_socket_client(str_replace('memcached://', 'tcp://', getenv('PRESENCE_TEST_MEMCACHED')));
    fwrite($socket, "get $key\r\n");
    $line = fgets($socket);
    if ($line === "END\r\n") {
        return null;
    }
    [, , $flags, $size] = explode(' ', rtrim($line));
    return "$flags " . stream_get_contents($socket, (int) $size);
}
