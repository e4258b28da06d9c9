<?php
declare(strict_types=1);

// Replays the access log over HTTP:
//   php replay.php --url http://127.0.0.1:8080 [--clients 16] [--speed REQUESTS-PER-SECOND]
// Each request is sent once and its answer checked; the first one that is not as expected ends the run.

require __DIR__ . '/AccessLog.php';

/** One keep-alive connection with at most one request under way. Never blocks after it is connected. */
final class Client
{
    /** @var resource */
    public readonly mixed $socket;
    private string $out = '';
    private string $in = '';
    private ?LoggedRequest $request = null;

    public function __construct(private readonly string $host, private readonly int $port)
    {
        $socket = stream_socket_client("tcp://$host:$port", $code, $message, 5);
        if ($socket === false) {
            throw new RuntimeException("cannot connect to $host:$port: $message");
        }
        stream_set_blocking($socket, false);
        $this->socket = $socket;
    }

    public function idle(): bool
    {
        return $this->request === null;
    }

    public function wantsToWrite(): bool
    {
        return $this->out !== '';
    }

    public function send(LoggedRequest $request): void
    {
        $this->request = $request;
        $this->out = "$request->method $request->path HTTP/1.1\r\nHost: $this->host:$this->port\r\n"
            . "Cookie: visitor=$request->visitor\r\nX-Bytes: $request->bytes\r\n"
            . ($request->method === 'POST' ? "Content-Length: 0\r\n" : '') . "\r\n";
        $this->write();
    }

    public function write(): void
    {
        $written = fwrite($this->socket, $this->out);
        if ($written === false) {
            throw new RuntimeException('the server closed the connection');
        }
        $this->out = substr($this->out, $written);
    }

    /** Reads what is there. True when this completes the answer to the request under way. */
    public function read(): bool
    {
        $chunk = fread($this->socket, 65536);
        if ($chunk === '' && feof($this->socket) || $chunk === false) {
            throw new RuntimeException("the server closed the connection before it answered {$this->request?->path}");
        }
        $this->in .= $chunk;
        $end = strpos($this->in, "\r\n\r\n");
        if ($end === false) {
            return false;
        }
        $head = substr($this->in, 0, $end + 4);
        $length = preg_match('/^content-length: *(\d+)\r$/mi', $head, $match) ? (int) $match[1] : 0;
        $body = $this->request?->method === 'HEAD' ? 0 : $length;
        if (strlen($this->in) < $end + 4 + $body) {
            return false;
        }
        $this->check($head, strlen($this->in) - $end - 4 - $body);
        $this->in = '';
        $this->request = null;
        return true;
    }

    private function check(string $head, int $surplus): void
    {
        $request = $this->request ?? throw new RuntimeException('an answer came that nobody had asked for');
        $view = hash('crc32b', "$request->visitor $request->bytes $request->path");
        if (!str_starts_with($head, 'HTTP/1.1 200 ') || !str_contains($head, "\r\nX-View: $view\r\n") || $surplus !== 0) {
            throw new RuntimeException(
                "unexpected answer to $request->method $request->path\n" . explode("\r\n", $head)[0]
            );
        }
    }
}

/** Tells how far the replay is: a bar on a terminal, a few plain lines elsewhere. */
final class Progress
{
    private const WIDTH = 32;
    private readonly bool $terminal;
    private readonly float $start;
    private float $drawn = 0.0;
    private int $nextLine;

    public function __construct(private readonly int $total)
    {
        $this->terminal = stream_isatty(STDOUT);
        $this->start = microtime(true);
        $this->nextLine = intdiv($total, 4);
    }

    public function show(int $done): void
    {
        $now = microtime(true);
        if ($this->terminal && ($done === $this->total || $now - $this->drawn > 0.05)) {
            $this->drawn = $now;
            $filled = intdiv($done * self::WIDTH, $this->total);
            echo "\r  ", str_repeat('█', $filled), str_repeat('░', self::WIDTH - $filled), ' ', $this->text($done, $now), "\e[K";
        } elseif (!$this->terminal && $done >= $this->nextLine) {
            $this->nextLine += intdiv($this->total, 4);
            echo "  ", $this->text($done, $now), "\n";
        }
        if ($done === $this->total && $this->terminal) {
            echo "\n";
        }
    }

    private function text(int $done, float $now): string
    {
        $rate = $done / max($now - $this->start, 0.001);
        return sprintf('%s of %s requests, %s a second', number_format($done), number_format($this->total), number_format($rate));
    }
}

/**
 * @param list<Client> $clients
 * @param float $speed requests a second at most
 */
function replay(AccessLog $log, array $clients, float $speed): void
{
    $total = count($log->requests);
    $progress = new Progress($total);
    $start = $active = microtime(true);
    for ($sent = $done = 0; $done < $total;) {
        $due = min($total, (int) min((microtime(true) - $start) * $speed + 1, PHP_INT_MAX >> 1));
        foreach ($clients as $client) {
            if ($sent < $due && $client->idle()) {
                $client->send($log->requests[$sent++]);
            }
        }
        $read = $write = [];
        foreach ($clients as $number => $client) {
            $client->idle() || $read[$number] = $client->socket;
            $client->wantsToWrite() && $write[$number] = $client->socket;
        }
        if ($read === []) {
            usleep(1000);  // Ahead of the wanted speed.
            $active = microtime(true);
            continue;
        }
        $except = null;
        // Short where more requests fall due meanwhile; otherwise only an answer lets the replay go on.
        stream_select($read, $write, $except, 0, $sent < $total && $speed < INF ? 5000 : 200000);
        foreach (array_keys($write) as $number) {
            $clients[$number]->write();
        }
        foreach (array_keys($read) as $number) {
            $active = microtime(true);
            $done += (int) $clients[$number]->read();
        }
        if (microtime(true) - $active > 30) {
            throw new RuntimeException('the server has not answered for 30 seconds');
        }
        $progress->show($done);
    }
}

function main(): void
{
    $options = getopt('', ['log:', 'url:', 'clients:', 'speed:']);
    $log = AccessLog::read($options['log'] ?? __DIR__ . '/access-log.tsv');
    $url = parse_url($options['url'] ?? 'http://127.0.0.1:8080');
    $clients = [];
    for ($i = 0; $i < (int) ($options['clients'] ?? 16); $i++) {
        $clients[] = new Client($url['host'], $url['port'] ?? 80);
    }
    replay($log, $clients, (float) ($options['speed'] ?? INF));
}

try {
    main();
} catch (RuntimeException $error) {
    fwrite(STDERR, "\nreplay: {$error->getMessage()}\n");
    exit(1);
}
