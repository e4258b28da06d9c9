<?php
declare(strict_types=1);

/** What is counted: a few series that everybody adds to, and many that few add to at a time. */
final class Series
{
    public const HOT = 8;
    public const ALL = 308;

    /** @return array{string, ?string} name and argument of a series, by its number below ALL */
    public static function key(int $number): array
    {
        return match (true) {
            $number === 0 => ['hot', null],
            $number < self::HOT => ['hot', "h$number"],
            default => ['page', "/page/$number"],
        };
    }

    public static function label(int $number): string
    {
        return implode(' ', array_filter(self::key($number), is_string(...)));
    }
}
