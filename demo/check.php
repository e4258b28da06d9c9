<?php
declare(strict_types=1);

// Waits until the replayed minutes are stored, and compares what is found with what the access log says:
//   php check.php --online                              prints Presence::count()
//   php check.php --url URL --until TIME [--report FILE] waits, prints the table, exits 1 if a number differs
// Runs with the extension and the settings of the site, as the site's user: what is seen here is the segment that the
// web server's workers wrote to. TIME is the end of the last minute of the replay. The database is the one in the
// environment variable DEMO_DATABASE; FILE gets how many numbers are equal and how many are not.

require __DIR__ . '/AccessLog.php';
require __DIR__ . '/site/database.php';

/** A replay may take longer than the default window of five minutes; this is as long as visitors are kept. */
const WINDOW_MINUTES = 60;
/** Seconds after the end of the minute by which it must be stored. */
const PATIENCE = 20;
/** An argument has at most this many bytes; a longer one ends in `~` and 8 hex digits. */
const ARGUMENT_BYTES = 250;

/** One line of the result. */
final class Number
{
    public function __construct(
        public readonly string $what,
        public readonly int|float $found,
        public readonly int $must,
    ) {
    }

    public function equal(): bool
    {
        return $this->found == $this->must;
    }
}

/** Asks the site for its live numbers once a second, as an open live page does, until the database holds all views. */
function wait_until_stored(string $url, PDO $database, int $views, int $until): void
{
    $terminal = stream_isatty(STDOUT);
    $last = max(time(), $until) + PATIENCE;
    if (!$terminal && time() < $until) {
        printf("  the minute is over in %d s\n", $until - time());
    }
    while (stored_views($database) !== $views && time() <= $last) {
        if ($terminal) {
            $left = $until - time();
            echo "\r  ", $left > 0 ? "the minute is over in $left s" : 'the minute is over, it is being stored', "\e[K";
        }
        usleep(time() < $until ? 1000000 : 200000);
        if (@file_get_contents("$url/live.json") === false) {
            throw new RuntimeException("$url does not answer any more");
        }
    }
    echo $terminal ? "\r\e[K" : '';
}

function stored_views(PDO $database): int
{
    return (int) $database->query("SELECT SUM(count) FROM counter WHERE name = 'page.views'")->fetchColumn();
}

/** @return array<string, int> path => views as stored */
function stored_paths(PDO $database): array
{
    $rows = $database->query("SELECT argument, SUM(total) FROM counter WHERE name = 'page.views' GROUP BY argument");
    return array_map(intval(...), $rows->fetchAll(PDO::FETCH_KEY_PAIR));
}

/**
 * How many paths of the log are stored with exactly the views that they have in the log.
 *
 * @param array<string, int> $stored
 * @param array<string, int> $logged
 */
function equal_paths(array $stored, array $logged): int
{
    $equal = 0;
    foreach ($logged as $path => $views) {
        $equal += (int) (($stored[stored_name($stored, (string) $path)] ?? -1) === $views);
    }
    return $equal;
}

/** @param array<string, int> $stored */
function stored_name(array $stored, string $path): string
{
    if (strlen($path) <= ARGUMENT_BYTES) {
        return $path;
    }
    $start = substr($path, 0, ARGUMENT_BYTES - 9);
    foreach (array_keys($stored) as $name) {
        if (preg_match('/^' . preg_quote($start, '/') . '~[0-9a-f]{8}$/D', (string) $name)) {
            return $name;
        }
    }
    return $path;
}

/** @return list<Number> */
function compare(AccessLog $log, PDO $database): array
{
    $must = $log->totals();
    $stored = stored_paths($database);
    $bytes = $database->query("SELECT SUM(total), SUM(count) FROM counter WHERE name = 'page.bytes'")->fetch(PDO::FETCH_NUM);
    $presence = new Presence();
    $numbers = [
        new Number('visitors online, Presence::count()', $presence->count(WINDOW_MINUTES), $must['visitors']),
        new Number('of them in the log, Presence::ids()',
            count(array_intersect($presence->ids(WINDOW_MINUTES), $log->visitors())), $must['visitors']),
        new Number('page views stored', array_sum($stored), $must['views']),
        new Number('paths stored', count($stored), $must['paths']),
        new Number('of them with the views of the log', equal_paths($stored, $log->paths()), $must['paths']),
        new Number('bytes stored', (float) $bytes[0], $must['bytes']),
        new Number('adds of bytes stored', (int) $bytes[1], $must['views']),
    ];
    foreach ($must['busiest'] as $path => $views) {
        $numbers[] = new Number("views of $path", $stored[$path] ?? 0, $views);
    }
    return $numbers;
}

/** @param list<Number> $numbers */
function print_table(array $numbers): void
{
    [$green, $red, $bold, $plain] = stream_isatty(STDOUT) ? ["\e[32m", "\e[31m", "\e[1m", "\e[0m"] : ['', '', '', ''];
    printf("\n  %s%-36s %15s %15s%s\n", $bold, '', 'found', 'must be', $plain);
    foreach ($numbers as $number) {
        printf("  %-36s %15s %15s  %s\n", $number->what, show($number->found), show($number->must),
            $number->equal() ? "{$green}equal{$plain}" : "{$red}DIFFERENT{$plain}");
    }
    echo "\n";
}

function show(int|float $value): string
{
    return number_format($value, fmod($value, 1) == 0 ? 0 : 6);
}

function main(): int
{
    $options = getopt('', ['online', 'url:', 'until:', 'report:']);
    if (isset($options['online'])) {
        echo number_format((new Presence())->count(WINDOW_MINUTES)), "\n";
        return 0;
    }
    $log = AccessLog::read(__DIR__ . '/access-log.tsv');
    if ($log->totals() !== json_decode(file_get_contents(__DIR__ . '/expected.json'), true)) {
        throw new RuntimeException('access-log.tsv is not the log that expected.json was made for');
    }
    $database = counters_database(getenv('DEMO_DATABASE'));
    wait_until_stored($options['url'], $database, count($log->requests), (int) $options['until']);
    $numbers = compare($log, $database);
    print_table($numbers);
    $equal = count(array_filter($numbers, fn (Number $number) => $number->equal()));
    printf("  %d of %d numbers are exactly what the log says\n", $equal, count($numbers));
    if (isset($options['report'])) {
        file_put_contents($options['report'], $equal . ' ' . (count($numbers) - $equal) . "\n");
    }
    return $equal === count($numbers) ? 0 : 1;
}

try {
    exit(main());
} catch (RuntimeException | PDOException $error) {
    fwrite(STDERR, "check: {$error->getMessage()}\n");
    exit(1);
}
