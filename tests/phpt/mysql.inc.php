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
