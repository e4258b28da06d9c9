<?php
declare(strict_types=1);

/** A database of this test's own on the MariaDB of PRESENCE_TEST_MYSQL, which can be stopped and started again. */
final class Database
{
    public readonly string $dsn;
    private readonly string $name;
    private PDO $pdo;
    /** @var resource|null A server that was started here, in the place of the first one. */
    private static $server = null;
    /** @var list<string> */
    private static array $command = [];
    private static int $pid = 0;

    public function __construct()
    {
        $this->name = 'presence_' . bin2hex(random_bytes(8));
        $url = self::url();
        $this->dsn = "mysql://{$url['user']}:{$url['pass']}@{$url['host']}:{$url['port']}/$this->name";
        $this->connect();
        $this->pdo->exec("CREATE DATABASE $this->name CHARACTER SET utf8mb4");
    }

    private static function url(): array
    {
        return parse_url(getenv('PRESENCE_TEST_MYSQL') ?: throw new RuntimeException('run this beside a database: script/with-mariadb …'));
    }

    private function connect(): void
    {
        $url = self::url();
        $this->pdo = new PDO("mysql:host={$url['host']};port={$url['port']}", $url['user'], $url['pass']);
    }

    /** The first row of a query, with DB in the place of the database's name. Whole numbers come as integers. */
    public function row(string $query): array
    {
        $row = $this->pdo->query(str_replace('DB', $this->name, $query))->fetch(PDO::FETCH_NUM);
        return array_map(fn ($value) => is_numeric($value) && (float) $value === floor((float) $value) ? (int) $value : $value, $row);
    }

    /** The sum of a counter's totals, and of its counts. @return array{float|int|null, float|int|null} */
    public function sums(string $name): array
    {
        return $this->row("SELECT SUM(total), SUM(count) FROM DB.counter WHERE name = '$name'");
    }

    /** Ends the server. */
    public static function stop(): void
    {
        if (self::$pid === 0) {
            self::$pid = (int) getenv('PRESENCE_TEST_MYSQL_PID');
            self::$command = explode("\0", rtrim(file_get_contents('/proc/' . self::$pid . '/cmdline'), "\0"));
        }
        posix_kill(self::$pid, SIGTERM);
        $gone = fn () => self::$server === null ? !file_exists('/proc/' . self::$pid . '/exe') || !@readlink('/proc/' . self::$pid . '/exe') : !proc_get_status(self::$server)['running'];
        Site::comes_true($gone, 30) || throw new RuntimeException('MariaDB does not end');
        if (self::$server !== null) {
            proc_close(self::$server);
            self::$server = null;
        }
    }

    /** Starts it again, with the same data and on the same port. */
    public function start(): void
    {
        $log = ['file', '/dev/null', 'a'];
        self::$server = proc_open(self::$command, [['file', '/dev/null', 'r'], $log, $log], $pipes);
        self::$pid = proc_get_status(self::$server)['pid'];
        Site::comes_true(function () {
            try {
                $this->connect();
                return true;
            } catch (PDOException) {
                return false;
            }
        }, 30) || throw new RuntimeException('MariaDB does not start again');
    }

    /** Ends the server if it was started here: whoever started the first one does not know it. */
    public static function close(): void
    {
        if (self::$server !== null) {
            self::stop();
        }
    }
}
