<?php
declare(strict_types=1);

require_once __DIR__ . '/NoteFile.php';
require_once __DIR__ . '/Series.php';

/**
 * What one process writes down about its adds, eight bytes a note: before each burst of adds what it is about to add, and
 * after it that all of them returned.
 */
final class Notes extends NoteFile
{
    public const SIZE = 8;
    /** In place of a series: the burst noted before has returned; one of its adds threw. */
    public const RETURNED = 0xFFFF;
    public const THREW = 0xFFFE;

    /** Adds $amount to a series $times times. The note holds up to 65,535 times an amount below 2^32. */
    public function add(int $series, int $amount, int $times = 1): void
    {
        [$name, $argument] = Series::key($series);
        $this->note($series, $times, $amount);
        try {
            for ($i = 0; $i < $times; $i++) {
                Counters::add($name, $argument, $amount);
            }
        } catch (Throwable $e) {
            $this->note(self::THREW, 0, 0);
            error_log('an add threw: ' . $e->getMessage());
            return;
        }
        $this->note(self::RETURNED, 0, 0);
    }

    private function note(int $series, int $times, int $amount): void
    {
        $this->write(pack('vvV', $series, $times, $amount));
    }
}
