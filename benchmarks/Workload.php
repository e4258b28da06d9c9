<?php
declare(strict_types=1);

/** Something whose cost is measured: `run(n)` does it n times. */
final class Workload
{
    /**
     * @param Closure(int): void $run
     * @param list<string> $extensions of PHP that it needs; "presence" stands for the one under test, "yac" for the file in
     *     PRESENCE_BENCH_YAC
     * @param array<string, string> $ini
     * @param ?Closure(): void $prepare runs once, before anything is measured
     * @param ?int $once measured once, with so many calls: only a first time is of interest
     * @param bool $opcache whether PHP runs with it
     */
    public function __construct(
        public readonly Closure $run,
        public readonly array $extensions = ['presence'],
        public readonly array $ini = [],
        public readonly ?Closure $prepare = null,
        public readonly ?int $once = null,
        public readonly bool $opcache = true,
    ) {
    }

    /** The same with presence.enabled=0, where nothing is to be prepared. */
    public function disabled(): self
    {
        return new self($this->run, $this->extensions, $this->ini + ['presence.enabled' => '0'], null, $this->once, $this->opcache);
    }

    /** @return array<string, self> all there are, by name; those of ours also as "…, disabled" */
    public static function all(): array
    {
        $all = [];
        foreach (glob(__DIR__ . '/workloads/*.php') ?: [] as $file) {
            foreach (require $file as $name => $workload) {
                $all[$name] = $workload;
                if ($workload->extensions[0] === 'presence') {
                    $all["$name, disabled"] = $workload->disabled();
                }
            }
        }
        return $all;
    }
}
