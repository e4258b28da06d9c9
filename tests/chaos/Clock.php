<?php
declare(strict_types=1);

/**
 * The clock of all processes under test: libfaketime adds to their time what stands in a file. The driver's own clock
 * goes as ever.
 */
final class Clock
{
    private int $offset = 0;
    private int $furthest = 0;

    public function __construct(private readonly string $file)
    {
        $this->set(0);
    }

    /**
     * The environment of a process that goes by this clock. One that lags sees a change up to a second late, as a
     * process does that reads the time and uses it a moment later.
     *
     * @return array<string, string>
     */
    public function environment(string $extension, bool $lags): array
    {
        $library = glob('/usr/lib/*/faketime/libfaketime.so.1')[0]
            ?? throw new RuntimeException('libfaketime is missing: install the package faketime');
        return [
            // PHP up to 8.3 loads extensions so that they look up clock_gettime in the C library first (RTLD_DEEPBIND);
            // one that is loaded before PHP starts does not.
            'LD_PRELOAD' => "$library $extension",
            'FAKETIME_TIMESTAMP_FILE' => $this->file,
            'FAKETIME_DONT_FAKE_MONOTONIC' => '1',
            'NO_FAKE_STAT' => '1',
        ] + ($lags ? ['FAKETIME_CACHE_DURATION' => '1'] : ['FAKETIME_NO_CACHE' => '1']);
    }

    public function move(int $seconds): void
    {
        $this->set($this->offset + $seconds);
    }

    /** To one minute and then some after anything that was ever counted. */
    public function moveBeyondAll(): void
    {
        $this->set($this->furthest + 86400);
    }

    /** To a time given in seconds since 1970. */
    public function moveTo(int $time): void
    {
        $this->set($time - time());
    }

    private function set(int $offset): void
    {
        $this->offset = $offset;
        $this->furthest = max($this->furthest, $offset);
        file_put_contents("$this->file.new", sprintf('%+d', $offset));
        rename("$this->file.new", $this->file);
    }

    /** libfaketime leaves a semaphore and a page of memory of each process behind. */
    public static function removeTraces(int $pid): void
    {
        foreach (["/dev/shm/faketime_shm_$pid", "/dev/shm/sem.faketime_sem_$pid"] as $file) {
            if (is_file($file)) {
                @unlink($file);
            }
        }
    }
}
