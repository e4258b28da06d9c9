<?php
declare(strict_types=1);

require_once __DIR__ . '/FastCgi.php';

/**
 * A PHP-FPM of a test's own: its master, pools, folders and clock. Started as root, its workers and cli() run as www-data.
 * All that it makes is gone after close().
 */
final class Site
{
    /** What the clock shows at set_clock(0): the start of a minute. */
    public const START = 1735689600;

    public readonly string $run;
    public readonly string $memory;
    /** The segment that the pools use unless they have another. */
    public readonly string $segment;
    private readonly ?string $user;
    /** @var resource|null */
    private $fpm = null;
    private int $fpm_pid = 0;
    /** @var list<int> Processes with memory and semaphores of libfaketime. */
    private array $clocked = [];

    /**
     * @param string $module path of presence.so
     * @param array<string, array<string, string>> $pools INI entries by pool; "listen" and those beginning with "pm" are FPM's;
     *     {memory} and {run} in a value stand for the site's folders
     * @param bool $moves_clock whether set_clock() is wanted; time stands still then
     */
    public function __construct(string $module, private array $pools = ['site' => []], private readonly bool $moves_clock = false)
    {
        $this->user = posix_geteuid() === 0 ? 'www-data' : null;
        $this->run = $this->make_folder(sys_get_temp_dir(), 0755);
        $this->memory = $this->make_folder('/dev/shm', 0700);
        $this->segment = "$this->memory/segment";
        mkdir("$this->run/data", 0700);
        if ($this->user !== null) {
            chown("$this->run/data", $this->user);
            chown($this->memory, $this->user);
        }
        copy($module, "$this->run/presence.so");
        copy(__DIR__ . '/page.php', "$this->run/page.php");
        chmod("$this->run/presence.so", 0755);
        chmod("$this->run/page.php", 0644);
        $this->set_clock(0);
    }

    private function make_folder(string $parent, int $mode): string
    {
        $path = "$parent/presence-fpm." . bin2hex(random_bytes(6));
        mkdir($path, $mode);
        chmod($path, $mode);
        return $path;
    }

    /** Ahead of start(): all pools write into a new database on the test's server. */
    public function use_database(): Database
    {
        $database = new Database();
        foreach (array_keys($this->pools) as $pool) {
            $this->pools[$pool]['presence.sink'] = $database->dsn;
        }
        return $database;
    }

    public function start(): void
    {
        $this->write_configuration();
        // A reload starts the very same command line again.
        $command = [...$this->with_clock(), self::program(), '--nodaemonize', '--fpm-config', "$this->run/fpm.conf", '-d', "extension=$this->run/presence.so"];
        $log = ['file', "$this->run/fpm.out", 'a'];
        $this->fpm = proc_open($command, [['file', '/dev/null', 'r'], $log, $log], $pipes) ?: throw new RuntimeException('cannot start PHP-FPM');
        $this->fpm_pid = proc_get_status($this->fpm)['pid'];
        $this->clocked[] = $this->fpm_pid;
        foreach (array_keys($this->pools) as $pool) {
            $this->wait_for(fn () => $this->answers($pool), "PHP-FPM does not answer:\n" . @file_get_contents("$this->run/fpm.out"));
        }
    }

    private static function program(): string
    {
        $version = PHP_MAJOR_VERSION . '.' . PHP_MINOR_VERSION;
        foreach (["/usr/sbin/php-fpm$version", '/usr/sbin/php-fpm', dirname(PHP_BINARY, 2) . '/sbin/php-fpm'] as $program) {
            if (is_executable($program)) {
                return $program;
            }
        }
        throw new RuntimeException("php-fpm $version not found; on Debian: apt install php$version-fpm");
    }

    private function write_configuration(): void
    {
        $text = "[global]\nerror_log = $this->run/fpm.log\ndaemonize = no\nprocess_control_timeout = 5s\n";
        foreach ($this->pools as $pool => $entries) {
            $entries += ['listen' => "$this->run/$pool.sock", 'pm' => 'static', 'pm.max_children' => '4', 'presence.segment' => $this->segment,
                'presence.data_dir' => "$this->run/data", 'log_errors' => 'on', 'error_log' => "$this->run/data/php.log", 'display_errors' => '0', 'output_buffering' => '0'];
            $text .= "[$pool]\nclear_env = no\ncatch_workers_output = yes\n";
            $text .= $this->user === null ? '' : "user = $this->user\ngroup = $this->user\nlisten.owner = $this->user\n";
            foreach ($this->with_folders($entries) as $name => $value) {
                $text .= $name === 'listen' || str_starts_with($name, 'pm') ? "$name = $value\n" : "php_admin_value[$name] = \"$value\"\n";
            }
        }
        file_put_contents("$this->run/fpm.conf", $text);
        chmod("$this->run/fpm.conf", 0600);
    }

