<?php
declare(strict_types=1);

require_once __DIR__ . '/Comparison.php';

/** The outcome, for the terminal and for RESULTS.md. */
final class Report
{
    private const FORMAT = "%-36s %12s %12s %10s %17s  %-14s %s\n";

    /** @param resource $terminal */
    public function __construct(private $terminal)
    {
    }

    public function head(): void
    {
        fprintf($this->terminal, self::FORMAT, '', 'ours', 'peer', 'ratio', 'spread', 'goal', '');
    }

    public function row(Comparison $one): void
    {
        if ($one->left_out !== null) {
            fprintf($this->terminal, "%-36s left out: %s\n", $one->name, $one->left_out);
            return;
        }
        // printf counts bytes: what is wider in bytes than in signs is padded here.
        $cells = [$one->name, $one->value($one->ours()), $one->value($one->peer()), self::times($one->ratio()), self::range($one), $one->goal(), $one->verdict()];
        $widths = [-36, 12, 12, 10, 17, -14, 0];
        $line = '';
        foreach ($cells as $at => $text) {
            $gap = str_repeat(' ', max(0, abs($widths[$at]) - mb_strlen($text)));
            $line .= ($widths[$at] < 0 ? $text . $gap : $gap . $text) . ($at === 4 ? '  ' : ' ');
        }
        fwrite($this->terminal, rtrim($line) . "\n");
        fwrite($this->terminal, "    beside $one->peer_name\n");
    }

    /** @param list<Comparison> $all */
    public static function markdown(array $all, int $rounds, bool $quick): string
    {
        $text = "# Results\n\nWritten by `script/bench`" . ($quick ? ' --quick' : '') . " on " . date('j F Y') . ".\n\n" . self::machine() . "\n\n"
            . "Each row was measured in $rounds rounds, ours and its peer by turns in processes of their own. A ratio is the median of the rounds' ratios, the spread\n"
            . "is the middle half of them. `at most` compares costs (ours over the peer's), everything else says how many times better ours is.\n\n"
            . "| what | peer | ours | peer's | ratio | spread | goal | |\n|---|---|--:|--:|--:|--:|---|---|\n";
        foreach ($all as $one) {
            $text .= $one->left_out !== null
                ? "| $one->name | $one->peer_name | | | | | {$one->goal()} | left out: $one->left_out |\n"
                : "| $one->name | $one->peer_name | {$one->value($one->ours())} | {$one->value($one->peer())} | " . self::times($one->ratio()) . ' | '
                    . self::range($one) . " | {$one->goal()} | {$one->verdict()} |\n";
        }
        return $text;
    }

    private static function times(float $ratio): string
    {
        return Comparison::number($ratio) . '×';
    }

    private static function range(Comparison $one): string
    {
        [$from, $to] = $one->spread();
        return Comparison::number($from) . ' to ' . Comparison::number($to);
    }

    private static function machine(): string
    {
        $cpu = preg_match('/^model name\s*:\s*(.*)$/m', (string) file_get_contents('/proc/cpuinfo'), $found) === 1 ? $found[1] : php_uname('m');
        $cores = (int) trim((string) shell_exec('nproc'));
        $versions = ['PHP ' . PHP_VERSION];
        foreach (['redis-server --version' => '/v=([\d.]+)/', 'memcached -V' => '/([\d.]+)/', 'mariadbd --version' => '/Ver ([\d.]+)/', 'gcc --version' => '/([\d.]+)$/m'] as $command => $pattern) {
            if (preg_match($pattern, (string) shell_exec("PATH=\$PATH:/usr/sbin $command 2>/dev/null"), $found) === 1) {
                $versions[] = strtok($command, ' ') . " $found[1]";
            }
        }
        return "$cores cores of $cpu, Linux " . php_uname('r') . '. ' . implode(', ', $versions) . '.';
    }
}
