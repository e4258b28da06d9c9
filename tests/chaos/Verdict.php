<?php
declare(strict_types=1);

require_once __DIR__ . '/Books.php';

/** What a run showed. */
final class Verdict
{
    private const FAULTS_SHOWN = 10;

    public int $passed = 0;
    public int $failed = 0;
    /** Whether sums were wrong, and not something else. */
    public bool $sumsDiffer = false;
    /** @var list<string> */
    private array $lines = [];

    public function __construct(
        private readonly Books $books,
        private readonly Trouble $trouble,
        private readonly int $requests,
        private readonly float $slowest,
    ) {
    }

    public function check(string $promise, bool $kept, string $otherwise): void
    {
        $kept ? $this->passed++ : $this->failed++;
        $this->lines[] = $kept ? "ok      $promise" : "FAILED  $promise: $otherwise";
    }

    public function note(string $line): void
    {
        $this->lines[] = "        $line";
    }

    /**
     * The sums in the database against the books, series by series.
     *
     * @param array<int, array{count: int, total: float, minimum: float, maximum: float}> $stored
     */
    public function compare(array $stored): void
    {
        $faults = [];
        foreach ($this->books->accounts as $series => $account) {
            $fault = $account->fault($stored[$series] ?? [
                'count' => 0,
                'total' => 0.0,
                'minimum' => $account->returnedMinimum,
                'maximum' => $account->returnedMaximum,
            ]);
            if ($fault !== null) {
                $faults[] = Series::label($series) . ": $fault";
            }
        }
        $this->sumsDiffer = $faults !== [];
        foreach (array_slice($faults, 0, self::FAULTS_SHOWN) as $fault) {
            $this->note($fault);
        }
        $this->check(
            sprintf('%d series are in the database as they were written down', count($this->books->accounts)),
            $faults === [],
            count($faults) . ' differ'
        );
    }

    /** @param array<string, array{count: int, total: int|float}> $read by name of the series */
    public function compareReading(array $read): void
    {
        $bounds = [];
        foreach ($this->books->accounts as $series => $account) {
            [$name] = Series::key($series);
            $bounds[$name] ??= [0, 0, 0, 0];
            $bounds[$name][0] += $account->returnedCount;
            $bounds[$name][1] += $account->intendedCount;
            $bounds[$name][2] += $account->returnedTotal;
            $bounds[$name][3] += $account->intendedTotal;
        }
        foreach ($bounds as $name => [$countLeast, $countMost, $totalLeast, $totalMost]) {
            ['count' => $count, 'total' => $total] = $read[$name];
            $this->check("read() of $name before the last flush", $count >= $countLeast && $count <= $countMost
                && $total >= $totalLeast && $total <= $totalMost,
                "count $count (of $countLeast to $countMost), total $total (of $totalLeast to $totalMost)");
        }
    }

    public function print(): void
    {
        echo implode("\n", $this->lines), "\n";
        $kills = [];
        foreach ($this->trouble->kills as $what => $number) {
            $kills[] = "$number $what";
        }
        printf("%d kills (%s), %d stops, %d reloads of PHP-FPM, %d jumps of the clock\n", $this->trouble->killed(),
            implode(', ', $kills), $this->trouble->stops, $this->trouble->reloads, $this->trouble->jumps);
        $adds = $this->books->adds();
        printf("%d adds checked, of %d processes and %d requests (slowest %.2f s)\n", $adds, $this->books->processes,
            $this->requests, $this->slowest);
        printf("%d more adds were cut off by a kill, in %d bursts\n", $this->books->adds(true) - $adds, $this->books->cutOff);
    }
}
