<?php
declare(strict_types=1);

/** What the measurements ran on. */
final class Machine
{
    private const VERSIONS = [
        'redis-server --version' => '/v=([\d.]+)/',
        'memcached -V' => '/([\d.]+)/',
        'mariadbd --version' => '/Ver ([\d.]+)/',
        'nginx -v' => '/([\d.]+)/',
        'gcc --version' => '/([\d.]+)$/m',
    ];

    /** Processor, system and versions, as one sentence or two. */
    public static function describe(): string
    {
        $cpu = preg_match('/^model name\s*:\s*(.*)$/m', (string) file_get_contents('/proc/cpuinfo'), $found) === 1 ? $found[1] : php_uname('m');
        $versions = ['PHP ' . PHP_VERSION];
        foreach (['apcu' => 'APCu', 'redis' => 'phpredis', 'memcached' => 'memcached extension'] as $extension => $name) {
            if (($version = phpversion($extension)) !== false) {
                $versions[] = "$name $version";
            }
        }
        foreach (self::VERSIONS as $command => $pattern) {
            if (preg_match($pattern, (string) shell_exec("PATH=\$PATH:/usr/sbin $command 2>&1"), $found) === 1) {
                $versions[] = strtok($command, ' ') . " $found[1]";
            }
        }
        return trim((string) shell_exec('nproc')) . " cores of $cpu, Linux " . php_uname('r') . '; ' . implode(', ', $versions) . getenv('PRESENCE_BENCH_PEERS') . '.';
    }
}
