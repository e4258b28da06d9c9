<?php
declare(strict_types=1);

/** The memory that it takes: of the segment, of a worker, of the flusher. And a minute's end under load, which needs a flusher too. */
final class Footprint
{
    private readonly string $folder;
    private readonly array $php;

    public function __construct(string $module)
    {
        $this->folder = '/dev/shm/presence-footprint.' . getmypid();
        mkdir($this->folder, 0700);
        $this->php = [PHP_BINARY, '-n', '-d', "extension=$module", '-d', "presence.segment=$this->folder/segment", '-d', "presence.data_dir=$this->folder/data"];
    }

    /**
     * Bytes of each, with the settings' defaults: name => [bytes, what they are].
     *
     * @return array<string, array{int, string}>
     */
    public function measure(): array
    {
        $page = '$p = new Presence(); for ($i = 0; $i < 64; ++$i) { Counters::add("page.views", "/$i"); $p->persist($i); $p->isOnline($i); }';
        $own = 'preg_match("/^Anonymous:\s+(\d+)/m", file_get_contents("/proc/self/smaps_rollup"), $m); echo $m[1];';
        $with = 1024 * (int) $this->run($this->php, $page . $own);
        $without = 1024 * (int) $this->run([PHP_BINARY, '-n'], $own);
        $segment = "$this->folder/segment";
        clearstatcache();
        $sizes = ['the segment' => [(int) filesize($segment), 'reserved, with presence.max_series and presence.max_visitors as they come'],
            'a worker' => [$with - $without, 'of its own, beyond a PHP without the extension']];
        $flusher = $this->start_flusher();
        if (preg_match('/^Rss:\s+(\d+).*^Pss:\s+(\d+).*^Anonymous:\s+(\d+)/ms', (string) @file_get_contents("/proc/$flusher/smaps_rollup"), $found) === 1) {
            $sizes['the flusher'] = [1024 * (int) $found[1], sprintf('resident, of which %s are its own and the rest is shared with PHP', Comparison::bytes(1024 * (int) $found[3]))];
        }
        return $sizes;
    }

    /**
     * Adds a second of two processes on 64 series, over a minute's end, while the flusher stores the minute.
     *
     * @return array{before: float, after: float, pause: float} in the two seconds before and after; and the longest time that 64 adds took
     *     in those after, in nanoseconds
     */
    public function minute_end(): array
    {
        $this->start_flusher();
        $end = (intdiv(time() + 5, 60) + 1) * 60;
        time_sleep_until($end - 4);
        $code = <<<'PHP'
            $names = array_map(fn ($i) => "bench.series-$i", range(1, 64));
            $end = (float) $argv[1]; $counts = [0, 0]; $pause = 0;
            do {
                $before = hrtime(true);
                foreach ($names as $name) { Counters::add($name); }
                $took = hrtime(true) - $before;
                $at = microtime(true) - $end;
                if ($at >= -2 && $at < 2) { $counts[$at >= 0] += 64; if ($at >= 0) { $pause = max($pause, $took); } }
            } while ($at < 2);
            echo json_encode([$counts[0] / 2, $counts[1] / 2, $pause]);
            PHP;
        $running = [];
        for ($i = 0; $i < 2; ++$i) {
            $process = proc_open([...$this->php, '-d', 'presence.flusher=off', '-r', $code, '--', (string) $end], [1 => ['pipe', 'w']], $pipes);
            $running[] = [$process, $pipes[1]];
        }
        $results = array_map(static function (array $one): array {
            $result = json_decode((string) stream_get_contents($one[1]));
            proc_close($one[0]);
            return $result ?? throw new RuntimeException('the measurement of a minute\'s end failed');
        }, $running);
        return ['before' => array_sum(array_column($results, 0)), 'after' => array_sum(array_column($results, 1)), 'pause' => max(array_column($results, 2))];
    }

    /** The pid of the flusher, which a page under `php -S` starts; a short script on the command line would not. */
    private function start_flusher(): int
    {
        $pid = $this->flusher();
        if ($pid !== 0) {
            return $pid;
        }
        file_put_contents("$this->folder/page.php", '<?php Counters::add("page.views"); echo 1;');
        $listener = stream_socket_server('tcp://127.0.0.1:0');
        $port = explode(':', (string) stream_socket_get_name($listener, false))[1];
        fclose($listener);
        $null = ['file', '/dev/null', 'a'];
        $server = proc_open([...$this->php, '-S', "127.0.0.1:$port", "$this->folder/page.php"], [['file', '/dev/null', 'r'], $null, $null], $pipes);
        for ($i = 0; $i < 100 && $pid === 0; ++$i) {
            usleep(100_000);
            if (@file_get_contents("http://127.0.0.1:$port/") !== false) {
                $pid = $this->flusher();
            }
        }
        proc_terminate($server);
        proc_close($server);
        return $pid;
    }

    private function flusher(): int
    {
        return (int) $this->run($this->php, 'echo (int) Counters::status()["flusher"]["pid"];');
    }

    private function run(array $php, string $code): string
    {
        return (string) shell_exec(implode(' ', array_map('escapeshellarg', [...$php, '-r', $code])));
    }

    public function close(): void
    {
        if (is_file("$this->folder/segment") && ($pid = $this->flusher()) > 0) {
            posix_kill($pid, SIGTERM);
            for ($i = 0; $i < 50 && posix_kill($pid, 0); ++$i) {
                usleep(100_000);
            }
        }
        exec('rm -rf ' . escapeshellarg($this->folder));
    }
}
