<?php
// Tests of the extension on a real PHP-FPM, on Apache with mod_php, and on `php -S`: many workers, reloads, kills, pools,
// the flusher, a database that goes away. Run by  script/test fpm , or
//
//   script/with-mariadb php tests/fpm/run.php PATH/TO/presence.so [WORD IN A TEST'S TITLE]
//
// The last line is `N passed, M failed`; the exit code is 1 if any failed.
declare(strict_types=1);

require_once __DIR__ . '/Site.php';
require_once __DIR__ . '/Database.php';

$module = $argv[1] ?? exit("usage: php run.php PATH/TO/presence.so [WORD]\n");
$only = $argv[2] ?? '';
$passed = $failed = 0;

/** Notes whether two values are the same. */
function same(mixed $expected, mixed $found, string $what): void
{
    global $passed, $failed;
    $equal = $expected === $found;
    $equal ? $passed++ : $failed++;
    echo $equal ? '  ok    ' : '  FAIL  ', $what, $equal ? '' : ': expected ' . json_encode($expected) . ', found ' . json_encode($found), "\n";
}

/** Runs a test on a site of its own. @param array<string, array<string, string>> $pools */
function test(string $title, array $pools, callable $body, bool $moves_clock = true): void
{
    global $module, $only, $failed;
    if ($only !== '' && !str_contains($title, $only)) {
        return;
    }
    echo "$title\n";
    $began = hrtime(true);
    $site = new Site($module, $pools, $moves_clock);
    try {
        $body($site);
    } catch (Throwable $e) {
        $failed++;
        echo '  FAIL  ', $e::class, ': ', $e->getMessage(), ' in line ', $e->getLine(), "\n", $site->log(), "\n";
    } finally {
        $site->close();
    }
    printf("  %.1f s\n", (hrtime(true) - $began) / 1e9);
}

foreach (glob(__DIR__ . '/cases/*.php') as $case) {
    require $case;
}
Database::close();
echo "\n$passed passed, $failed failed\n";
exit($failed === 0 && $passed > 0 ? 0 : 1);
