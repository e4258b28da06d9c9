<?php
declare(strict_types=1);

require_once __DIR__ . '/../VisitorNotes.php';
require_once __DIR__ . '/../Visitors.php';

/** Some visits, of people whom everybody sees and of the process's own. */
function visit_some(VisitorNotes $notes, Presence $presence, int $visits): void
{
    for ($i = 0; $i < $visits; $i++) {
        $notes->persist($presence, mt_rand(0, 2) === 0 ? mt_rand(1, Visitors::HOT) : Visitors::ownWhoStays());
    }
}

/** Somebody logs in, and somebody comes who will be forgotten, by this process at once or by another later. */
function come_and_go(VisitorNotes $notes, Presence $presence): void
{
    if ($guest = Visitors::ownGuest()) {
        $notes->persist($presence, $guest[0]);
        usleep(mt_rand(0, 2) * 1000);
        $notes->replace($presence, ...$guest);
    }
    if ($visitor = Visitors::ownWhoLeaves()) {
        $notes->persist($presence, $visitor);
        if (mt_rand(0, 2) === 0) {
            $notes->forget($presence, $visitor);
        }
    }
}

/** Somebody is forgotten, wherever recorded. */
function forget_somebody(VisitorNotes $notes, Presence $presence): void
{
    $leaving = array_values(array_filter(array_map(intval(...), $presence->ids()), Visitors::mayBeForgotten(...)));
    if ($leaving !== []) {
        $notes->forget($presence, $leaving[array_rand($leaving)]);
    }
}
