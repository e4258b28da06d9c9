<?php
declare(strict_types=1);

require_once __DIR__ . '/Comparison.php';
require_once __DIR__ . '/PageSite.php';
require_once __DIR__ . '/Php.php';

/** What comparisons are made of: the ways to measure, and the usual pairs of them. */
final class Bench
{
    private ?PageSite $site = null;

    /** @param float $seconds of one measurement */
    public function __construct(private readonly string $module, public readonly Php $php, private readonly float $seconds)
    {
    }

    /** A call's cost in that of the same call where presence.enabled=0 leaves only the parsing of its arguments. */
    public function cost(string $name, string $workload, ?float $at_most = null): Comparison
    {
        return new Comparison($name, 'the same call with presence.enabled=0', $this->php->nanoseconds($workload), $this->php->nanoseconds("$workload, disabled"), at_most: $at_most, cost: true);
    }

    /** How many calls of ours fit into the time of one of the peer's. */
    public function faster(string $name, string $ours, string $peer, string $peer_name, ?float $at_least = null): Comparison
    {
        return new Comparison($name, $peer_name, $this->php->nanoseconds($ours), $this->php->nanoseconds($peer), at_least: $at_least);
    }

    /** What so many processes do together, beside one. */
    public function rate(string $name, string $workload, int $processes, ?float $at_least = null): Comparison
    {
        return new Comparison($name, 'one process', $this->php->rate($workload, $processes), $this->php->rate($workload, 1), '/s', $at_least);
    }

    /** Pages a second with presence, beside the same page without. */
    public function pages(string $name, float $at_least): Comparison
    {
        // wrk counts whole seconds.
        $seconds = (int) max(1, round(4 * $this->seconds));
        $rate = fn (bool $presence): Closure => function () use ($presence, $seconds): float {
            $this->site ??= new PageSite($this->module);
            return $this->site->rate($presence, $seconds);
        };
        return new Comparison($name, 'the same page without', $rate(true), $rate(false), '/s', at_least: $at_least);
    }

    /** The fastest batch of 10,000 rows: the sink, and a bare client. See upsert/. */
    public function upsert(string $name, float $at_most): Comparison
    {
        return new Comparison($name, 'the same upsert from a bare C client', self::client('sink_client'), self::client('bare_client'), at_most: $at_most);
    }

    /** Nanoseconds that a program of upsert/ prints. @return Closure(): float */
    private static function client(string $program): Closure
    {
        return static function () use ($program): float {
            $dsn = (string) getenv('PRESENCE_TEST_MYSQL');
            $parts = parse_url($dsn);
            $arguments = $program === 'sink_client' ? [$dsn] : [$parts['host'], (string) $parts['port'], $parts['user'], $parts['pass'], ltrim($parts['path'], '/')];
            $took = trim((string) shell_exec(implode(' ', array_map('escapeshellarg', [getenv('PRESENCE_BENCH_PROGRAMS') . "/$program", ...$arguments]))));
            return is_numeric($took) ? (float) $took : throw new RuntimeException("$program failed");
        };
    }
}
