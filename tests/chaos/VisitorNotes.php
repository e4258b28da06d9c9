<?php
declare(strict_types=1);

require_once __DIR__ . '/NoteFile.php';

/**
 * What one process writes down about the visitors that it records, forgets and renames, sixteen bytes a note: before each
 * call what it is about to do, with the time, and after it that the call returned, with the time.
 */
final class VisitorNotes extends NoteFile
{
    public const SIZE = 16;
    public const PERSIST = 1;
    public const FORGET = 2;
    public const REPLACE = 3;
    /** The call noted before has returned, or thrown. */
    public const RETURNED = 4;
    public const THREW = 5;

    public function persist(Presence $presence, int $visitor): void
    {
        $this->call(self::PERSIST, $visitor, 0, static fn () => $presence->persist($visitor));
    }

    public function forget(Presence $presence, int $visitor): void
    {
        $this->call(self::FORGET, $visitor, 0, static fn () => $presence->forget($visitor));
    }

    public function replace(Presence $presence, int $from, int $to): void
    {
        $this->call(self::REPLACE, $from, $to, static fn () => $presence->replace($from, $to));
    }

    private function call(int $what, int $visitor, int $other, Closure $call): void
    {
        $this->write(pack('VVVV', $what, $visitor, $other, time()));
        try {
            $call();
        } catch (Throwable $e) {
            $this->write(pack('VVVV', self::THREW, $visitor, $other, time()));
            error_log('a call threw: ' . $e->getMessage());
            return;
        }
        $this->write(pack('VVVV', self::RETURNED, $visitor, $other, time()));
    }
}
