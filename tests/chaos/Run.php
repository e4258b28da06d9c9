<?php
declare(strict_types=1);

require_once __DIR__ . '/Books.php';
require_once __DIR__ . '/Clock.php';
require_once __DIR__ . '/Database.php';
require_once __DIR__ . '/FastCgiClient.php';
require_once __DIR__ . '/Site.php';
require_once __DIR__ . '/Trouble.php';
require_once __DIR__ . '/Verdict.php';

/** One run: load and trouble for a while, then an end in peace, then the comparison. */
final class Run
{
    private const COUNTING = 6;
    private const CLIENTS = 5;
    /** Seconds after its end that a process may take to be gone. */
    private const PATIENCE = 15.0;

    /** @var list<CliProcess> */
    private array $workers = [];
    private ?CliProcess $flushing = null;
    /** @var list<FastCgiClient> */
    private array $clients = [];
    private int $flusher = 0;
    private int $requests = 0;
    private int $hung = 0;
    private int $started = 0;
    private float $slowest = 0.0;

    public function __construct(
        private readonly Site $site,
        private readonly Clock $clock,
        private readonly Database $database,
        private readonly Trouble $trouble,
        private readonly string $fpm,
        private readonly float $seconds,
        private readonly int $kills,
    ) {
    }

    public function run(): Verdict
    {
        $this->site->ask('Counters::install(); return true;');
        $this->site->startFpm($this->fpm);
        for ($i = 0; $i < self::CLIENTS; $i++) {
            $this->clients[] = new FastCgiClient($this->site->socket);
        }
        $began = microtime(true);
        $end = $began + $this->seconds;
        $nextLine = $began + 10.0;
        // Up to half as long again on a machine that is too slow for that many kills.
        $latest = $began + $this->seconds * 1.5;
        while (($now = microtime(true)) < $end || ($this->trouble->killed() < $this->kills && $now < $latest)) {
            $this->keepWorkersRunning();
            $this->serve(0.005, true);
            $this->trouble->tick($this->alive(), $this->flusher);
            if ($now >= $nextLine) {
                $nextLine += 10.0;
                printf("  %3.0f s: %d kills, %d requests\n", $now - $began, $this->trouble->killed(), $this->requests);
            }
        }
        printf("  %3.0f s: %d kills; everybody ends\n", microtime(true) - $began, $this->trouble->killed());
        $fpmEnded = $this->calmDown();
        printf("  %3.0f s: comparing\n", microtime(true) - $began);
        return $this->verdict($fpmEnded);
    }

    /** @return list<CliProcess> those that may be killed or stopped */
    private function alive(): array
    {
        $all = $this->flushing === null ? $this->workers : [...$this->workers, $this->flushing];
        return array_values(array_filter($all, static fn (CliProcess $w): bool => !$w->killed));
    }

    private function keepWorkersRunning(): void
    {
        $this->reap();
        while (count($this->workers) < self::COUNTING) {
            $lags = $this->started++ % 2 === 0;
            $this->workers[] = $this->site->startCli('count', mt_rand(300, 3000) / 1000, mt_rand(), $lags);
        }
        $this->flushing ??= $this->site->startCli('flush', 3.0, mt_rand(), false);
    }

    private function reap(): void
    {
        foreach ($this->workers as $i => $worker) {
            if ($this->hasEnded($worker)) {
                unset($this->workers[$i]);
            }
        }
        $this->workers = array_values($this->workers);
        if ($this->flushing !== null && $this->hasEnded($this->flushing)) {
            $this->flushing = null;
        }
    }

    private function hasEnded(CliProcess $process): bool
    {
        if ($process->running()) {
            if (microtime(true) <= $process->end + self::PATIENCE) {
                return false;
            }
            $this->hung++;
            $where = (string) @file_get_contents("/proc/$process->pid/wchan");
            fprintf(STDERR, "process %d hangs: %s\n", $process->pid, $where);
            posix_kill($process->pid, SIGKILL);
        }
        proc_close($process->handle);
        Clock::removeTraces($process->pid);
        return true;
    }

