<?php
declare(strict_types=1);

require_once __DIR__ . '/Clock.php';
require_once __DIR__ . '/FastCgiClient.php';
require_once __DIR__ . '/Site.php';
require_once __DIR__ . '/Trouble.php';

/** All that work on one site at a time: processes on the command line, and browsers that ask PHP-FPM for its page. */
final class Crowd
{
    private const WORKERS = 6;
    private const CLIENTS = 5;
    /** Seconds after its end that a process may take to be gone. */
    private const PATIENCE = 15.0;

    public int $requests = 0;
    public int $hung = 0;
    /** Seconds of the slowest answer. */
    public float $slowest = 0.0;
    /** Process id of the flusher, as pages told last; 0: none. */
    public int $flusher = 0;
    /** @var list<CliProcess> */
    private array $workers = [];
    private ?CliProcess $flushing = null;
    /** @var list<FastCgiClient> */
    private array $clients = [];
    private int $started = 0;

    public function __construct(public readonly Site $site, public readonly Trouble $trouble)
    {
    }

    public function begin(string $fpm): void
    {
        $this->site->startFpm($fpm);
        for ($i = 0; $i < self::CLIENTS; $i++) {
            $this->clients[] = new FastCgiClient($this->site->socket);
        }
    }

    /** A moment of work and trouble. */
    public function goOn(float $seconds): void
    {
        $this->keepWorkersRunning();
        $this->serve($seconds, true);
        $this->trouble->tick($this->alive(), $this->flusher);
    }

    /** Everybody ends by himself; what still runs after that hangs. True if PHP-FPM ended as it should. */
    public function calmDown(): bool
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

    /** False if it stays. */
    public function endFlusher(int $pid): bool
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

    /** @return list<CliProcess> those that may be killed or stopped */
    private function alive(): array
    {
        $all = $this->flushing === null ? $this->workers : [...$this->workers, $this->flushing];
        return array_values(array_filter($all, static fn (CliProcess $w): bool => !$w->killed));
    }

    private function keepWorkersRunning(): void
    {
        $this->reap();
        while (count($this->workers) < self::WORKERS) {
            $lags = $this->started++ % 2 === 0;
            $this->workers[] = $this->site->startCli('work', mt_rand(300, 3000) / 1000, mt_rand(), $lags);
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
                    'SCRIPT_FILENAME' => $this->site->page(),
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
}
