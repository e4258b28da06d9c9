<?php
declare(strict_types=1);

/** Two things measured side by side, and what is wanted of them. */
final class Comparison
{
    /** @var list<float> Of each round: how often ours fits into the peer's, or for a cost how often the peer's fits into ours. */
    public array $ratios = [];
    /** @var list<float> */
    public array $ours_measured = [];
    /** @var list<float> */
    public array $peer_measured = [];
    /** Why it could not be measured. */
    public ?string $left_out = null;

    /**
     * @param Closure(): float $ours one measurement
     * @param Closure(): float $peer
     * @param string $unit of both: "ns", "/s", "bytes"
     * @param ?float $at_least goal for "times better"
     * @param ?float $at_most goal for "times the cost"
     * @param bool $cost whether the ratio is "times the cost", goal or not
     */
    public function __construct(
        public readonly string $name,
        public readonly string $peer_name,
        public readonly Closure $ours,
        public readonly Closure $peer,
        public readonly string $unit = 'ns',
        public readonly ?float $at_least = null,
        public readonly ?float $at_most = null,
        private readonly bool $cost = false,
    ) {
    }

    public function has_goal(): bool
    {
        return $this->at_least !== null || $this->at_most !== null;
    }

    /** Measures both once more, in alternating order. */
    public function round(): void
    {
        $ours_first = count($this->ratios) % 2 === 0;
        if ($ours_first) {
            $ours = ($this->ours)();
        }
        $peer = ($this->peer)();
        if (!$ours_first) {
            $ours = ($this->ours)();
        }
        $this->ours_measured[] = $ours;
        $this->peer_measured[] = $peer;
        $less_is_better = $this->unit !== '/s';
        $this->ratios[] = $this->is_cost() === $less_is_better ? $ours / $peer : $peer / $ours;
    }

    /** Whether the ratio says how many times the peer's cost ours is; else, how many times better ours is. */
    public function is_cost(): bool
    {
        return $this->cost || $this->at_most !== null;
    }

    public function ratio(): float
    {
        return self::median($this->ratios);
    }

    public function ours(): float
    {
        return self::median($this->ours_measured);
    }

    public function peer(): float
    {
        return self::median($this->peer_measured);
    }

    /** The middle half of the rounds' ratios: [from, to]. @return array{float, float} */
    public function spread(): array
    {
        $sorted = $this->ratios;
        sort($sorted);
        $last = count($sorted) - 1;
        return [$sorted[(int) floor($last / 4)], $sorted[(int) ceil($last * 3 / 4)]];
    }

    public function goal(): string
    {
        return match (true) {
            $this->at_least !== null => sprintf('at least %s×', self::number($this->at_least)),
            $this->at_most !== null => sprintf('at most %s×', self::number($this->at_most)),
            default => '–',
        };
    }

    public function verdict(): string
    {
        return match (true) {
            $this->left_out !== null => 'left out',
            $this->at_least !== null => $this->ratio() >= $this->at_least ? 'met' : 'not met',
            $this->at_most !== null => $this->ratio() <= $this->at_most ? 'met' : 'not met',
            default => '–',
        };
    }

    /** A value with its unit, to three digits. */
    public function value(float $value): string
    {
        return $this->unit === 'ns' ? self::time($value) : self::number($value) . ($this->unit === '/s' ? ' /s' : " $this->unit");
    }

    public static function time(float $nanoseconds): string
    {
        return match (true) {
            $nanoseconds < 999.5 => self::number($nanoseconds) . ' ns',
            $nanoseconds < 999.5e3 => self::number($nanoseconds / 1e3) . ' µs',
            default => self::number($nanoseconds / 1e6) . ' ms',
        };
    }

    public static function bytes(int $bytes): string
    {
        return $bytes < 1 << 20 ? round($bytes / 1024) . ' KiB' : self::number($bytes / (1 << 20)) . ' MiB';
    }

    public static function number(float $value): string
    {
        return match (true) {
            $value >= 100 => number_format($value),
            $value === round($value) => number_format($value),
            $value >= 10 => number_format($value, 1),
            default => number_format($value, 2),
        };
    }

    /** @param list<float> $values */
    private static function median(array $values): float
    {
        sort($values);
        $middle = intdiv(count($values), 2);
        return count($values) % 2 === 1 ? $values[$middle] : ($values[$middle - 1] + $values[$middle]) / 2;
    }
}