    /** @param array<string, string> $ini @return array<string, string> */
    private function with_folders(array $ini): array
    {
        return array_map(fn (string $value): string => strtr($value, ['{memory}' => $this->memory, '{run}' => $this->run]), $ini);
    }

    /** @return list<string> */
    private function with_clock(): array
    {
        if (!$this->moves_clock) {
            return [];
        }
        $library = glob('/usr/lib/*/faketime/libfaketime.so.1')[0] ?? throw new RuntimeException('the package faketime is needed');
        // PHP up to 8.3 opens extensions so that they look up the clock in the C library first (RTLD_DEEPBIND); one that is
        // loaded before PHP starts does not.
        return ['env', "LD_PRELOAD=$library $this->run/presence.so", "FAKETIME_TIMESTAMP_FILE=$this->run/clock", 'FAKETIME_FMT=%s',
            'FAKETIME_NO_CACHE=1', 'FAKETIME_DONT_FAKE_MONOTONIC=1', 'NO_FAKE_STAT=1'];
    }

    /** Time is now so many seconds after START, for all processes of the site. */
    public function set_clock(int $seconds): void
    {
        file_put_contents("$this->run/clock.new", (string) (self::START + $seconds));
        chmod("$this->run/clock.new", 0644);
        rename("$this->run/clock.new", "$this->run/clock");
    }

    private function answers(string $pool): bool
    {
        try {
            return $this->request('echo 1;', $pool) === '1';
        } catch (RuntimeException) {
            return false;
        }
    }

    /** Sends a request that runs this code. @param array<string, string> $params */
    public function send(string $code, string $pool = 'site', array $params = [], bool $all_said = true): FastCgi
    {
        $listen = $this->pools[$pool]['listen'] ?? "$this->run/$pool.sock";
        return new FastCgi(str_starts_with($listen, '/') ? "unix://$listen" : "tcp://$listen", $params + [
            'SCRIPT_FILENAME' => "$this->run/page.php", 'REQUEST_METHOD' => 'GET', 'TEST_CODE' => $code, 'SERVER_PROTOCOL' => 'HTTP/1.1',
        ], $all_said);
    }

    /** The body of the answer to such a request. @param array<string, string> $params */
    public function request(string $code, string $pool = 'site', array $params = []): string
    {
        $request = $this->send($code, $pool, $params);
        $request->read();
        if (!$request->complete) {
            throw new RuntimeException('the request did not end: ' . $request->body());
        }
        return $request->body();
    }

    /** What this code prints on the command line, as the site's user and with the settings of a pool. @param array<string, string> $ini */
    public function cli(string $code, array $ini = []): string
    {
        $output = [['file', '/dev/null', 'r'], ['pipe', 'w'], ['file', "$this->run/cli.err", 'a']];
        $process = proc_open($this->cli_command(['-r', $code], $ini), $output, $pipes);
        $this->clocked[] = proc_get_status($process)['pid'];
        $printed = stream_get_contents($pipes[1]);
        proc_close($process);
        return $printed;
    }

    /** Notes a process that was started with cli_command(), to clean up after. */
    public function note(int $pid): void
    {
        $this->clocked[] = $pid;
    }

    /** What starts PHP on the command line as cli() does. @param list<string> $arguments @param array<string, string> $ini */
    public function cli_command(array $arguments, array $ini = []): array
    {
        $ini += ['presence.segment' => $this->segment, 'presence.data_dir' => "$this->run/data", 'display_errors' => 'stderr', 'html_errors' => '0'];
        $command = [...$this->as_user(), ...$this->with_clock(), PHP_BINARY, '-d', "extension=$this->run/presence.so"];
        foreach ($this->with_folders($ini) as $name => $value) {
            array_push($command, '-d', "$name=\"$value\"");
        }
        return [...$command, ...$arguments];
    }

