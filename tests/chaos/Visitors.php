<?php
declare(strict_types=1);

/** Who visits. Ids are integers below 2^27, so that all strategies can hold them. */
final class Visitors
{
    /** Visitors of this number and below are seen by everybody, all the time. */
    public const HOT = 200;
    private const FIRST = 1000;
    /** So many each process has of its own. */
    private const OWN = 4000;
    /** Of those, by their place: who stays, who is forgotten (and never seen again), guests, and who guests become. */
    private const FORGETTABLE = 3600;
    private const GUESTS = 3800;
    private const USERS = 3900;

    private static int $stay = 0;
    private static int $leave = 0;
    private static int $guest = 0;

    /** @return int one of this process's own who stays; after some thousands the same come again */
    public static function ownWhoStays(): int
    {
        return self::own(self::$stay++ % self::FORGETTABLE);
    }

    /** @return int one who is recorded once and may be forgotten by anybody; 0 if there are no more */
    public static function ownWhoLeaves(): int
    {
        return self::$leave < self::GUESTS - self::FORGETTABLE ? self::own(self::FORGETTABLE + self::$leave++) : 0;
    }

    /** @return ?array{int, int} a guest and the user whom it becomes; null if there are no more */
    public static function ownGuest(): ?array
    {
        $number = self::$guest++;
        return $number < self::USERS - self::GUESTS ? [self::own(self::GUESTS + $number), self::own(self::USERS + $number)] : null;
    }

    public static function mayBeForgotten(int $visitor): bool
    {
        $place = ($visitor - self::FIRST) % self::OWN;
        return $visitor >= self::FIRST && $place >= self::FORGETTABLE && $place < self::GUESTS;
    }

    private static function own(int $place): int
    {
        return self::FIRST + getmypid() % 32768 * self::OWN + $place;
    }
}
