<?php
declare(strict_types=1);

require_once __DIR__ . '/../servers/Server.php';
require_once __DIR__ . '/Series.php';

/** Where the minutes are stored in the end. */
abstract class Database implements Server
{
    /** For presence.sink. */
    abstract public function dsn(): string;

    abstract public function connect(): PDO;

    public function kill(): bool
    {
        return false;
    }

    public function restart(): void
    {
    }

    public function await(): void
    {
    }

    /** Ends the server that restart() left. */
    public function close(): void
    {
    }

    /**
     * The sums over all minutes, by number of the series.
     *
     * @return array<int, array{count: int, total: float, minimum: float, maximum: float}>
     */
    public function sums(): array
    {
        $numbers = [];
        for ($number = 0; $number < Series::ALL; $number++) {
            $numbers[serialize(Series::key($number))] = $number;
        }
        $sums = [];
        $rows = $this->connect()->query('SELECT name, argument, SUM(count), SUM(total), MIN(minimum), MAX(maximum)
            FROM counter GROUP BY name, argument', PDO::FETCH_NUM);
        foreach ($rows as [$name, $argument, $count, $total, $minimum, $maximum]) {
            $number = $numbers[serialize([$name, $argument])]
                ?? throw new RuntimeException("the database has a series that nobody counted: $name $argument");
            $sums[$number] = ['count' => (int) $count, 'total' => (float) $total, 'minimum' => (float) $minimum,
                'maximum' => (float) $maximum];
        }
        return $sums;
    }

    /** Minutes that have rows. */
    public function minutes(): int
    {
        return (int) $this->connect()->query('SELECT COUNT(DISTINCT timeslot) FROM counter')->fetchColumn();
    }
}

final class SqliteDatabase extends Database
{
    public function __construct(private readonly string $file)
    {
    }

    public function dsn(): string
    {
        return "sqlite:$this->file";
    }

    public function connect(): PDO
    {
        return new PDO("sqlite:$this->file", options: [PDO::ATTR_TIMEOUT => 10]);
    }
}

/** The private server of script/with-mariadb, which is killed and started again with the same command line. */
final class MariaDbDatabase extends Database
{
    /** @var list<string> */
    private readonly array $command;
    /** @var resource|null of a server that was started here */
    private mixed $process = null;
    private bool $running = true;

    public function __construct(private readonly string $dsn, private int $pid, private readonly string $log)
    {
        $this->command = explode("\0", rtrim(file_get_contents("/proc/$pid/cmdline"), "\0"));
    }

    public function dsn(): string
    {
        return $this->dsn;
    }

    public function connect(): PDO
    {
        $url = parse_url($this->dsn);
        $dsn = "mysql:host={$url['host']};port={$url['port']};dbname=" . trim($url['path'], '/');
        return new PDO($dsn, $url['user'], $url['pass'], [PDO::ATTR_TIMEOUT => 5]);
    }

    public function kill(): bool
    {
        if (!$this->running || !posix_kill($this->pid, SIGKILL)) {
            return false;
        }
        $this->running = false;
        return true;
    }

    public function restart(): void
    {
        if ($this->running) {
            return;
        }
        if ($this->process !== null) {
            proc_close($this->process);
        }
        $log = ['file', $this->log, 'a'];
        $this->process = proc_open($this->command, [['file', '/dev/null', 'r'], $log, $log], $pipes);
        $this->pid = proc_get_status($this->process)['pid'];
        $this->running = true;
    }

    public function await(): void
    {
        $this->restart();
        for ($tries = 0; $tries < 300; $tries++) {
            try {
                $this->connect();
                return;
            } catch (PDOException) {
                usleep(100_000);
            }
        }
        throw new RuntimeException("the database server does not come back; see $this->log");
    }

    public function close(): void
    {
        if ($this->process !== null) {
            proc_terminate($this->process);
            proc_close($this->process);
        }
    }
}
