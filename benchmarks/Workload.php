<?php
declare(strict_types=1);

/** Something whose cost is measured: `run(n)` does it n times. */
final class Workload
{
    /**
     * @param Closure(int): void $run
     * @param list<string> $extensions of PHP that it needs; "presence" stands for the one under test
     * @param array<string, string> $ini
     * @param ?Closure(): void $prepare runs once, before anything is measured
     */
    public function __construct(
        public readonly Closure $run,
        public readonly array $extensions = ['presence'],
        public readonly array $ini = [],
        public readonly ?Closure $prepare = null,
    ) {
    }

    /** @return array<string, Workload> all there are, by name */
    public static function all(): array
    {
        $all = [];
        foreach (glob(__DIR__ . '/workloads/*.php') ?: [] as $file) {
            $all += require $file;
        }
        return $all;
    }
}
