<?php
declare(strict_types=1);

require_once __DIR__ . '/Clock.php';

/** One process on the command line. */
final class CliProcess
{
    public bool $killed = false;
    public bool $stopped = false;

    /** @param resource $handle */
    public function __construct(
        public readonly mixed $handle,
        public readonly int $pid,
        public readonly string $role,
        public readonly float $end,
    ) {
    }

    public function running(): bool
    {
        return proc_get_status($this->handle)['running'];
    }
}

/** The processes under test, PHP-FPM and the command line, on one segment in folders of their own. */
final class Site
{
    public const FPM_WORKERS = 4;

    public readonly string $socket;
    private readonly string $notes;
    private readonly string $log;
    /** @var resource|null */
    private mixed $fpm = null;
    private int $fpmPid = 0;

    /**
     * @param string $folder for all files, empty
     * @param string $memory for the segment, in shared memory
     * @param string $scripts the folder of the worker.php and page.php that they run
     * @param array<string, string> $entries of php.ini, besides those of the folders
     * @param array<string, string> $environment of all processes, besides the clock
     */
    public function __construct(
        private readonly string $folder,
        private readonly string $memory,
        private readonly string $extension,
        private readonly string $scripts,
        private readonly array $entries,
        private readonly Clock $clock,
        private readonly array $environment,
    ) {
        $this->socket = "$folder/php-fpm.sock";
        $this->notes = "$folder/notes";
        $this->log = "$folder/php.log";
        mkdir($this->notes);
    }

    public function notes(): string
    {
        return $this->notes;
    }

    public function page(): string
    {
        return "$this->scripts/page.php";
    }

    public function segment(): string
    {
        return "$this->memory/segment";
    }

    public function spool(): string
    {
        return "$this->folder/data/spool";
    }

    /** What PHP, FPM and the extension complained about. */
    public function complaints(): string
    {
        return (string) @file_get_contents($this->log);
    }

    public function startFpm(string $binary): void
    {
        $user = posix_getuid() === 0 ? "user = root\ngroup = root\n" : '';
        $workers = self::FPM_WORKERS;
        file_put_contents("$this->folder/php-fpm.conf", <<<INI
            [global]
            error_log = $this->folder/php-fpm.log
            daemonize = no
            process_control_timeout = 5s
            [chaos]
            $user
            listen = $this->socket
            pm = static
            pm.max_children = $workers
            pm.max_requests = 100
            clear_env = no
            INI);
        $command = [$binary, '-n', '--nodaemonize', '--fpm-config', "$this->folder/php-fpm.conf", ...$this->settings()];
        $this->fpm = $this->open(posix_getuid() === 0 ? [...$command, '--allow-to-run-as-root'] : $command, false);
        $this->fpmPid = proc_get_status($this->fpm)['pid'];
        for ($tries = 0; !file_exists($this->socket); $tries++) {
            if ($tries > 100 || !proc_get_status($this->fpm)['running']) {
                $log = (string) @file_get_contents("$this->folder/php-fpm.log");
                throw new RuntimeException("PHP-FPM does not start: $log");
            }
            usleep(50_000);
        }
    }

    /** @return list<int> process ids of the workers as of now */
    public function fpmWorkers(): array
    {
        $children = (string) @file_get_contents("/proc/$this->fpmPid/task/$this->fpmPid/children");
        return array_map(intval(...), preg_split('/ +/', trim($children), flags: PREG_SPLIT_NO_EMPTY));
    }

    public function reloadFpm(): void
    {
        posix_kill($this->fpmPid, SIGUSR2);
    }

    /** Ends FPM; running requests finish first. False if it had to be killed. */
    public function stopFpm(): bool
    {
        posix_kill($this->fpmPid, SIGQUIT);
        for ($tries = 0; $tries < 150; $tries++) {
            if (!proc_get_status($this->fpm)['running']) {
                Clock::removeTraces($this->fpmPid);
                return true;
            }
            usleep(100_000);
        }
        array_map(static fn (int $pid): bool => posix_kill($pid, SIGKILL), [...$this->fpmWorkers(), $this->fpmPid]);
        return false;
    }

    public function startCli(string $role, float $seconds, int $seed, bool $lags): CliProcess
    {
        $arguments = ["$this->scripts/worker.php", $role, $this->notes, (string) $seconds, (string) $seed];
        $handle = $this->open([PHP_BINARY, '-n', ...$this->settings(), ...$arguments], $lags);
        return new CliProcess($handle, proc_get_status($handle)['pid'], $role, microtime(true) + $seconds);
    }

    /** Runs code in a process of its own, and returns what it printed as JSON. */
    public function ask(string $code): mixed
    {
        $script = "echo json_encode((static function () { $code })());";
        $handle = $this->open([PHP_BINARY, '-n', ...$this->settings(), '-r', $script], false, $pipes);
        $pid = proc_get_status($handle)['pid'];
        $answer = stream_get_contents($pipes[1]);
        proc_close($handle);
        Clock::removeTraces($pid);
        return json_decode($answer, true)
            ?? throw new RuntimeException("no answer to: $code\n$answer\n" . $this->complaints());
    }

    /** Whether the process is a flusher of this site's segment, and not another one that got its number. */
    public function isFlusher(int $pid): bool
    {
        return $pid > 0 && @file_get_contents("/proc/$pid/comm") === "presence: flush\n"
            && str_contains((string) @file_get_contents("/proc/$pid/maps"), $this->segment());
    }

    /** @return list<string> */
    private function settings(): array
    {
        $settings = [
            'extension' => $this->extension,
            'presence.segment' => $this->segment(),
            'presence.data_dir' => "$this->folder/data",
            'log_errors' => '1',
            'error_log' => $this->log,
            'display_errors' => '0',
        ] + $this->entries;
        $words = [];
        foreach ($settings as $name => $value) {
            array_push($words, '-d', "$name=\"$value\"");
        }
        return $words;
    }

    /**
     * @param list<string> $command
     * @return resource
     */
    private function open(array $command, bool $lags, ?array &$pipes = null): mixed
    {
        $environment = ['PATH' => getenv('PATH'), 'CHAOS_NOTES' => $this->notes]
            + $this->clock->environment($this->extension, $lags) + $this->environment;
        $log = ['file', $this->log, 'a'];
        $output = func_num_args() > 2 ? ['pipe', 'w'] : $log;
        $handle = proc_open($command, [['file', '/dev/null', 'r'], $output, $log], $pipes, '/', $environment);
        return $handle ?: throw new RuntimeException("cannot start $command[0]");
    }
}
