<?php
// Several web servers on one Redis and one Memcached: what one records the others see, outages, short lives.
// Each web server is a pool of PHP-FPM with a segment, data folder and flusher of its own. Run by  script/servers .
//
//   php tests/servers/run.php --module=PATH/TO/presence.so [--only=WORD IN A TEST'S TITLE]
//
// The last line is `N passed, M failed`; the exit code is 1 if any failed.
declare(strict_types=1);

require_once __DIR__ . '/../fpm/harness.php';
require_once __DIR__ . '/StoreServer.php';

$options = getopt('', ['module:', 'only:']);
$module = $options['module'] ?? exit("usage: php run.php --module=PATH/TO/presence.so\n");
$only = $options['only'] ?? '';

/** The INI entries of a web server's own memory and files, by its name. @return array<string, string> */
function own_memory(string $name): array
{
    return ['presence.segment' => "{memory}/$name", 'presence.data_dir' => "{run}/data/$name", 'presence.timeout' => '5'];
}

/** The pools of web servers of these names. @return array<string, array<string, string>> */
function web_servers(string ...$names): array
{
    return array_combine($names, array_map(fn (string $name) => ['pm.max_children' => '2'] + own_memory($name), $names));
}

/** The store of a test, ended with it. `$durable`: see StoreServer. */
function with_store(Site $site, string $kind, callable $body, bool $durable = false): void
{
    $store = new StoreServer($kind, "$site->run/$kind" . bin2hex(random_bytes(3)), $durable);
    try {
        $store->await();
        $body($store);
    } finally {
        $store->kill();
    }
}

/** The median, a percentile and the maximum of some numbers, for people. @param list<float> $numbers */
function spread(array $numbers, string $unit, int $digits = 2): string
{
    sort($numbers);
    $at = fn (float $share): string => number_format($numbers[(int) floor($share * (count($numbers) - 1))], $digits);
    return sprintf('median %s, 95 %% %s, 99 %% %s, at most %s %s', $at(0.5), $at(0.95), $at(0.99), $at(1.0), $unit);
}

foreach (glob(__DIR__ . '/cases/*.php') as $case) {
    require $case;
}
closing_line();
