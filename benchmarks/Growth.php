<?php
declare(strict_types=1);

require_once __DIR__ . '/Php.php';

/** What a call costs while visitors and series grow from ten thousand to a million. */
final class Growth
{
    private const SIZES = [10_000, 31_623, 100_000, 316_228, 1_000_000];
    private const CURVES = [
        'add, of so many series in turn' => 'add, of %d series',
        'persist, one of so many visitors' => 'persist, one of %d visitors',
        'isOnline, one of so many visitors' => 'isOnline, one of %d visitors',
        'count of so many visitors, cold' => 'count of %d visitors, cold',
    ];

    /**
     * Nanoseconds of a call for each size, the best of `$rounds`.
     *
     * @return array<string, array<int, float>>
     */
    public static function measure(Php $php, int $rounds): array
    {
        $curves = [];
        foreach (self::CURVES as $title => $workload) {
            foreach (self::SIZES as $size) {
                $measure = $php->nanoseconds(sprintf($workload, $size));
                $curves[$title][$size] = min(array_map(static fn (): float => $measure(), range(1, $rounds)));
            }
        }
        return $curves;
    }
}
