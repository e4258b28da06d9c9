<?php
declare(strict_types=1);

// The numbers of the live page. Asking for them is not a page view.

require __DIR__ . '/database.php';

const CHART_MINUTES = 30;
const BUSIEST = 10;

/**
 * Views by path since then: the stored minutes from the database, with SQL of our own, and what is still in memory.
 *
 * @return array{paths: array<string, int>, stored: int, pending: int} and how many rows of all counters there are
 */
function views_by_path(PDO $database, int $since): array
{
    $query = $database->prepare(
        "SELECT argument, SUM(total) FROM counter WHERE name = 'page.views' AND timeslot >= ? GROUP BY argument"
    );
    $query->execute([$since]);
    $views = array_map(intval(...), $query->fetchAll(PDO::FETCH_KEY_PAIR));
    $pending = Counters::pending();
    foreach ($pending as $row) {
        if ($row['name'] === 'page.views' && $row['slot'] >= $since) {
            $views[$row['argument']] = ($views[$row['argument']] ?? 0) + (int) $row['total'];
        }
    }
    arsort($views);
    return [
        'paths' => $views,
        'stored' => (int) $database->query('SELECT COUNT(*) FROM counter')->fetchColumn(),
        'pending' => count($pending),
    ];
}

/** @return list<float> totals of the last minutes, the running one last */
function by_minute(string $name, int $since): array
{
    $totals = array_fill(0, CHART_MINUTES, 0.0);
    foreach (Counters::read($name, $since) as $row) {
        $minute = intdiv($row['slot'] - $since, 60);
        if ($minute >= 0 && $minute < CHART_MINUTES) {
            $totals[$minute] = $row['total'];
        }
    }
    return $totals;
}

function total(string $name, int $since): float
{
    return array_sum(array_column(Counters::read($name, $since, null, 3600), 'total'));
}

$presence = new Presence();
$day = Counters::slot() - 86400;
$first = Counters::slot() - 60 * (CHART_MINUTES - 1);
$paths = views_by_path(counters_database(getenv('DEMO_DATABASE')), $day);

header('Content-Type: application/json');
header('Cache-Control: no-store');
echo json_encode([
    'online' => $presence->count(),
    'lastHour' => $presence->count(60),
    'views' => total('page.views', $day),
    'bytes' => total('page.bytes', $day),
    'paths' => count($paths['paths']),
    'busiest' => array_map(null, array_keys(array_slice($paths['paths'], 0, BUSIEST)), array_slice(array_values($paths['paths']), 0, BUSIEST)),
    'firstMinute' => $first,
    'viewsByMinute' => by_minute('page.views', $first),
    'now' => time(),
    'storedRows' => $paths['stored'],
    'pendingRows' => $paths['pending'],
], JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES | JSON_INVALID_UTF8_SUBSTITUTE);