    /** Lets the pages' answers come in, and with $more sends new requests. */
    private function serve(float $seconds, bool $more): void
    {
        $sockets = [];
        foreach ($this->clients as $i => $client) {
            if ($client->socket() === null && $more) {
                $client->send([
                    'REQUEST_METHOD' => 'GET',
                    'SCRIPT_FILENAME' => __DIR__ . '/page.php',
                    'CHAOS_NOTES' => $this->site->notes(),
                ]);
            }
            if ($client->socket() !== null) {
                $sockets[$i] = $client->socket();
            }
        }
        $none = null;
        if ($sockets === []) {
            usleep((int) ($seconds * 1e6));
            return;
        }
        if (stream_select($sockets, $none, $none, 0, (int) ($seconds * 1e6)) > 0) {
            foreach (array_keys($sockets) as $i) {
                $age = $this->clients[$i]->age();
                $answer = json_decode($this->clients[$i]->read() ?: '', true);
                if (is_array($answer)) {
                    $this->requests++;
                    $this->flusher = (int) $answer['flusher'];
                    $this->slowest = max($this->slowest, $age);
                }
            }
        }
    }

    /** Everybody ends by himself; what still runs after that hangs. True if PHP-FPM ended as it should. */
    private function calmDown(): bool
    {
        $this->trouble->end();
        $deadline = microtime(true) + self::PATIENCE * 2;
        do {
            $this->reap();
            $this->serve(0.02, false);
            $waiting = array_filter($this->clients, static fn (FastCgiClient $c): bool => $c->socket() !== null);
        } while (($this->workers !== [] || $this->flushing !== null || $waiting !== []) && microtime(true) < $deadline);
        $this->hung += count($waiting);
        return $this->site->stopFpm();
    }

    private function verdict(bool $fpmEnded): Verdict
    {
        $this->clock->moveBeyondAll();
        $books = Books::read($this->site->notes());
        $verdict = new Verdict($books, $this->trouble, $this->requests, $this->slowest);
        $verdict->check('nobody hung', $this->hung === 0 && $fpmEnded, "$this->hung processes or requests");
        $killed = $this->trouble->killed();
        $verdict->check('kills as many as asked for', $killed >= $this->kills, "$killed");
        $verdict->check('each add was taken', $books->threw === 0, "$books->threw threw");
        // What can be read is right before all of it is stored, too.
        $verdict->compareReading($this->site->ask(<<<'PHP'
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
        $left = $this->site->ask(<<<'PHP'
            for ($i = 0; $i < 20 && ($i === 0 || Counters::pending() !== []); $i++) {
                Counters::flush();
            }
            $status = Counters::status();
            return ['pending' => count(Counters::pending()), 'status' => $status];
            PHP);
        $verdict->compare($this->database->sums());
        $verdict->check('nothing is left in memory or on disk', $left['pending'] === 0
            && $left['status']['series']['minutes_used'] === 0 && glob($this->site->spool() . '/[!l]*') === [],
            json_encode($left));
        $verdict->check('no batch was set aside', !is_dir($this->site->spool() . '/set-aside'), 'see the spool');
        $damaged = $left['status']['damaged_series'];
        $verdict->check('no series was damaged', $damaged === 0, "$damaged");
        $verdict->note(sprintf('%d adds went straight to the database, %d minutes have rows',
            $left['status']['direct_adds'], $this->database->minutes()));
        $ended = $this->endFlusher((int) $left['status']['flusher']['pid']);
        $verdict->check('the flusher ends when asked', $ended, 'it stays');
        return $verdict;
    }

    private function endFlusher(int $pid): bool
    {
        if (!$this->site->isFlusher($pid)) {
            return true;
        }
        posix_kill($pid, SIGTERM);
        for ($tries = 0; $tries < 100 && $this->site->isFlusher($pid); $tries++) {
            usleep(100_000);
        }
        return !$this->site->isFlusher($pid);
    }
}
