<?php
declare(strict_types=1);

// A process on the command line: php worker.php ROLE FOLDER SECONDS SEED
//   work    records visitors all the time, and forks now and then
//   flush   exchanges them with the store, again and again, beside the flusher
// Ends by itself, unless it is killed.

require __DIR__ . '/load.php';

[, $role, $folder, $seconds, $seed] = $argv;
mt_srand((int) $seed);
$end = hrtime(true) + (int) ((float) $seconds * 1e9);
$presence = new Presence();

if ($role === 'flush') {
    while (hrtime(true) < $end) {
        try {
            $presence->count();
            $presence->flush();
        } catch (Presence\PresenceException) {
            // The store is being killed, too.
        }
        usleep(mt_rand(0, 300_000));
    }
    exit(0);
}

$notes = VisitorNotes::own($folder, 'cli');
while (hrtime(true) < $end) {
    visit_some($notes, $presence, mt_rand(1, 3));
    usleep(mt_rand(0, 20_000));
    match (mt_rand(0, 199)) {
        0, 1, 2, 3, 4 => come_and_go($notes, $presence),
        5 => forget_somebody($notes, $presence),
        6 => fork_and_visit($folder, $presence),
        default => null,
    };
}

/** A child that goes on with what it inherited. */
function fork_and_visit(string $folder, Presence $presence): void
{
    $child = pcntl_fork();
    if ($child === 0) {
        mt_srand(getmypid());
        visit_some(VisitorNotes::own($folder, 'fork'), $presence, mt_rand(1, 20));
        exit(0);
    }
    pcntl_waitpid($child, $status);
}
