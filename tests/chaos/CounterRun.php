<?php
declare(strict_types=1);

require_once __DIR__ . '/Books.php';
require_once __DIR__ . '/Clock.php';
require_once __DIR__ . '/Database.php';
require_once __DIR__ . '/Run.php';

/** Everybody counts; in the end the database must have what was counted. */
final class CounterRun extends Run
{
    private function __construct(Plan $plan, Crowd $crowd, private readonly Clock $clock, private readonly Database $database)
    {
        parent::__construct($plan, [$crowd]);
    }

    public static function of(Plan $plan): self
    {
        $server = getenv('PRESENCE_TEST_MYSQL');
        $database = $server === false
            ? new SqliteDatabase("$plan->memory/counters.sqlite")
            : new MariaDbDatabase($server, (int) getenv('PRESENCE_TEST_MYSQL_PID'), "$plan->folder/server.log");
        $clock = new Clock("$plan->folder/clock");
        $site = new Site($plan->folder, $plan->memory, $plan->extension, __DIR__ . '/counting', [
            'presence.sink' => $database->dsn(),
            // A little less than there are series: some adds find the minute full.
            'presence.max_series' => (string) (Series::ALL - 1),
            'presence.max_visitors' => '64',
        ], $clock, $plan->environment);
        // A batch in the spool is somewhere between being sent and being removed.
        $atWork = static fn (int $flusher): bool => glob($site->spool() . '/*.batch') !== [];
        $trouble = new Trouble($site, $clock, $database, $atWork, $plan->secondsPerKill(1), $plan->kills, $plan->flusherPercent);
        return new self($plan, new Crowd($site, $trouble), $clock, $database);
    }

    public function close(): void
    {
        $this->database->close();
    }

    protected function prepare(): void
    {
        $this->crowds[0]->site->ask('Counters::install(); return true;');
    }

    protected function compare(Verdict $verdict): void
    {
        $this->clock->moveBeyondAll();
        $site = $this->crowds[0]->site;
        $books = Books::read($site->notes());
        $verdict->check('each add was taken', $books->threw === 0, "$books->threw threw");
        // What can be read is right before all of it is stored, too.
        $books->compareReading($verdict, $site->ask(<<<'PHP'
            $sums = [];
            foreach (['hot', 'page'] as $name) {
                $sums[$name] = ['count' => 0, 'total' => 0];
                foreach (Counters::read($name, -100_000_000_000, 100_000_000_000, 86_400) as $row) {
                    $sums[$name]['count'] += $row['count'];
                    $sums[$name]['total'] += $row['total'];
                }
            }
            return $sums;
            PHP));
        $left = $site->ask(<<<'PHP'
            for ($i = 0; $i < 20 && ($i === 0 || Counters::pending() !== []); $i++) {
                Counters::flush();
            }
            $status = Counters::status();
            return ['pending' => count(Counters::pending()), 'status' => $status];
            PHP);
        $books->compare($verdict, $this->database->sums());
        $verdict->check('nothing is left in memory or on disk', $left['pending'] === 0
            && $left['status']['series']['minutes_used'] === 0 && glob($site->spool() . '/[!l]*') === [],
            json_encode($left));
        $verdict->check('no batch was set aside', !is_dir($site->spool() . '/set-aside'), 'see the spool');
        $damaged = $left['status']['damaged_series'];
        $verdict->check('no series was damaged', $damaged === 0, "$damaged");
        $verdict->note(sprintf('%d adds went straight to the database, %d minutes have rows',
            $left['status']['direct_adds'], $this->database->minutes()));
        $ended = $this->crowds[0]->endFlusher((int) $left['status']['flusher']['pid']);
        $verdict->check('the flusher ends when asked', $ended, 'it stays');
        $adds = $books->adds();
        $verdict->note(sprintf('%d adds checked, of %d processes and %d requests (slowest %.2f s)', $adds, $books->processes,
            $this->requests(), $this->slowest()));
        $verdict->note(sprintf('%d more adds were cut off by a kill, in %d bursts', $books->adds(true) - $adds, $books->cutOff));
    }
}
