<?php
declare(strict_types=1);

require_once __DIR__ . '/../phpt/redis.inc.php';
require_once __DIR__ . '/Server.php';

/**
 * A Redis or Memcached of a test's own, on a loopback port that it keeps: it can be killed and started again, frozen, and
 * cut off from the network.
 */
final class StoreServer implements Server
{
    private const SECONDS = 20;

    /** @var resource|null */
    private mixed $process = null;
    private int $pid = 0;
    private bool $frozen = false;
    private readonly int $port;
    /** @var list<resource> connections that fill the server's queue while it is cut off */
    private array $queue = [];

    /**
     * @param 'redis'|'memcached' $kind
     * @param string $folder for its files; is made
     * @param bool $durable whether a Redis still has after a kill what it answered
     */
    public function __construct(private readonly string $kind, private readonly string $folder, private readonly bool $durable = false)
    {
        mkdir($folder);
        $socket = stream_socket_server('tcp://127.0.0.1:0');
        $this->port = (int) explode(':', stream_socket_get_name($socket, false))[1];
        fclose($socket);
        $this->restart();
    }

    /** @param string $options such as strategy=sets */
    public function dsn(string $options = ''): string
    {
        return "$this->kind://127.0.0.1:$this->port" . ($this->kind === 'redis' ? '/0' : '') . ($options === '' ? '' : "?$options");
    }

    public function restart(): void
    {
        $this->thaw();
        if ($this->process !== null) {
            return;
        }
        $log = ['file', "$this->folder/server.log", 'a'];
        $environment = array_diff_key(getenv(), ['LD_PRELOAD' => 1]);
        $this->process = proc_open($this->command_line(), [['file', '/dev/null', 'r'], $log, $log], $pipes, '/', $environment)
            ?: throw new RuntimeException("cannot start $this->kind");
        $this->pid = proc_get_status($this->process)['pid'];
    }

    public function await(): void
    {
        $this->restart();
        $deadline = hrtime(true) + self::SECONDS * 1_000_000_000;
        while (!$this->answers()) {
            if (hrtime(true) > $deadline || !proc_get_status($this->process)['running']) {
                throw new RuntimeException("$this->kind does not start: " . @file_get_contents("$this->folder/server.log"));
            }
            usleep(20_000);
        }
    }

    public function kill(): bool
    {
        if ($this->process === null) {
            return false;
        }
        posix_kill($this->pid, SIGKILL);
        proc_close($this->process);
        $this->process = null;
        $this->frozen = false;
        $this->queue = [];
        return true;
    }

    /** It answers nobody until thaw(); connections still come about. */
    public function freeze(): void
    {
        $this->frozen = posix_kill($this->pid, SIGSTOP);
    }

    /** Until thaw() it is as one whose network drops all packets: it answers nobody, and connections do not come about. */
    public function cut_off(): void
    {
        $this->freeze();
        // The kernel drops what wants to connect once the queue of those whom the server has not accepted is full.
        for ($full = 0; $full < 3;) {
            $socket = @stream_socket_client("tcp://127.0.0.1:$this->port", $code, $message, 0.1);
            $full = $socket === false ? $full + 1 : 0;
            $this->queue[] = $socket;
        }
    }

    public function thaw(): void
    {
        if ($this->frozen) {
            $this->queue = [];
            posix_kill($this->pid, SIGCONT);
            $this->frozen = false;
        }
    }

    /** @param list<string|int> $words of a command for Redis */
    public function redis(string|int ...$words): mixed
    {
        return redis_command(array_values($words), "$this->folder/sock");
    }

    /** Bytes that it received and sent so far, for all clients together. @return array{received: int, sent: int} */
    public function traffic(): array
    {
        $statistics = $this->kind === 'redis' ? (string) $this->redis('INFO', 'stats') : $this->memcached_statistics();
        preg_match('/(?:total_net_input_bytes:|STAT bytes_read )(\d+)/', $statistics, $received);
        preg_match('/(?:total_net_output_bytes:|STAT bytes_written )(\d+)/', $statistics, $sent);
        return ['received' => (int) $received[1], 'sent' => (int) $sent[1]];
    }

    /** How often each command was called on a Redis. @return array<string, int> */
    public function calls(): array
    {
        preg_match_all('/^cmdstat_([^:]+):calls=(\d+)/m', (string) $this->redis('INFO', 'commandstats'), $found);
        return array_map(intval(...), array_combine($found[1], $found[2]));
    }

    private function memcached_statistics(): string
    {
        $socket = stream_socket_client("tcp://127.0.0.1:$this->port", $code, $message, self::SECONDS);
        fwrite($socket, "stats\r\nquit\r\n");
        return stream_get_contents($socket);
    }

    private function answers(): bool
    {
        $socket = @stream_socket_client("tcp://127.0.0.1:$this->port", $code, $message, 1);
        if ($socket === false) {
            return false;
        }
        // Redis answers an error while it still reads its file.
        stream_set_timeout($socket, 1);
        fwrite($socket, $this->kind === 'redis' ? "PING\r\n" : "version\r\n");
        return preg_match('/^(\+PONG|VERSION)/', (string) fgets($socket)) === 1;
    }

    /** @return list<string> */
    private function command_line(): array
    {
        if ($this->kind === 'memcached') {
            return [self::program('memcached'), '-l', '127.0.0.1', '-p', (string) $this->port, '-m', '256', '-t', '2', '-c', '2048',
                '-b', '64', '-U', '0', ...(posix_geteuid() === 0 ? ['-u', 'root'] : [])];
        }
        $file = $this->durable ? ['--appendonly', 'yes', '--appendfsync', 'always'] : ['--appendonly', 'no'];
        return [self::program('redis-server'), '--port', (string) $this->port, '--bind', '127.0.0.1', '--tcp-backlog', '64',
            '--unixsocket', "$this->folder/sock", '--dir', $this->folder, '--save', '', ...$file];
    }

    private static function program(string $name): string
    {
        foreach (explode(':', getenv('PATH') . ':/usr/bin:/usr/sbin') as $folder) {
            if (is_executable("$folder/$name")) {
                return "$folder/$name";
            }
        }
        throw new RuntimeException("$name not found; on Debian: apt install $name");
    }
}
