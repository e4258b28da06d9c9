<?php
// Tests of the extension on a real PHP-FPM, on Apache with mod_php, and on `php -S`: many workers, reloads, kills, pools,
// the flusher, a database that goes away. Run by  script/test fpm , or
//
//   script/with-mariadb php tests/fpm/run.php PATH/TO/presence.so [WORD IN A TEST'S TITLE]
//
// The last line is `N passed, M failed`; the exit code is 1 if any failed.
declare(strict_types=1);

require_once __DIR__ . '/harness.php';
require_once __DIR__ . '/Database.php';

$module = $argv[1] ?? exit("usage: php run.php PATH/TO/presence.so [WORD]\n");
$only = $argv[2] ?? '';

foreach (glob(__DIR__ . '/cases/*.php') as $case) {
    require $case;
}
Database::close();
closing_line();
