<?php
declare(strict_types=1);

/** nginx and PHP-FPM on loopback, for measuring whole pages with wrk. All of it is gone after close(). */
final class PageSite
{
    private readonly string $run;
    private readonly string $memory;
    private int $port;
    /** @var list<resource> */
    private array $processes = [];

    public function __construct(private readonly string $module)
    {
        $this->run = sys_get_temp_dir() . '/presence-pages.' . getmypid();
        $this->memory = '/dev/shm/presence-pages.' . getmypid();
        mkdir("$this->run/data", 0755, true);
        mkdir($this->memory, 0700);
        copy($this->module, "$this->run/presence.so");
        copy(__DIR__ . '/pages/page.php', "$this->run/page.php");
        if (posix_geteuid() === 0) {
            chown("$this->run/data", 'www-data');
            chown($this->memory, 'www-data');
        }
        register_shutdown_function($this->close(...));
        $this->port = $this->free_port();
        $this->start();
    }

    private function free_port(): int
    {
        $server = stream_socket_server('tcp://127.0.0.1:0');
        $port = (int) explode(':', (string) stream_socket_get_name($server, false))[1];
        fclose($server);
        return $port;
    }

    private function start(): void
    {
        $root = posix_geteuid() === 0;
        file_put_contents("$this->run/fpm.conf", "[global]\ndaemonize = no\nerror_log = $this->run/fpm.log\n[site]\n"
            . ($root ? "user = www-data\ngroup = www-data\nlisten.owner = www-data\n" : '')
            . "listen = $this->run/fpm.sock\npm = static\npm.max_children = 2\n"
            . "php_admin_value[presence.segment] = $this->memory/segment\nphp_admin_value[presence.data_dir] = $this->run/data\n");
        file_put_contents("$this->run/nginx.conf", ($root ? "user www-data;\n" : '')
            . "daemon off;\nworker_processes 1;\npid $this->run/nginx.pid;\nerror_log $this->run/nginx.log crit;\nevents { worker_connections 256; }\n"
            . "http {\n  access_log off;\n  keepalive_requests 10000000;\n"
            . implode('', array_map(fn (string $kind): string => "  {$kind}_temp_path $this->run/$kind;\n", ['client_body', 'fastcgi', 'proxy', 'scgi', 'uwsgi']))
            . "  server {\n    listen 127.0.0.1:$this->port;\n    location / {\n      fastcgi_pass unix:$this->run/fpm.sock;\n"
            . "      fastcgi_param SCRIPT_FILENAME $this->run/page.php;\n      fastcgi_param QUERY_STRING \$query_string;\n      fastcgi_param REQUEST_METHOD GET;\n    }\n  }\n}\n");
        $log = ['file', "$this->run/out.log", 'a'];
        $fpm = '/usr/sbin/php-fpm' . PHP_MAJOR_VERSION . '.' . PHP_MINOR_VERSION;
        foreach ([[$fpm, '--nodaemonize', '--fpm-config', "$this->run/fpm.conf", '-d', "extension=$this->run/presence.so"], ['/usr/sbin/nginx', '-c', "$this->run/nginx.conf"]] as $command) {
            $this->processes[] = proc_open($command, [['file', '/dev/null', 'r'], $log, $log], $pipes) ?: throw new RuntimeException("cannot start $command[0]");
        }
        for ($i = 0; $i < 100; ++$i) {
            if (@file_get_contents($this->address(true)) !== false) {
                return;
            }
            usleep(100_000);
        }
        throw new RuntimeException('the site does not answer: ' . file_get_contents("$this->run/out.log"));
    }

    private function address(bool $presence): string
    {
        return "http://127.0.0.1:$this->port/" . ($presence ? '?presence' : '');
    }

    /** Pages per second, with presence or without. */
    public function rate(bool $presence, float $seconds): float
    {
        $output = (string) shell_exec('wrk -t1 -c4 -d' . max(1, (int) round($seconds)) . 's ' . escapeshellarg($this->address($presence)) . ' 2>&1');
        if (preg_match('/^Requests\/sec:\s+([\d.]+)/m', $output, $found) !== 1 || str_contains($output, 'Non-2xx')) {
            throw new RuntimeException("wrk: $output");
        }
        return (float) $found[1];
    }

    public function close(): void
    {
        foreach ($this->processes as $process) {
            proc_terminate($process, SIGTERM);
            proc_close($process);
        }
        $this->processes = [];
        // The flusher, which outlives the site by minutes; only what this site started has its own copy of the extension mapped.
        foreach (glob('/proc/[0-9]*/maps') ?: [] as $maps) {
            if (str_contains((string) @file_get_contents($maps), "$this->run/presence.so")) {
                posix_kill((int) basename(dirname($maps)), SIGTERM);
            }
        }
        exec('rm -rf ' . escapeshellarg($this->run) . ' ' . escapeshellarg($this->memory));
    }
}
