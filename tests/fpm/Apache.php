<?php
declare(strict_types=1);

/**
 * An Apache with mod_php (prefork) in the folder, and with the segment, of a test's site: on a port of its own, with a
 * configuration of its own, and no service of the machine. Its only page is apache_page.php.
 */
final class Apache
{
    private const MODULES = '/usr/lib/apache2/modules';

    public readonly int $port;
    /** @var resource|null */
    private $server = null;
    private int $pid = 0;

    /** @param array<string, string> $ini @param int $max_requests that a child serves before another takes its place */
    public function __construct(private readonly Site $site, array $ini, int $max_requests)
    {
        $this->port = free_port();
        $ini += ['extension' => "$site->run/presence.so", 'presence.segment' => $site->segment, 'presence.data_dir' => "$site->run/data",
            'log_errors' => 'on', 'error_log' => "$site->run/data/php.log", 'display_errors' => '0'];
        $lines = array_map(fn (string $name, string $value) => "$name = \"$value\"", array_keys($ini), $ini);
        $this->write("$site->run/apache.ini.d/php.ini", implode("\n", $lines));
        $this->write("$site->run/htdocs/page.php", file_get_contents(__DIR__ . '/apache_page.php'));
        $modules = self::MODULES;
        $php = 'libphp' . PHP_MAJOR_VERSION . '.' . PHP_MINOR_VERSION . '.so';
        is_file("$modules/$php") || throw new RuntimeException("$modules/$php not found; on Debian: apt install libapache2-mod-php");
        $user = posix_geteuid() === 0 ? "User www-data\nGroup www-data" : '';
        $this->write("$site->run/apache.conf", <<<CONF
            ServerRoot $site->run
            ServerName localhost
            Listen 127.0.0.1:$this->port
            PidFile $site->run/apache.pid
            ErrorLog $site->run/apache.log
            LoadModule mpm_prefork_module $modules/mod_mpm_prefork.so
            LoadModule authz_core_module $modules/mod_authz_core.so
            LoadModule php_module $modules/$php
            PHPIniDir $site->run/apache.ini.d
            Mutex file:$site->run default
            $user
            StartServers 4
            MinSpareServers 4
            MaxSpareServers 4
            MaxRequestWorkers 16
            MaxConnectionsPerChild $max_requests
            DocumentRoot $site->run/htdocs
            <FilesMatch \.php$>
            SetHandler application/x-httpd-php
            </FilesMatch>
            CONF);
    }

    private function write(string $path, string $text): void
    {
        is_dir(dirname($path)) || mkdir(dirname($path), 0755);
        file_put_contents($path, "$text\n");
        chmod($path, 0644);
    }

    public function start(): void
    {
        $log = ['file', "{$this->site->run}/apache.out", 'a'];
        // It signals its whole process group, so it gets one of its own.
        $command = ['setsid', '/usr/sbin/apache2', '-D', 'FOREGROUND', '-f', "{$this->site->run}/apache.conf"];
        $this->server = proc_open($command, [['file', '/dev/null', 'r'], $log, $log], $pipes) ?: throw new RuntimeException('cannot start Apache');
        $this->pid = proc_get_status($this->server)['pid'];
        $this->site->wait_for(fn () => $this->answers(), "Apache does not answer:\n" . @file_get_contents("{$this->site->run}/apache.out"));
    }

    private function answers(): bool
    {
        try {
            return $this->get('') !== null;
        } catch (RuntimeException) {
            return false;
        }
    }

    /** What the page answers to this query; null if it failed. */
    public function get(string $query): ?array
    {
        return self::answer($this->send($query));
    }

    /** Sends a request and does not wait for the answer. @return resource */
    public function send(string $query)
    {
        $connection = @stream_socket_client("tcp://127.0.0.1:$this->port", $number, $message, 10);
        $connection !== false || throw new RuntimeException("cannot connect to Apache: $message");
        fwrite($connection, "GET /page.php?$query HTTP/1.0\r\nHost: localhost\r\n\r\n");
        return $connection;
    }

    /** The answer to such a request. @param resource $connection */
    public static function answer($connection): ?array
    {
        [$head, $body] = explode("\r\n\r\n", (string) stream_get_contents($connection), 2) + ['', ''];
        fclose($connection);
        return str_contains($head, ' 200 ') ? json_decode($body, true) : null;
    }

    /** @return list<int> */
    public function children(): array
    {
        $children = (string) @file_get_contents("/proc/$this->pid/task/$this->pid/children");
        return array_map(intval(...), preg_split('/ /', $children, -1, PREG_SPLIT_NO_EMPTY));
    }

    /** Replaces all children, each when its request has ended. Returns at once. */
    public function restart_gracefully(): void
    {
        posix_kill($this->pid, SIGUSR1);
    }

    public function pid(): int
    {
        return $this->pid;
    }

    public function stop(): void
    {
        if ($this->server === null) {
            return;
        }
        posix_kill($this->pid, SIGTERM);
        Site::comes_true(fn () => !proc_get_status($this->server)['running'], 15) || posix_kill($this->pid, SIGKILL);
        proc_close($this->server);
        $this->server = null;
    }

    /** What Apache and PHP complained about. */
    public function log(): string
    {
        $lines = preg_grep('/\[(?:[a-z_0-9]+:)?(?:warn|error|crit|alert|emerg)\]/', file("{$this->site->run}/apache.log") ?: []);
        return implode('', $lines) . $this->site->log();
    }
}
