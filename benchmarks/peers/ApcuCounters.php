<?php
declare(strict_types=1);

/**
 * Minute counters as PHP sites write them on APCu: four numbers in shared memory under the name, the minute and the argument.
 * Totals are kept in millionths, as APCu adds up integers only; minimum and maximum by compare and swap.
 */
final class ApcuCounters
{
    private const KEEP = 600;

    public static function add(string $name, ?string $argument = null, float $value = 1.0): void
    {
        $slot = intdiv(time(), 60) * 60;
        $key = $argument === null ? "$name:$slot" : "$name:$slot:$argument";
        $millionths = (int) round($value * 1e6);
        apcu_inc("$key:count", 1, $known, self::KEEP);
        apcu_inc("$key:total", $millionths, $known, self::KEEP);
        self::keep_least("$key:min", $millionths, 1);
        self::keep_least("$key:max", $millionths, -1);
    }

    /** Keeps the smaller value of both, or the greater for sign -1. */
    private static function keep_least(string $key, int $value, int $sign): void
    {
        while (true) {
            $kept = apcu_fetch($key, $known);
            if (!$known) {
                if (apcu_add($key, $value, self::KEEP)) {
                    return;
                }
                continue;
            }
            if ($sign * $value >= $sign * $kept || apcu_cas($key, $kept, $value)) {
                return;
            }
        }
    }
}
