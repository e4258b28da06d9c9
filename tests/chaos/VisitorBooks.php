<?php
declare(strict_types=1);

require_once __DIR__ . '/VisitorNotes.php';

/** What was written down about one visitor. */
final class Visitor
{
    /** Whether a call that returned recorded it. */
    public bool $recorded = false;
    /** Whether a call that forgets or renames it was begun, and whether one returned. */
    public bool $leaving = false;
    public bool $left = false;
    /** Whether it is somebody whom a guest became: its times are the guest's. */
    public bool $renamed = false;
    /** @var list<array{int, int}> when it was recorded, at least and at most */
    public array $times = [];
    /** When the last call was begun that recorded it and returned. */
    public int $last = 0;
}

/** All that the processes wrote down, put together. */
final class VisitorBooks
{
    /** @var array<int, Visitor> by id */
    public array $visitors = [];
    public int $calls = 0;
    public int $threw = 0;
    public int $processes = 0;

    /** @param list<string> $folders */
    public static function read(array $folders): self
    {
        $books = new self();
        foreach ($folders as $folder) {
            foreach (glob("$folder/*") as $file) {
                $books->processes++;
                $books->readFile($file);
            }
        }
        return $books;
    }

    /** How many are there for certain. */
    public function certain(): int
    {
        return count(array_filter($this->visitors, static fn (Visitor $v): bool => $v->recorded && !$v->leaving));
    }

    /** How many were forgotten or renamed for certain. */
    public function left(): int
    {
        return count(array_filter($this->visitors, static fn (Visitor $v): bool => $v->left));
    }

    /**
     * What is wrong with the visitors found in some place; empty if nothing is.
     *
     * @param array<int, int> $found when each was seen last, by id
     * @param ?int $throttle seconds within which a visitor keeps its time; null where times are not kept to the second
     * @return list<string>
     */
    public function faults(array $found, ?int $throttle, string $place): array
    {
        $faults = [];
        foreach ($this->visitors as $id => $visitor) {
            if (!isset($found[$id])) {
                if ($visitor->recorded && !$visitor->leaving) {
                    $faults[] = "$place: visitor $id is missing, recorded last at $visitor->last";
                }
            } elseif ($visitor->left) {
                $faults[] = "$place: visitor $id is there, and was forgotten or renamed";
            } elseif ($throttle !== null && !$visitor->renamed) {
                $fault = self::faultOfTime($visitor, $found[$id], $throttle);
                if ($fault !== null) {
                    $faults[] = "$place: visitor $id $fault";
                }
            }
        }
        foreach (array_diff_key($found, $this->visitors) as $id => $time) {
            $faults[] = "$place: visitor $id is there, and nobody recorded it";
        }
        return $faults;
    }

    private static function faultOfTime(Visitor $visitor, int $time, int $throttle): ?string
    {
        // Within the throttle period the earlier time stays. The kernel's clock ticks a little late.
        if ($time < $visitor->last - $throttle - 1) {
            return "was seen at $visitor->last, and not last at $time";
        }
        foreach ($visitor->times as [$least, $most]) {
            if ($time >= $least - 1 && $time <= $most) {
                return null;
            }
        }
        return "was never recorded at $time";
    }

    private function readFile(string $path): void
    {
        $file = fopen($path, 'r');
        $open = null;
        while (($chunk = fread($file, VisitorNotes::SIZE * 512)) !== '' && $chunk !== false) {
            foreach (str_split($chunk, VisitorNotes::SIZE) as $note) {
                ['what' => $what, 'id' => $id, 'other' => $other, 'time' => $time] = unpack('Vwhat/Vid/Vother/Vtime', $note);
                if ($what === VisitorNotes::THREW) {
                    $this->threw++;
                    $open = null;
                } elseif ($what === VisitorNotes::RETURNED) {
                    $this->calls++;
                    $this->returned($open[0], $id, $other, $open[1], $time);
                    $open = null;
                } else {
                    $open = [$what, $time];
                    $this->begun($what, $id, $other, $time);
                }
            }
        }
        fclose($file);
    }

    private function begun(int $what, int $id, int $other, int $time): void
    {
        $visitor = $this->visitors[$id] ??= new Visitor();
        if ($what === VisitorNotes::PERSIST) {
            // Until it is known when the call returned: processes are stopped for some seconds at most.
            $visitor->times[] = [$time, $time + 60];
        } else {
            $visitor->leaving = true;
        }
        if ($what === VisitorNotes::REPLACE) {
            $user = $this->visitors[$other] ??= new Visitor();
            $user->renamed = true;
        }
    }

    private function returned(int $what, int $id, int $other, int $began, int $time): void
    {
        $visitor = $this->visitors[$id];
        if ($what === VisitorNotes::PERSIST) {
            $visitor->recorded = true;
            $visitor->last = max($visitor->last, $began);
            $last = array_key_last($visitor->times);
            $visitor->times[$last][1] = $time;
        } else {
            $visitor->left = true;
        }
        if ($what === VisitorNotes::REPLACE) {
            $this->visitors[$other]->recorded = true;
        }
    }
}
