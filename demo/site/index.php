<?php
declare(strict_types=1);

// Every request that is not for the live page ends here: one page view.

$path = $_SERVER['REQUEST_URI'];
$visitor = $_COOKIE['visitor'] ?? 'nobody';
$bytes = (int) ($_SERVER['HTTP_X_BYTES'] ?? 0);

(new Presence())->persist($visitor);
Counters::add('page.views', $path);
Counters::add('page.bytes', null, $bytes);

// What was understood, so that a client can tell a right answer from any other.
header('X-View: ' . hash('crc32b', "$visitor $bytes $path"));

$page = '<!doctype html><title>demo</title><p>This was <code>' . htmlspecialchars($path) . '</code>. '
    . '<a href="/live">Who is here?</a>';
header('Content-Type: text/html; charset=utf-8');
header('Content-Length: ' . strlen($page));
echo $page;
