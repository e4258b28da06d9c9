<?php
declare(strict_types=1);

/** What a run showed. */
final class Verdict
{
    private const FAULTS_SHOWN = 10;

    public int $passed = 0;
    public int $failed = 0;
    /** Whether what is there differs from what was written down, and not something else is wrong. */
    public bool $differs = false;
    /** @var list<string> */
    private array $lines = [];

    /** @param list<Trouble> $troubles */
    public function __construct(private readonly array $troubles)
    {
    }

    public function check(string $promise, bool $kept, string $otherwise): void
    {
        $kept ? $this->passed++ : $this->failed++;
        $this->lines[] = $kept ? "ok      $promise" : "FAILED  $promise: $otherwise";
    }

    /**
     * A check of what is there against what was written down.
     *
     * @param list<string> $faults one line each, empty if all is as it was written down
     */
    public function compared(string $promise, array $faults): void
    {
        $this->differs = $this->differs || $faults !== [];
        foreach (array_slice($faults, 0, self::FAULTS_SHOWN) as $fault) {
            $this->note($fault);
        }
        $this->check($promise, $faults === [], count($faults) . ' differ');
    }

    public function note(string $line): void
    {
        $this->lines[] = "        $line";
    }

    public function print(): void
    {
        echo implode("\n", $this->lines), "\n";
        $sum = fn (Closure $number): int => array_sum(array_map($number, $this->troubles));
        $kills = [];
        foreach (array_keys($this->troubles[0]->kills) as $what) {
            $kills[] = $sum(static fn (Trouble $t): int => $t->kills[$what]) . " $what";
        }
        printf("%d kills (%s), %d stops, %d reloads of PHP-FPM, %d jumps of the clock\n",
            $sum(static fn (Trouble $t): int => $t->killed()), implode(', ', $kills), $sum(static fn (Trouble $t): int => $t->stops),
            $sum(static fn (Trouble $t): int => $t->reloads), $sum(static fn (Trouble $t): int => $t->jumps));
    }
}
