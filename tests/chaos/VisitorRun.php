<?php
declare(strict_types=1);

require_once __DIR__ . '/Clock.php';
require_once __DIR__ . '/Run.php';
require_once __DIR__ . '/StoreTrouble.php';
require_once __DIR__ . '/VisitorBooks.php';

/** Two web servers record visitors; in the end both and the store must know them. */
final class VisitorRun extends Run
{
    private const THROTTLE = 2;
    /** Seconds that all may take to agree once nobody disturbs them: whoever was cut off is found by a pull of everything. */
    private const PATIENCE = 90;

    private readonly float $patience;

    /** @param list<Crowd> $crowds */
    private function __construct(Plan $plan, array $crowds, private readonly StoreServer $store, private readonly string $strategy)
    {
        $this->patience = $plan->broken ? self::PATIENCE / 10 : self::PATIENCE;
        parent::__construct($plan, $crowds);
    }

    /** @param string $strategy of the store, which is a Redis for all but table */
    public static function of(Plan $plan, string $strategy): self
    {
        $kind = $strategy === 'table' ? 'memcached' : 'redis';
        $store = new StoreServer($kind, "$plan->folder/store", true);
        $store->await();
        $crowds = [];
        foreach (['a', 'b'] as $name) {
            mkdir("$plan->folder/$name");
            mkdir("$plan->memory/$name");
            $site = new Site("$plan->folder/$name", "$plan->memory/$name", $plan->extension, __DIR__ . '/visiting', [
                'presence.sink' => "sqlite:$plan->memory/$name/counters.sqlite",
                'presence.store' => $store->dsn("strategy=$strategy"),
                // Longer than any run: nobody's time is over.
                'presence.window' => '30',
                'presence.throttle' => (string) self::THROTTLE,
                'presence.max_visitors' => '500000',
                'presence.timeout' => '1',
            ], new Clock("$plan->folder/$name/clock"), $plan->environment);
            // What Memcached held is gone with it.
            $server = $name === 'a' ? new StoreTrouble($store, $kind === 'redis') : null;
            $trouble = new Trouble($site, null, $server, self::isAwake(...), $plan->secondsPerKill(2), $plan->kills, $plan->flusherPercent);
            $crowds[] = new Crowd($site, $trouble);
        }
        return new self($plan, $crowds, $store, $strategy);
    }

    public function close(): void
    {
        $this->store->kill();
    }

    protected function prepare(): void
    {
    }

    protected function compare(Verdict $verdict): void
    {
        $this->store->await();
        $books = VisitorBooks::read(array_map(static fn (Crowd $crowd): string => $crowd->site->notes(), $this->crowds));
        $verdict->check('each call was taken', $books->threw === 0, "$books->threw threw");
        $keepsTimes = in_array($this->strategy, ['zset', 'table'], true);
        $began = microtime(true);
        do {
            $faults = $books->faults($this->stored(), $this->strategy === 'zset' ? self::THROTTLE : null, 'the store');
            foreach ($this->crowds as $number => $crowd) {
                $known = $this->known($crowd->site, 'buffered', $keepsTimes ? '$presence->lastSeen($id)' : '0');
                array_push($faults, ...$books->faults($known, $keepsTimes ? self::THROTTLE : null, "server $number"));
            }
            $took = microtime(true) - $began;
        } while ($faults !== [] && $took < $this->patience && usleep(500_000) === null);
        $verdict->note(sprintf('after the last kill it took %.1f s until all were asked and agreed', $took));
        $verdict->compared(sprintf('%d visitors are known to both servers and the store%s, and %d who left are not',
            $books->certain(), $keepsTimes ? ', with their times' : '', $books->left()), $faults);
        foreach ($this->crowds as $number => $crowd) {
            $evicted = $crowd->site->ask('return (new Presence("shm:"))->status()["visitors"]["evicted_live"];');
            $verdict->check("server $number had room for all", $evicted === 0, "$evicted were pushed out");
            $pid = (int) $crowd->site->ask('return ["pid" => (int) Counters::status()["flusher"]["pid"]];')['pid'];
            $verdict->check("server $number: the flusher ends when asked", $crowd->endFlusher($pid), 'it stays');
        }
        $verdict->note(sprintf('%d calls of %d processes and %d requests (slowest %.2f s)', $books->calls, $books->processes,
            $this->requests(), $this->slowest()));
    }

    /** @return array<int, int> when each visitor was seen last as the store has it, by id; 0 where it keeps no such times */
    private function stored(): array
    {
        if ($this->strategy === 'zset') {
            $pairs = array_chunk($this->store->redis('ZRANGE', 'users:online', '0', '-1', 'WITHSCORES'), 2);
            return array_map(intval(...), array_column($pairs, 1, 0));
        }
        return $this->known($this->crowds[0]->site, 'direct', '0');
    }

    /** @return array<int, int> what PHP on a site knows of each visitor, by id */
    private function known(Site $site, string $mode, string $expression): array
    {
        return $site->ask(<<<PHP
            \$presence = new Presence(null, ['mode' => '$mode', 'timeout' => 10]);
            \$known = [];
            foreach (\$presence->ids() as \$id) {
                \$known[\$id] = $expression;
            }
            return \$known;
            PHP);
    }

    /** Whether a flusher does something and does not wait for its next turn, as far as the system tells. */
    private static function isAwake(int $flusher): bool
    {
        $waits = php_uname('m') === 'x86_64' ? '128 ' : '137 ';
        $call = @file_get_contents("/proc/$flusher/syscall");
        return $call === false || !str_starts_with($call, $waits);
    }
}
