<?php
declare(strict_types=1);

require_once __DIR__ . '/Chart.php';
require_once __DIR__ . '/Comparison.php';
require_once __DIR__ . '/Machine.php';

/** The outcome: a table for the terminal as it grows, RESULTS.md with its charts, and the place in README that shows the most important. */
final class Report
{
    /** What README shows: name and peer of the comparison, what a user calls it, and how to measure it. */
    private const README = [
        ['add', 'the recipe in PHP on APCu', 'counting, beside the usual recipe on APCu', 'APCu'],
        ['add, two processes on one key', 'one process', 'two processes on one counter, beside one', 'two processes on one key'],
        ['persist', 'phpredis, SETBIT and EXPIRE', 'recording a visitor, beside phpredis', 'persist, beside phpredis, SETBIT'],
        ['areOnline of 200 ids', 'phpredis, pipeline of 400 GETBIT', 'who of 200 members is online, beside a pipeline in phpredis', 'areOnline of 200 ids'],
        ['page with 4 adds, 1 persist, 200 isOnline', 'the same page without', 'a page that counts four values and shows 200 members, beside the same page without', 'page with'],
    ];
    private const MARKS = ['<!-- results: written by script/bench -->', '<!-- end of results -->'];

    /** @var array<string, list<Comparison>> */
    private array $sections = [];
    /** @var array<string, array<int, float>> */
    private array $growth = [];
    /** @var array<string, array{int, string}> */
    private array $memory = [];
    /** @var ?array{before: float, after: float, pause: float} */
    private ?array $minute_end = null;

    public function __construct(private readonly bool $quick)
    {
    }

    /** The comparisons that follow belong together. */
    public function begin(string $title): void
    {
        $this->sections[$title] = [];
        self::line([$title, 'ours', 'peer', 'ratio', 'spread', 'goal', '']);
    }

    public function add(Comparison $one): void
    {
        $this->sections[array_key_last($this->sections)][] = $one;
        if ($one->left_out !== null) {
            echo "$one->name\n    beside $one->peer_name: left out, $one->left_out\n";
            return;
        }
        self::line([$one->name, $one->value($one->ours()), $one->value($one->peer()), self::times($one->ratio()), self::range($one), $one->goal(), $one->verdict()]);
        echo "    beside $one->peer_name\n";
    }

    /** @param array<string, array<int, float>> $curves label => [size => nanoseconds] */
    public function growth(array $curves): void
    {
        $this->growth = $curves;
        foreach ($curves as $label => $points) {
            echo "$label: ", implode(', ', array_map(static fn (int $size, float $cost): string => number_format($size) . ' ' . Comparison::time($cost), array_keys($points), $points)), "\n";
        }
    }

    /** @param array<string, array{int, string}> $sizes name => [bytes, what they are] */
    public function memory(array $sizes): void
    {
        $this->memory = $sizes;
        foreach ($sizes as $name => [$bytes, $what]) {
            echo "memory of $name: ", Comparison::bytes($bytes), " $what\n";
        }
    }

    /** @param ?array{before: float, after: float, pause: float} $measured */
    public function minute_end(?array $measured): void
    {
        $this->minute_end = $measured;
        if ($measured !== null) {
            echo $this->minute_end_text(), "\n";
        }
    }

    public function verdict(): string
    {
        $count = array_count_values(array_map(static fn (Comparison $one): string => $one->verdict(), $this->all())) + ['met' => 0, 'not met' => 0, 'left out' => 0];
        return "{$count['met']} goals met, {$count['not met']} not met, {$count['left out']} comparisons left out";
    }

    /** RESULTS.md and charts/ in that folder. */
    public function write(string $folder): void
    {
        is_dir("$folder/charts") || mkdir("$folder/charts", 0755, true);
        $text = "# Results\n\nWritten by `script/bench" . ($this->quick ? ' --quick' : '') . '` on ' . date('j F Y') . ".\n\n" . Machine::describe() . "\n\n"
            . "A row's two sides were measured by turns, each time in new processes. A ratio is the median of the rounds' ratios, its spread the middle half of\n"
            . "them. `at most` compares costs (ours over the peer's); everything else says how many times better ours is. [How it is measured](README.md).\n";
        foreach ($this->sections as $title => $section) {
            $text .= "\n## $title\n\n| what | peer | ours | peer's | ratio | spread | goal | |\n|---|---|--:|--:|--:|--:|---|---|\n" . implode('', array_map(self::row(...), $section));
        }
        foreach ($this->charts() as $file => [$alternative, $svg]) {
            file_put_contents("$folder/charts/$file", $svg);
            $text .= "\n![$alternative](charts/$file)\n";
        }
        $text .= $this->further();
        file_put_contents("$folder/RESULTS.md", $text);
    }

