<?php
declare(strict_types=1);

/** One FastCGI request to a PHP-FPM, such as a web server would send it. Does not wait until it is asked to. */
final class FastCgi
{
    private const BEGIN_REQUEST = 1, END_REQUEST = 3, PARAMS = 4, STDIN = 5, STDOUT = 6;

    /** @var resource */
    private $connection;
    private string $received = '';
    private string $output = '';
    /** Whether the server said that the request has ended. */
    public bool $complete = false;
    /** Whether the connection has ended. */
    public bool $closed = false;

    /**
     * @param array<string, string> $params
     * @param bool $all_said whether the request's end is sent along, which the server reads when it has answered
     */
    public function __construct(string $address, array $params, bool $all_said = true)
    {
        $connection = @stream_socket_client($address, $number, $message, 10);
        if ($connection === false) {
            throw new RuntimeException("cannot connect to $address: $message");
        }
        $this->connection = $connection;
        $pairs = '';
        foreach ($params as $name => $value) {
            $pairs .= self::length($name) . self::length($value) . $name . $value;
        }
        $request = self::record(self::BEGIN_REQUEST, pack('nCx5', 1, 0));
        foreach (str_split($pairs, 65000) as $part) {
            $request .= self::record(self::PARAMS, $part);
        }
        fwrite($connection, $request . self::record(self::PARAMS, '') . ($all_said ? self::record(self::STDIN, '') : ''));
        stream_set_blocking($connection, false);
    }

    /** The answer's body so far, without headers. */
    public function body(): string
    {
        return explode("\r\n\r\n", $this->output, 2)[1] ?? '';
    }

    /** Reads on until the request has ended, the connection is lost, or `$enough($this)`. False: none of it in that time. */
    public function read(?callable $enough = null, float $seconds = 30): bool
    {
        $deadline = hrtime(true) + (int) ($seconds * 1e9);
        while (!$this->closed && !$this->complete && !($enough !== null && $enough($this))) {
            if (hrtime(true) > $deadline) {
                return false;
            }
            $read = [$this->connection];
            $none = null;
            if (stream_select($read, $none, $none, 0, 100_000) > 0) {
                $bytes = fread($this->connection, 65536);
                $this->closed = $bytes === false || ($bytes === '' && feof($this->connection));
                $this->received .= (string) $bytes;
                $this->take_records();
            }
        }
        if ($this->complete) {
            fclose($this->connection);  // The worker waits for that.
            $this->closed = true;
        }
        return true;
    }

    private function take_records(): void
    {
        $at = 0;
        while (strlen($this->received) - $at >= 8) {
            ['type' => $type, 'length' => $length, 'padding' => $padding] = unpack('Cversion/Ctype/nid/nlength/Cpadding', $this->received, $at);
            if (strlen($this->received) - $at < 8 + $length + $padding) {
                break;
            }
            if ($type === self::STDOUT) {
                $this->output .= substr($this->received, $at + 8, $length);
            }
            $this->complete = $this->complete || $type === self::END_REQUEST;
            $at += 8 + $length + $padding;
        }
        $this->received = substr($this->received, $at);
    }

    private static function record(int $type, string $content): string
    {
        return pack('CCnnCx', 1, $type, 1, strlen($content), 0) . $content;
    }

    private static function length(string $text): string
    {
        return strlen($text) < 128 ? chr(strlen($text)) : pack('N', strlen($text) | 1 << 31);
    }
}
