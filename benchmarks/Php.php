<?php
declare(strict_types=1);

require_once __DIR__ . '/Workload.php';

/** Runs workloads in PHP processes of their own, each time with an empty segment. */
final class Php
{
    /** @var array<string, Workload> */
    private readonly array $workloads;
    private readonly string $memory;

    public function __construct(private readonly string $module, private readonly float $seconds)
    {
        $this->workloads = Workload::all();
        $this->memory = '/dev/shm/presence-bench.' . getmypid();
        mkdir($this->memory, 0700);
        register_shutdown_function($this->clear(...));
    }

    private function clear(): void
    {
        exec('rm -rf ' . escapeshellarg($this->memory));
    }

    /** Nanoseconds of one call. @return Closure(): float */
    public function nanoseconds(string $name): Closure
    {
        return function () use ($name): float {
            $this->empty_segment();
            [$took] = $this->wait_for([$this->start($name, null)]);
            return $took;
        };
    }

    /** Calls per second of so many processes at once, all together. @return Closure(): float */
    public function rate(string $name, int $processes): Closure
    {
        return function () use ($name, $processes): float {
            $this->empty_segment();
            $begin = microtime(true) + 3 * $this->seconds + 0.7;
            $started = [];
            for ($i = 0; $i < $processes; ++$i) {
                $started[] = $this->start($name, $begin);
            }
            return array_sum(array_map(fn (float $took): float => 1e9 / $took, $this->wait_for($started)));
        };
    }

    /** What the segment grows by for each visitor it may hold, with ids of up to 48 bytes. @return Closure(): float */
    public function bytes_per_visitor(): Closure
    {
        return function (): float {
            $sizes = [];
            foreach ([100_000, 1_100_000] as $visitors) {
                $this->empty_segment();
                $command = [PHP_BINARY, '-n', '-d', "extension=$this->module", '-d', "presence.segment=$this->memory/segment", '-d', "presence.data_dir=$this->memory/data",
                    '-d', "presence.max_visitors=$visitors", '-r', '(new Presence())->persist(str_repeat("v", 48)); echo filesize(ini_get("presence.segment"));'];
                $sizes[] = (int) shell_exec(implode(' ', array_map('escapeshellarg', $command)));
            }
            return ($sizes[1] - $sizes[0]) / 1_000_000;
        };
    }

    private function empty_segment(): void
    {
        exec('rm -rf ' . escapeshellarg("$this->memory/") . '*');
    }

    /** @return array{resource, resource} */
    private function start(string $name, ?float $begin): array
    {
        $workload = $this->workloads[$name];
        $ini = $workload->ini + [
            'opcache.enable_cli' => '1', 'memory_limit' => '1G', 'presence.segment' => "$this->memory/segment", 'presence.data_dir' => "$this->memory/data",
            'presence.flusher' => 'off', 'presence.sink' => "sqlite:$this->memory/counters.sqlite", 'display_errors' => '1',
        ];
        $command = $workload->opcache ? [PHP_BINARY, '-n', '-d', 'zend_extension=opcache'] : [PHP_BINARY, '-n'];
        foreach ($workload->extensions as $extension) {
            $file = match ($extension) {
                'presence' => $this->module,
                'yac' => getenv('PRESENCE_BENCH_YAC') ?: throw new RuntimeException('Yac is not there'),
                default => $extension,
            };
            $command = [...$command, '-d', "extension=$file"];
        }
        foreach ($ini as $entry => $value) {
            $command = [...$command, '-d', "$entry=$value"];
        }
        $command = [...$command, __DIR__ . '/worker.php', $name, (string) $this->seconds];
        if ($begin !== null) {
            $command[] = sprintf('%.6f', $begin);
        }
        $process = proc_open($command, [1 => ['pipe', 'w']], $pipes) ?: throw new RuntimeException('cannot start PHP');
        return [$process, $pipes[1]];
    }

    /** @param list<array{resource, resource}> $started @return list<float> */
    private function wait_for(array $started): array
    {
        $took = [];
        foreach ($started as [$process, $output]) {
            $text = trim((string) stream_get_contents($output));
            if (proc_close($process) !== 0 || !is_numeric($text)) {
                throw new RuntimeException(preg_match('/Uncaught \w+: (.*?)(?: in \S+:\d+)?$/m', $text, $found) === 1 ? $found[1] : "the measurement failed: $text");
            }
            $took[] = (float) $text;
        }
        return $took;
    }
}
