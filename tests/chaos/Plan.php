<?php
declare(strict_types=1);

/** What script/chaos asks for. */
final class Plan
{
    /** @param array<string, string> $environment of all processes under test */
    public function __construct(
        /** For files, empty. */
        public readonly string $folder,
        /** For segments, in shared memory. */
        public readonly string $memory,
        public readonly string $extension,
        /** PHP-FPM's program. */
        public readonly string $fpm,
        public readonly float $seconds,
        public readonly int $kills,
        /** How many of a hundred kills are to hit a flusher. */
        public readonly int $flusherPercent,
        public readonly array $environment,
        /** Whether a promise is broken on purpose: what is wrong then stays wrong, and need not be waited for. */
        public readonly bool $broken,
    ) {
    }

    /** Seconds from one kill to the next on each of so many sites. */
    public function secondsPerKill(int $sites): float
    {
        return ($this->seconds - 2.0) * $sites / max(1, $this->kills);
    }
}
