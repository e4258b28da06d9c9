<?php
declare(strict_types=1);

require_once __DIR__ . '/../servers/Server.php';

/** Kills and stops the processes of one site, and moves the clock, at random. One call of tick() does what is due. */
final class Trouble
{
    /** Longest pause of a process that is stopped, in seconds: longer than several minutes of the moved clock. */
    private const STOP_MAX = 2.5;
    private const SERVER_PAUSE = 3.0;

    /** @var array<string, int> kills by what was killed */
    public array $kills = ['worker' => 0, 'fpm' => 0, 'flusher' => 0, 'server' => 0];
    public int $stops = 0;
    public int $reloads = 0;
    public int $jumps = 0;

    private float $nextKill;
    private float $nextStop;
    private float $nextMinute;
    private float $nextJump;
    private float $nextReload;
    private float $nextServerKill;
    private float $serverBack = 0.0;
    /** @var array<int, float> stopped processes, and when they go on */
    private array $stopped = [];
    /** Since when a kill of the flusher waits for it to send something. */
    private float $aimingSince = 0.0;

    /**
     * @param ?Clock $clock to be moved, if it is
     * @param ?Server $server to be killed and brought back: of several sites that have one, one site has it here
     * @param Closure(int): bool $atWork whether the flusher, a process id, seems to be sending something just now
     */
    public function __construct(
        private readonly Site $site,
        private readonly ?Clock $clock,
        private readonly ?Server $server,
        private readonly Closure $atWork,
        private readonly float $secondsPerKill,
        private readonly int $killsMax,
        private readonly int $flusherPercent,
    ) {
        $now = microtime(true);
        $this->nextKill = $now + 1.0;
        $this->nextStop = $now + 2.0;
        $this->nextMinute = $now + 1.0;
        $this->nextJump = $now + 4.0;
        $this->nextReload = $now + 6.0;
        $this->nextServerKill = $now + 3.0;
    }

    public function killed(): int
    {
        return array_sum($this->kills);
    }

    /** @param list<CliProcess> $workers */
    public function tick(array $workers, int $flusher): void
    {
        $now = microtime(true);
        if ($this->aimingSince > 0.0) {
            $this->killFlusherAtWork($workers, $flusher);
        } elseif ($now >= $this->nextKill && $this->killed() < $this->killsMax) {
            $this->nextKill += $this->secondsPerKill * mt_rand(50, 150) / 100;
            $this->killSomebody($workers, $flusher);
        }
        if ($now >= $this->nextStop) {
            $this->nextStop = $now + mt_rand(300, 1500) / 1000;
            $this->stopSomebody($workers);
        }
        $this->letStoppedGoOn($now);
        if ($this->clock !== null) {
            $this->moveClock($now, $this->clock);
        }
        if ($now >= $this->nextReload) {
            $this->nextReload = $now + mt_rand(8, 15);
            $this->site->reloadFpm();
            $this->reloads++;
        }
        if ($this->server !== null) {
            $this->troubleServer($now, $this->server);
        }
    }

    /** Nobody stays stopped, and the server comes back. */
    public function end(): void
    {
        $this->letStoppedGoOn(INF);
        $this->server?->await();
    }

    /** @param list<CliProcess> $workers */
    private function killSomebody(array $workers, int $flusher): void
    {
        $dice = mt_rand(1, 100);
        if ($dice <= $this->flusherPercent && $flusher > 0) {
            if (mt_rand(0, 2) > 0) {
                $this->aimingSince = microtime(true);
            } elseif ($this->site->isFlusher($flusher) && posix_kill($flusher, SIGKILL)) {
                $this->kills['flusher']++;
            }
            return;
        }
        $fpm = $this->site->fpmWorkers();
        if ($dice % 2 === 0 && $fpm !== []) {
            $this->kills['fpm'] += (int) posix_kill($fpm[array_rand($fpm)], SIGKILL);
            return;
        }
        $alive = array_values(array_filter($workers, static fn (CliProcess $w): bool => !$w->killed));
        if ($alive !== []) {
            $worker = $alive[array_rand($alive)];
            $worker->killed = posix_kill($worker->pid, SIGKILL);
            $this->kills['worker'] += (int) $worker->killed;
        }
    }