    /**
     * Runs PHP's own web server with two workers for as long as the body runs, which is given what gets a path from it.
     *
     * @param array<string, string> $ini
     * @param callable(Closure(string): (string|false)): void $body
     */
    public function with_builtin_server(string $router, array $ini, callable $body): void
    {
        $port = free_port();
        $log = ['file', "$this->run/server.out", 'a'];
        $command = $this->cli_command(['-S', "127.0.0.1:$port", $router], $ini);
        $server = proc_open($command, [['file', '/dev/null', 'r'], $log, $log], $pipes, null, ['PHP_CLI_SERVER_WORKERS' => '2'] + getenv());
        $pid = proc_get_status($server)['pid'];
        $this->note($pid);
        try {
            $get = fn (string $path): string|false => @file_get_contents("http://127.0.0.1:$port$path");
            $this->wait_for(fn () => $get('/start') !== false, 'php -S does not start');
            $body($get);
        } finally {
            foreach (array_map(intval(...), explode(' ', (string) @file_get_contents("/proc/$pid/task/$pid/children"))) as $worker) {
                $worker > 0 && posix_kill($worker, SIGTERM);
            }
            posix_kill($pid, SIGTERM);
            proc_close($server);
        }
    }

    /** @return list<string> */
    public function as_user(): array
    {
        return $this->user === null ? [] : ['setpriv', "--reuid=$this->user", "--regid=$this->user", '--clear-groups', '--'];
    }

    public function fpm_pid(): int
    {
        return $this->fpm_pid;
    }

    /** Replaces master and workers by new ones, and waits until the new ones answer. */
    public function reload(): void
    {
        $old = $this->workers();
        posix_kill($this->fpm_pid, SIGUSR2);
        $this->wait_for(fn () => array_intersect($this->workers(), $old) === [], 'the old workers do not go');
        foreach (array_keys($this->pools) as $pool) {
            $this->wait_for(fn () => $this->answers($pool), 'PHP-FPM does not answer after a reload');
        }
    }

    /** @return list<int> */
    public function workers(): array
    {
        $children = (string) @file_get_contents("/proc/$this->fpm_pid/task/$this->fpm_pid/children");
        return array_map(intval(...), preg_split('/ /', $children, -1, PREG_SPLIT_NO_EMPTY));
    }

    public function stop(int $signal = SIGQUIT): void
    {
        if ($this->fpm === null) {
            return;
        }
        // A killed master leaves its workers behind.
        $workers = $signal === SIGKILL ? $this->workers() : [];
        posix_kill($this->fpm_pid, $signal);
        array_map(fn (int $pid) => posix_kill($pid, SIGKILL), $workers);
        $ended = fn () => !proc_get_status($this->fpm)['running'];
        if (!self::comes_true($ended, 15)) {
            posix_kill($this->fpm_pid, SIGKILL);
            self::comes_true($ended, 5);
        }
        proc_close($this->fpm);
        $this->fpm = null;
    }

    /** The processes that have a segment of this site mapped and are none of FPM's. @return list<int> */
    public function flushers(?string $segment = null): array
    {
        clearstatcache();
        $inode = @fileinode($segment ?? $this->segment);
        $pids = [];
        foreach ($inode === false ? [] : glob('/proc/[0-9]*/comm') as $comm) {
            $folder = dirname($comm);
            if (@file_get_contents($comm) === "presence: flush\n" && preg_match("/^\S+ rw-s \S+ \S+ $inode /m", (string) @file_get_contents("$folder/maps"))) {
                $pids[] = (int) basename($folder);
            }
        }
        return $pids;
    }

    /** Ends the flusher of a segment as an administrator would, and waits until it is gone. */
    public function end_flushers(?string $segment = null): void
    {
        $pids = $this->flushers($segment);
        array_map(fn (int $pid) => posix_kill($pid, SIGTERM), $pids);
        if (!self::comes_true(fn () => array_filter($pids, fn (int $pid) => posix_kill($pid, 0)) === [], 15)) {
            array_map(fn (int $pid) => posix_kill($pid, SIGKILL), $pids);
        }
    }

    public function close(): void
    {
        $this->stop(SIGTERM);
        foreach (glob("$this->memory/*") as $segment) {
            $this->end_flushers($segment);
        }
        foreach ($this->clocked as $pid) {
            array_map(unlink(...), glob("/dev/shm/{sem.faketime_sem,faketime_shm}_$pid", GLOB_BRACE));
        }
        foreach ([$this->run, $this->memory] as $folder) {
            exec('rm -rf ' . escapeshellarg($folder));
        }
    }

    /** What PHP wrote into its logs: warnings, and what killed it. */
    public function log(): string
    {
        return @file_get_contents("$this->run/data/php.log") . @file_get_contents("$this->run/cli.err");
    }

    public function wait_for(callable $condition, string $else, int $seconds = 20): void
    {
        self::comes_true($condition, $seconds) || throw new RuntimeException($else);
    }

    public static function comes_true(callable $condition, int $seconds): bool
    {
        $deadline = hrtime(true) + $seconds * 1_000_000_000;
        while (!$condition()) {
            if (hrtime(true) > $deadline) {
                return false;
            }
            usleep(20_000);
        }
        return true;
    }
}
