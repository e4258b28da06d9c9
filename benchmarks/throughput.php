<?php
// How many adds a second processes make together, and how soon a quiet minute is stored:
//
//   script/with-mariadb php benchmarks/throughput.php PATH/TO/presence.so [MINUTES [SECONDS]]
//
// Prints the adds per second on one key by 1, 2 and 64 processes, measured for SECONDS (3) each; and for so many MINUTES (3; 0:
// none) of the real clock, how long after its end the minute was in SQLite and, if PRESENCE_TEST_MYSQL is set, in MariaDB.
// Nobody visits meanwhile, so it is the flusher that stores them. Nothing is judged, save that all that was added is there.
// On a machine that has other work the numbers mean little.
declare(strict_types=1);

/** A site of its own in a folder: a segment, a data folder, a database. */
final class BenchmarkSite
{
    /** @var list<string> */
    private readonly array $php;

    public function __construct(string $module, public readonly string $folder, public readonly string $dsn)
    {
        mkdir($folder);
        $this->php = [PHP_BINARY, '-d', "extension=$module", '-d', "presence.segment=$folder/segment", '-d', "presence.data_dir=$folder/data", '-d', "presence.sink=\"$dsn\""];
        $this->run('Counters::install();');
    }

    /** Starts PHP with these arguments; its output can be read from the pipe. @return array{resource, resource} process and pipe */
    public function start(string ...$arguments): array
    {
        $process = proc_open([...$this->php, ...$arguments], [['file', '/dev/null', 'r'], ['pipe', 'w'], ['file', "$this->folder/errors", 'a']], $pipes);
        return [$process ?: throw new RuntimeException('cannot start PHP'), $pipes[1]];
    }

    /** What a process that start() gave prints to its end. */
    public static function finish(array $started): string
    {
        $printed = stream_get_contents($started[1]);
        proc_close($started[0]) === 0 || throw new RuntimeException("PHP failed: $printed");
        return $printed;
    }

    public function run(string $code): string
    {
        return self::finish($this->start('-r', $code));
    }

    public function close(): void
    {
        $flusher = json_decode($this->run('echo json_encode(Counters::status()["flusher"]["pid"]);'));
        if ($flusher !== null) {
            posix_kill($flusher, SIGTERM);
        }
    }
}

/** Adds per second that processes make together on one key, and whether all were there afterwards. @return array{float, bool} */
function adds_per_second(BenchmarkSite $site, int $processes, float $seconds): array
{
    // All begin at one time, which they are told when the slowest has come up.
    $go = "$site->folder/go-$processes";
    $code = sprintf('Counters::add("warm"); echo "ready\n"; while (!is_file("%1$s")) { usleep(1000); clearstatcache(); }
        $begin = (float) file_get_contents("%1$s"); while (microtime(true) < $begin) usleep(1000); $n = 0;
        do { for ($i = 0; $i < 1000; $i++) Counters::add("hot", "%2$d", 1); $n += 1000; $now = microtime(true); } while ($now < $begin + %3$F);
        echo json_encode([$n, $n / ($now - $begin)]);', $go, $processes, $seconds);
    $running = array_map(fn () => $site->start('-r', $code), range(1, $processes));
    array_map(fn (array $started) => fgets($started[1]), $running);
    file_put_contents("$go.new", sprintf('%.6F', microtime(true) + 0.2));
    rename("$go.new", $go);
    $results = array_map(fn (array $started) => json_decode(BenchmarkSite::finish($started)), $running);
    $stored = (int) $site->run("echo array_sum(array_column(Counters::read('hot', 0, argument: '$processes'), 'count'));");
    return [array_sum(array_column($results, 1)), $stored === array_sum(array_column($results, 0))];
}

/**
 * Seconds from the ends of minutes until their rows were in the database.
 *
 * @param callable(int): bool $stored whether the row of a slot is there
 * @return list<float>
 */
function seconds_until_stored(BenchmarkSite $site, int $minutes, callable $stored): array
{
    // Under `php -S` a flusher is started; a short script on the command line would store what it counted by itself.
    $port = explode(':', stream_socket_get_name(stream_socket_server('tcp://127.0.0.1:0'), false))[1];
    file_put_contents("$site->folder/page.php", '<?php Counters::add("quiet", null, 1); echo Counters::slot();');
    [$server] = $site->start('-S', "127.0.0.1:$port", "$site->folder/page.php");
    $seconds = [];
    try {
        while (count($seconds) < $minutes) {
            $this_second = time() % 60;
            sleep($this_second < 50 ? 50 - $this_second : 110 - $this_second);  // Near the minute's end, for there is nothing to see before.
            $slot = (int) file_get_contents("http://127.0.0.1:$port/");
            while (!$stored($slot)) {
                microtime(true) < $slot + 180 || throw new RuntimeException('two minutes later the minute is not stored');
                usleep(5000);
            }
            $seconds[] = microtime(true) - $slot - 60;
        }
    } finally {
        proc_terminate($server);
        proc_close($server);
    }
    return $seconds;
}

/** Whether a database holds the row of a slot. @return callable(int): bool */
function looks_for_rows(string $dsn): callable
{
    $url = parse_url($dsn);
    $pdo = $url['scheme'] === 'sqlite' ? new PDO($dsn)
        : new PDO("mysql:host={$url['host']};port={$url['port']};dbname=" . ltrim($url['path'], '/'), $url['user'], $url['pass']);
    $rows = $pdo->prepare("SELECT COUNT(*) FROM counter WHERE name = 'quiet' AND timeslot = ?");
    return function (int $slot) use ($rows): bool {
        $rows->execute([$slot]);
        return (int) $rows->fetchColumn() === 1;
    };
}

$module = realpath($argv[1] ?? '') ?: exit("usage: php throughput.php PATH/TO/presence.so [MINUTES [SECONDS]]\n");
[$minutes, $seconds] = [(int) ($argv[2] ?? 3), (float) ($argv[3] ?? 3)];
$folder = (is_writable('/dev/shm') ? '/dev/shm' : sys_get_temp_dir()) . '/presence-benchmark.' . bin2hex(random_bytes(6));
mkdir($folder, 0700);
$complete = true;
$sites = [];
try {
    $sites[] = $site = new BenchmarkSite($module, "$folder/adds", "sqlite:$folder/adds.sqlite");
    foreach ([1, 2, 64] as $processes) {
        [$rate, $all] = adds_per_second($site, $processes, $seconds);
        $complete = $complete && $all;
        $single ??= $rate;
        printf("%-46s %12s  %5.2f x%s\n", "adds a second on one key, $processes process" . ($processes > 1 ? 'es' : ''), number_format($rate), $rate / $single, $all ? '' : '  SOME ARE MISSING');
    }
    $databases = ['SQLite' => "sqlite:$folder/quiet.sqlite"] + (getenv('PRESENCE_TEST_MYSQL') ? ['MariaDB' => getenv('PRESENCE_TEST_MYSQL')] : []);
    foreach ($minutes > 0 ? $databases : [] as $name => $dsn) {
        $sites[] = $site = new BenchmarkSite($module, "$folder/$name", $dsn);
        $delays = seconds_until_stored($site, $minutes, looks_for_rows($dsn));
        printf("%-46s %s\n", "from a minute's end to its row in $name", implode('  ', array_map(fn (float $delay) => sprintf('%.2f s', $delay), $delays)));
    }
} finally {
    array_map(fn (BenchmarkSite $site) => $site->close(), $sites);
    usleep(500_000);
    exec('rm -rf ' . escapeshellarg($folder));
}
exit($complete ? 0 : 1);
