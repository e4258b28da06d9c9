<?php
declare(strict_types=1);

/** One line of the log. */
final class LoggedRequest
{
    public function __construct(
        public readonly string $visitor,
        public readonly string $method,
        public readonly string $path,
        public readonly int $bytes,
    ) {
    }
}

/** The access log that the demo replays, and what it must add up to. */
final class AccessLog
{
    /** @param list<LoggedRequest> $requests */
    private function __construct(public readonly array $requests)
    {
    }

    public static function read(string $file): self
    {
        $lines = file($file, FILE_IGNORE_NEW_LINES);
        if ($lines === false || array_shift($lines) !== "seconds\tvisitor\tmethod\tpath\tstatus\tbytes\tagent") {
            throw new RuntimeException("$file is not an access log with the columns described in demo/README.md");
        }
        return new self(array_map(self::parse(...), $lines));
    }

    private static function parse(string $line): LoggedRequest
    {
        [, $visitor, $method, $path, , $bytes] = explode("\t", $line);
        return new LoggedRequest($visitor, $method, $path, (int) $bytes);
    }

    /** @return list<string> each visitor once */
    public function visitors(): array
    {
        return array_map(strval(...), array_keys(array_flip(array_column($this->requests, 'visitor'))));
    }

    /** @return array<string, int> path => views, the busiest first */
    public function paths(): array
    {
        $views = array_count_values(array_column($this->requests, 'path'));
        arsort($views);
        return $views;
    }

    /** What `expected.json` holds, computed from the lines. */
    public function totals(): array
    {
        $paths = $this->paths();
        return [
            'visitors' => count($this->visitors()),
            'views' => count($this->requests),
            'paths' => count($paths),
            'bytes' => array_sum(array_column($this->requests, 'bytes')),
            'busiest' => array_slice($paths, 0, 3, true),
        ];
    }
}
