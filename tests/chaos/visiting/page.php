<?php
declare(strict_types=1);

// A page under PHP-FPM: records visitors, and answers with what the driver wants to know.

require __DIR__ . '/load.php';

mt_srand(random_int(0, PHP_INT_MAX >> 1));
$presence = new Presence();
$presence->count();
visit_some(VisitorNotes::own($_SERVER['CHAOS_NOTES'], 'fpm'), $presence, mt_rand(1, 3));
header('Content-Type: application/json');
echo json_encode(['flusher' => Counters::status()['flusher']['pid']]);