    /** The five results in README, between their marks. */
    public function write_readme(string $file): void
    {
        $rows = "| | ours | theirs | | measure it |\n|---|--:|--:|--:|---|\n";
        foreach (self::README as [$name, $peer, $title, $only]) {
            foreach ($this->all() as $one) {
                if ([$one->name, $one->peer_name] === [$name, $peer] && $one->left_out === null) {
                    $rows .= sprintf("| %s | %s | %s | **%s** | `script/bench --only '%s'` |\n", $title, $one->value($one->ours()), $one->value($one->peer()), self::times($one->ratio()), $only);
                }
            }
        }
        $text = (string) file_get_contents($file);
        [$from, $to] = self::MARKS;
        $parts = [explode($from, $text, 2), explode($to, $text, 2)];
        if (count($parts[0]) !== 2 || count($parts[1]) !== 2) {
            throw new RuntimeException("$file has no place for the results: $from … $to");
        }
        file_put_contents($file, $parts[0][0] . $from . "\n" . Machine::describe() . ' ' . date('j F Y') . ".\n\n$rows$to" . $parts[1][1]);
    }

    /** @return list<Comparison> */
    private function all(): array
    {
        return array_merge(...array_values($this->sections));
    }

    /** @return array<string, array{string, string}> file => [what it shows, SVG] */
    private function charts(): array
    {
        $charts = [];
        $bars = function (string $file, string $title, string $note, array $wanted, string $ours_name) use (&$charts): void {
            $ours = $theirs = [];
            foreach ($this->all() as $one) {
                if (in_array([$one->name, $one->peer_name], $wanted, true) && $one->left_out === null) {
                    $ours["$ours_name"] ??= $one->ours();
                    $theirs[$one->peer_name] = $one->peer();
                }
            }
            asort($theirs);
            if ($theirs !== []) {
                $charts[$file] = [$title, Chart::bars($title, $note, $ours + $theirs, count($ours))];
            }
        };
        $bars('counting.svg', 'Counting one value', 'Time of one call, logarithmic; shorter is better', [
            ['add', 'the recipe in PHP on APCu'], ['add', 'promphp/prometheus_client_php, a counter on APCng'],
            ['add', 'promphp/prometheus_client_php, a counter on Redis'], ['add', 'a prepared upsert for each call, MariaDB on loopback'],
        ], 'Counters::add with argument and value');
        $bars('recording.svg', 'Recording a visitor', 'Time of one call, logarithmic; shorter is better', [
            ['persist', 'phpredis, SETBIT and EXPIRE'], ['persist', 'phpredis, ZADD'], ['persist', 'phpredis, SADD and EXPIRE in one round trip'],
            ['persist', 'Predis, SETBIT and EXPIRE in one round trip'], ['persist', 'memcached extension, the table'], ['persist', 'memcached extension, the ring'],
        ], 'Presence::persist');
        $bars('members.svg', 'Which of 200 members are online', 'Time of one answer, logarithmic; shorter is better', [
            ['areOnline of 200 ids', 'phpredis, pipeline of 400 GETBIT'], ['areOnline of 200 ids', 'Predis, pipeline of 400 GETBIT'],
        ], 'Presence::areOnline');
        if ($this->growth !== []) {
            $title = 'What a call costs while everything grows';
            $charts['growth.svg'] = [$title, Chart::lines($title, 'Time of one call; both scales are logarithmic', 'visitors, or series', $this->growth)];
        }
        return $charts;
    }

    private function further(): string
    {
        $text = '';
        if ($this->growth !== []) {
            $sizes = array_keys(reset($this->growth));
            $text .= "\n## Growth\n\n| |" . implode('|', array_map('number_format', $sizes)) . "|\n|---|" . str_repeat('--:|', count($sizes)) . "\n";
            foreach ($this->growth as $label => $points) {
                $text .= "| $label | " . implode(' | ', array_map(Comparison::time(...), $points)) . " |\n";
            }
        }
        if ($this->memory !== []) {
            $text .= "\n## Memory\n\n| | | |\n|---|--:|---|\n";
            foreach ($this->memory as $name => [$bytes, $what]) {
                $text .= "| $name | " . Comparison::bytes($bytes) . " | $what |\n";
            }
        }
        return $this->minute_end === null ? $text : "$text\n## A minute's end under load\n\n{$this->minute_end_text()}\n";
    }

    private function minute_end_text(): string
    {
        return sprintf(
            'Two processes on 64 series, while the flusher stores the minute that ended: %s adds a second before, %s after (%s%%); 64 adds took %s at most.',
            Comparison::number($this->minute_end['before']),
            Comparison::number($this->minute_end['after']),
            Comparison::number(100 * $this->minute_end['after'] / $this->minute_end['before']),
            Comparison::time($this->minute_end['pause']),
        );
    }

    private static function row(Comparison $one): string
    {
        $cells = $one->left_out !== null
            ? ['', '', '', '', $one->goal(), "left out: $one->left_out"]
            : [$one->value($one->ours()), $one->value($one->peer()), self::times($one->ratio()), self::range($one), $one->goal(), $one->verdict()];
        return "| $one->name | $one->peer_name | " . implode(' | ', $cells) . " |\n";
    }

    /** printf counts bytes: what is wider in bytes than in signs is padded here. @param list<string> $cells */
    private static function line(array $cells): void
    {
        $widths = [-42, 12, 12, 10, 18, -14, 0];
        $line = '';
        foreach ($cells as $at => $text) {
            $gap = str_repeat(' ', max(0, abs($widths[$at]) - iconv_strlen($text)));
            $line .= ($widths[$at] < 0 ? $text . $gap : $gap . $text) . ($at === 4 ? '  ' : ' ');
        }
        echo rtrim($line), "\n";
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
}
