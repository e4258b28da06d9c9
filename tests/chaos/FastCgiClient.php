<?php
declare(strict_types=1);

/**
 * One request at a time to a FastCGI responder over a Unix socket, never waiting. Knows as much of the protocol
 * (FastCGI 1.0) as one GET needs: BEGIN_REQUEST, PARAMS, an empty STDIN, and the STDOUT of the answer.
 */
final class FastCgiClient
{
    private const BEGIN_REQUEST = 1;
    private const END_REQUEST = 3;
    private const PARAMS = 4;
    private const STDIN = 5;
    private const STDOUT = 6;

    /** @var resource|null */
    private mixed $socket = null;
    private string $received = '';
    private float $since = 0.0;

    public function __construct(private readonly string $path)
    {
    }

    /** @return resource|null to be watched for reading; null while no request is under way */
    public function socket(): mixed
    {
        return $this->socket;
    }

    /** Seconds since the request under way was sent. */
    public function age(): float
    {
        return $this->socket === null ? 0.0 : microtime(true) - $this->since;
    }

    /**
     * False if nobody takes requests right now.
     *
     * @param array<string, string> $parameters
     */
    public function send(array $parameters): bool
    {
        $socket = @stream_socket_client("unix://$this->path", $code, $message, 1);
        if ($socket === false) {
            return false;
        }
        stream_set_blocking($socket, false);
        $pairs = '';
        foreach ($parameters as $name => $value) {
            $pairs .= pack('NN', strlen($name) | 1 << 31, strlen($value) | 1 << 31) . $name . $value;
        }
        $request = self::record(self::BEGIN_REQUEST, pack('nCx5', 1, 0))
            . self::record(self::PARAMS, $pairs) . self::record(self::PARAMS, '') . self::record(self::STDIN, '');
        if (@fwrite($socket, $request) !== strlen($request)) {
            return false;
        }
        $this->socket = $socket;
        $this->received = '';
        $this->since = microtime(true);
        return true;
    }

    /**
     * Reads what is there.
     *
     * @return string|false|null the body of the answer once it is complete; false if the connection broke before; null
     *     while it is under way
     */
    public function read(): string|false|null
    {
        $chunk = @fread($this->socket, 65536);
        if ($chunk !== false && $chunk !== '') {
            $this->received .= $chunk;
            return null;
        }
        if ($chunk === '' && !feof($this->socket)) {
            return null;
        }
        // Processes that were started meanwhile have a copy of the descriptor; FPM waits until the connection ends.
        stream_socket_shutdown($this->socket, STREAM_SHUT_RDWR);
        fclose($this->socket);
        $this->socket = null;
        return $this->body();
    }

    private function body(): string|false
    {
        $output = '';
        for ($at = 0; $at + 8 <= strlen($this->received);) {
            ['type' => $type, 'length' => $length, 'padding' => $padding]
                = unpack('Cversion/Ctype/nid/nlength/Cpadding', $this->received, $at);
            if ($type === self::STDOUT) {
                $output .= substr($this->received, $at + 8, $length);
            } elseif ($type === self::END_REQUEST) {
                return explode("\r\n\r\n", $output, 2)[1] ?? false;
            }
            $at += 8 + $length + $padding;
        }
        return false;
    }

    private static function record(int $type, string $content): string
    {
        return pack('CCnnCx', 1, $type, 1, strlen($content), 0) . $content;
    }
}
