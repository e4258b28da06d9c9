<?php
declare(strict_types=1);

require_once __DIR__ . '/Crowd.php';
require_once __DIR__ . '/Plan.php';
require_once __DIR__ . '/Verdict.php';

/** One run: load and trouble for a while, then an end in peace, then the comparison. */
abstract class Run
{
    /** @param list<Crowd> $crowds */
    public function __construct(private readonly Plan $plan, protected readonly array $crowds)
    {
    }

    public function run(): Verdict
    {
        $this->prepare();
        foreach ($this->crowds as $crowd) {
            $crowd->begin($this->plan->fpm);
        }
        $began = microtime(true);
        $end = $began + $this->plan->seconds;
        $nextLine = $began + 10.0;
        // Up to half as long again on a machine that is too slow for that many kills.
        $latest = $began + $this->plan->seconds * 1.5;
        while (($now = microtime(true)) < $end || ($this->killed() < $this->plan->kills && $now < $latest)) {
            foreach ($this->crowds as $crowd) {
                $crowd->goOn(0.005 / count($this->crowds));
            }
            if ($now >= $nextLine) {
                $nextLine += 10.0;
                printf("  %3.0f s: %d kills, %d requests\n", $now - $began, $this->killed(), $this->requests());
            }
        }
        printf("  %3.0f s: %d kills; everybody ends\n", microtime(true) - $began, $this->killed());
        // All, whatever the first says.
        $ended = array_map(static fn (Crowd $crowd): bool => $crowd->calmDown(), $this->crowds);
        printf("  %3.0f s: comparing\n", microtime(true) - $began);
        $verdict = new Verdict(array_map(static fn (Crowd $crowd): Trouble => $crowd->trouble, $this->crowds));
        $hung = array_sum(array_map(static fn (Crowd $crowd): int => $crowd->hung, $this->crowds));
        $verdict->check('nobody hung', $hung === 0 && !in_array(false, $ended, true), "$hung processes or requests");
        $killed = $this->killed();
        $verdict->check('kills as many as asked for', $killed >= $this->plan->kills, "$killed");
        $this->compare($verdict);
        return $verdict;
    }

    /** Ends the server that it has. */
    abstract public function close(): void;

    /** What PHP, FPM and the extension complained about. */
    public function complaints(): string
    {
        return implode('', array_map(static fn (Crowd $crowd): string => $crowd->site->complaints(), $this->crowds));
    }

    /** What has to be there before anything begins. */
    abstract protected function prepare(): void;

    /** What was written down against what is there now. */
    abstract protected function compare(Verdict $verdict): void;

    protected function requests(): int
    {
        return array_sum(array_map(static fn (Crowd $crowd): int => $crowd->requests, $this->crowds));
    }

    /** Seconds of the slowest answer. */
    protected function slowest(): float
    {
        return max(array_map(static fn (Crowd $crowd): float => $crowd->slowest, $this->crowds));
    }

    private function killed(): int
    {
        return array_sum(array_map(static fn (Crowd $crowd): int => $crowd->trouble->killed(), $this->crowds));
    }
}
