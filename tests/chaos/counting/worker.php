<?php
declare(strict_types=1);

// A process on the command line: php worker.php ROLE FOLDER SECONDS SEED
//   work    adds all the time, and forks now and then
//   flush   stores what is finished, again and again
// Ends by itself, unless it is killed.

require __DIR__ . '/load.php';

[, $role, $folder, $seconds, $seed] = $argv;
mt_srand((int) $seed);
$end = hrtime(true) + (int) ((float) $seconds * 1e9);

if ($role === 'flush') {
    while (hrtime(true) < $end) {
        try {
            Counters::flush();
        } catch (Presence\PresenceException) {
            // The database is being killed, too.
        }
        usleep(mt_rand(0, 100_000));
    }
    exit(0);
}

$notes = Notes::own($folder, 'cli');
while (hrtime(true) < $end) {
    add_some($notes, 50);
    // A kill is no less likely to hit an add, and the books stay small.
    usleep(mt_rand(0, 1000));
    if (mt_rand(0, 199) === 0) {
        $child = pcntl_fork();
        if ($child === 0) {
            mt_srand((int) $seed + 1);
            add_some(Notes::own($folder, 'fork'), mt_rand(1, 100));
            exit(0);
        }
        pcntl_waitpid($child, $status);
    }
}
