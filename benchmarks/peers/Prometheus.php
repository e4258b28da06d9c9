<?php
declare(strict_types=1);

/** A counter of promphp/prometheus_client_php, with the least of its storages' work on a call. */
final class Prometheus
{
    /** `$storage`: apcng or redis, the server of PRESENCE_TEST_REDIS. */
    public static function counter(string $storage): \Prometheus\Counter
    {
        $folder = getenv('PRESENCE_BENCH_PROMETHEUS') ?: throw new RuntimeException('promphp/prometheus_client_php is not there');
        spl_autoload_register(static function (string $class) use ($folder): void {
            if (is_file($file = "$folder/src/" . strtr($class, '\\', '/') . '.php')) {
                require_once $file;
            }
        });
        if ($storage === 'apcng') {
            $adapter = new \Prometheus\Storage\APCng();
        } else {
            $server = parse_url(getenv('PRESENCE_TEST_REDIS'));
            $adapter = new \Prometheus\Storage\Redis(['host' => $server['host'], 'port' => $server['port'], 'persistent_connections' => true]);
        }
        $registry = new \Prometheus\CollectorRegistry($adapter, false);
        return $registry->getOrRegisterCounter('bench', 'payment_time', 'seconds', ['provider']);
    }
}
