<?php
declare(strict_types=1);

// A page under PHP-FPM: adds, and answers with what the driver wants to know.

require __DIR__ . '/load.php';

mt_srand(random_int(0, PHP_INT_MAX >> 1));
$adds = add_some(Notes::own($_SERVER['CHAOS_NOTES'], 'fpm'), mt_rand(1, 60));
header('Content-Type: application/json');
echo json_encode(['adds' => $adds, 'flusher' => Counters::status()['flusher']['pid']]);