    /**
     * A moment after something began to be sent kills one of those that might be at it: the flusher, or a process that
     * flushes on its own.
     *
     * @param list<CliProcess> $workers
     */
    private function killFlusherAtWork(array $workers, int $flusher): void
    {
        $flushing = array_filter($workers, static fn (CliProcess $w): bool => $w->role === 'flush');
        $flushing = reset($flushing) ?: null;
        $victim = $flushing !== null && mt_rand(0, 1) === 0 ? $flushing->pid : $flusher;
        $end = microtime(true) + 0.01;
        while (!($this->atWork)($flusher)) {
            if (microtime(true) > $end) {
                $this->aimingSince = microtime(true) - $this->aimingSince > 2.0 ? 0.0 : $this->aimingSince;
                return;
            }
        }
        $this->aimingSince = 0.0;
        // Up to 32 ms, and as often between 1 and 2 ms as between 16 and 32.
        usleep((int) (2 ** (mt_rand(0, 1500) / 100)));
        if ($victim === $flushing?->pid) {
            $flushing->killed = posix_kill($victim, SIGKILL);
            $this->kills['flusher'] += (int) $flushing->killed;
        } elseif ($this->site->isFlusher($victim) && posix_kill($victim, SIGKILL)) {
            $this->kills['flusher']++;
        }
    }

    /** @param list<CliProcess> $workers */
    private function stopSomebody(array $workers): void
    {
        $pids = [...array_map(static fn (CliProcess $w): int => $w->pid, $workers), ...$this->site->fpmWorkers()];
        $pid = $pids === [] ? 0 : $pids[array_rand($pids)];
        if ($pid > 0 && !isset($this->stopped[$pid]) && posix_kill($pid, SIGSTOP)) {
            $this->stopped[$pid] = microtime(true) + self::STOP_MAX * mt_rand(1, 100) / 100;
            $this->stops++;
        }
    }

    private function letStoppedGoOn(float $now): void
    {
        foreach ($this->stopped as $pid => $until) {
            if ($now >= $until) {
                posix_kill($pid, SIGCONT);
                unset($this->stopped[$pid]);
            }
        }
    }

    /** Each second is a minute. Every few seconds the clock jumps as well. */
    private function moveClock(float $now, Clock $clock): void
    {
        if ($now >= $this->nextMinute) {
            $this->nextMinute = $now + 1.0;
            $clock->move(60);
        }
        if ($now >= $this->nextJump) {
            $this->nextJump = $now + mt_rand(2000, 6000) / 1000;
            $this->jumps++;
            $jumps = [90, -90, 3600, -3600, 86_400, -86_400, 31_536_000, -31_536_000, 0];
            $jump = $jumps[$this->jumps % count($jumps)];
            // To before 1970, and back from there.
            $jump === 0 ? $clock->moveTo(-86_400 * mt_rand(1, 1000)) : $clock->move($jump);
            if ($jump === 90 && $this->jumps > 1) {
                $clock->moveTo(time());
            }
        }
    }

    private function troubleServer(float $now, Server $server): void
    {
        if ($this->serverBack > 0.0 && $now >= $this->serverBack) {
            $this->serverBack = 0.0;
            $server->restart();
            $this->nextServerKill = $now + self::SERVER_PAUSE * mt_rand(50, 200) / 100;
        } elseif ($this->serverBack === 0.0 && $now >= $this->nextServerKill) {
            $this->nextServerKill = INF;
            if ($server->kill()) {
                $this->kills['server']++;
                $this->serverBack = $now + mt_rand(100, 2500) / 1000;
            }
        }
    }
}
