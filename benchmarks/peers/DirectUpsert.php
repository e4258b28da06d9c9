<?php
declare(strict_types=1);

/** Minute counters written to MySQL on each call, by one prepared upsert over a persistent connection. */
final class DirectUpsert
{
    private static PDOStatement $upsert;

    /** `$dsn`: mysql://user:password@host:port/database */
    public static function connect(string $dsn): void
    {
        $parts = parse_url($dsn);
        $database = ltrim($parts['path'], '/');
        $pdo = new PDO("mysql:host={$parts['host']};port={$parts['port']};dbname=$database;charset=utf8mb4", $parts['user'], $parts['pass'] ?? '', [
            PDO::ATTR_PERSISTENT => true,
            PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION,
            PDO::ATTR_EMULATE_PREPARES => false,
        ]);
        $pdo->exec('CREATE TABLE IF NOT EXISTS direct_upsert (hash CHAR(32) CHARACTER SET ascii PRIMARY KEY, name VARCHAR(64), argument VARCHAR(250),
            timeslot BIGINT, total DOUBLE, minimum DOUBLE, maximum DOUBLE, count BIGINT) ENGINE=InnoDB');
        self::$upsert = $pdo->prepare('INSERT INTO direct_upsert (hash, name, argument, timeslot, total, minimum, maximum, count) VALUES (?, ?, ?, ?, ?, ?, ?, 1)
            ON DUPLICATE KEY UPDATE total = total + VALUES(total), count = count + 1, minimum = LEAST(minimum, VALUES(minimum)), maximum = GREATEST(maximum, VALUES(maximum))');
    }

    public static function add(string $name, ?string $argument = null, float $value = 1.0): void
    {
        $slot = intdiv(time(), 60) * 60;
        $hash = substr(hash('sha256', $argument === null ? "$name:$slot" : "$name:$slot:$argument"), 0, 32);
        self::$upsert->execute([$hash, $name, $argument, $slot, $value, $value, $value]);
    }
}
