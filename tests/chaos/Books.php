<?php
declare(strict_types=1);

require_once __DIR__ . '/Notes.php';
require_once __DIR__ . '/Verdict.php';

/** Adds to one series: for sure (`returned`), and at most (`intended`, with those that a kill cut off). */
final class Account
{
    public int $intendedCount = 0;
    public int $intendedTotal = 0;
    public int $intendedMinimum = PHP_INT_MAX;
    public int $intendedMaximum = 0;
    public int $returnedCount = 0;
    public int $returnedTotal = 0;
    public int $returnedMinimum = PHP_INT_MAX;
    public int $returnedMaximum = 0;

    public function intend(int $times, int $amount): void
    {
        $this->intendedCount += $times;
        $this->intendedTotal += $times * $amount;
        $this->intendedMinimum = min($this->intendedMinimum, $amount);
        $this->intendedMaximum = max($this->intendedMaximum, $amount);
    }

    public function returned(int $times, int $amount): void
    {
        $this->returnedCount += $times;
        $this->returnedTotal += $times * $amount;
        $this->returnedMinimum = min($this->returnedMinimum, $amount);
        $this->returnedMaximum = max($this->returnedMaximum, $amount);
    }

    /**
     * What is wrong with the stored sums; null if nothing is. Where no kill cut off an add, both bounds are the same, so
     * the sums must be equal.
     *
     * @param array{count: int, total: float, minimum: float, maximum: float} $stored
     */
    public function fault(array $stored): ?string
    {
        foreach (['count' => $stored['count'], 'total' => (int) $stored['total']] as $what => $value) {
            [$least, $most] = $what === 'count'
                ? [$this->returnedCount, $this->intendedCount]
                : [$this->returnedTotal, $this->intendedTotal];
            if ($value < $least) {
                return sprintf('%s %d of %d is lost', $what, $least - $value, $least);
            }
            if ($value > $most) {
                return sprintf('%s %d is %d too much', $what, $value, $value - $most);
            }
        }
        // An add that was cut off may have come as far as the minimum.
        if ($stored['minimum'] > $this->returnedMinimum || $stored['minimum'] < $this->intendedMinimum) {
            return "the minimum is {$stored['minimum']} and not $this->returnedMinimum";
        }
        if ($stored['maximum'] < $this->returnedMaximum || $stored['maximum'] > $this->intendedMaximum) {
            return "the maximum is {$stored['maximum']} and not $this->returnedMaximum";
        }
        return null;
    }
}

/** All that the processes wrote down, put together. */
final class Books
{
    /** @var array<int, Account> by number of the series */
    public array $accounts = [];
    /** Bursts of adds that a kill may have cut off: noted before, not after. */
    public int $cutOff = 0;
    public int $threw = 0;
    public int $processes = 0;

    public static function read(string $folder): self
    {
        $books = new self();
        foreach (glob("$folder/*") as $file) {
            $books->processes++;
            $books->readFile($file);
        }
        return $books;
    }

    /** Adds that returned, or with $intended all that were begun. */
    public function adds(bool $intended = false): int
    {
        return array_sum(array_map(
            static fn (Account $a): int => $intended ? $a->intendedCount : $a->returnedCount,
            $this->accounts
        ));
    }

    /**
     * The sums in the database against the books, series by series.
     *
     * @param array<int, array{count: int, total: float, minimum: float, maximum: float}> $stored
     */
    public function compare(Verdict $verdict, array $stored): void
    {
        $faults = [];
        foreach ($this->accounts as $series => $account) {
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
        $verdict->compared(
            sprintf('%d series are in the database as they were written down', count($this->accounts)),
            $faults
        );
    }

    /** @param array<string, array{count: int, total: int|float}> $read by name of the series */
    public function compareReading(Verdict $verdict, array $read): void
    {
        $bounds = [];
        foreach ($this->accounts as $series => $account) {
            [$name] = Series::key($series);
            $bounds[$name] ??= [0, 0, 0, 0];
            $bounds[$name][0] += $account->returnedCount;
            $bounds[$name][1] += $account->intendedCount;
            $bounds[$name][2] += $account->returnedTotal;
            $bounds[$name][3] += $account->intendedTotal;
        }
        foreach ($bounds as $name => [$countLeast, $countMost, $totalLeast, $totalMost]) {
            ['count' => $count, 'total' => $total] = $read[$name];
            $verdict->check("read() of $name before the last flush", $count >= $countLeast && $count <= $countMost
                && $total >= $totalLeast && $total <= $totalMost,
                "count $count (of $countLeast to $countMost), total $total (of $totalLeast to $totalMost)");
        }
    }

    private function readFile(string $path): void
    {
        $file = fopen($path, 'r');
        $open = null;
        while (($chunk = fread($file, Notes::SIZE * 8192)) !== '' && $chunk !== false) {
            $words = unpack('v*', $chunk);
            for ($i = 1, $end = count($words); $i < $end; $i += 4) {
                $series = $words[$i];
                if ($series === Notes::RETURNED) {
                    $this->accounts[$open[0]]->returned($open[1], $open[2]);
                    $open = null;
                } elseif ($series === Notes::THREW) {
                    $this->threw++;
                } else {
                    $this->cutOff += $open === null ? 0 : 1;
                    $open = [$series, $words[$i + 1], $words[$i + 2] | $words[$i + 3] << 16];
                    ($this->accounts[$series] ??= new Account())->intend($open[1], $open[2]);
                }
            }
        }
        $this->cutOff += $open === null ? 0 : 1;
        fclose($file);
    }
}
