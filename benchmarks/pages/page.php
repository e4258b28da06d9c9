<?php
declare(strict_types=1);

// A forum's list of 200 members. With ?presence it records its visitor, counts, and shows who is online.
$started = hrtime(true);
$with = isset($_GET['presence']);
$presence = null;
if ($with) {
    Counters::add('pages.views');
    Counters::add('pages.views.path', '/members');
    $presence = new Presence();
    $presence->persist(random_int(1, 5000));
}
$page = "<!doctype html>\n<title>Members</title>\n<table>\n";
for ($id = 1; $id <= 200; ++$id) {
    $member = ['id' => $id, 'name' => "Member <$id>", 'since' => 1600000000 + 86400 * $id, 'posts' => $id * 7 % 1000];
    $online = $presence?->isOnline($id) ? 'online' : 'away';
    $page .= sprintf(
        "<tr><td>%d<td><a href=\"/member/%d\">%s</a><td>%s<td>%s<td class=\"%s\">\n",
        $member['id'],
        $member['id'],
        htmlspecialchars($member['name']),
        date('j M Y', $member['since']),
        number_format($member['posts']),
        $online,
    );
}
$page .= "</table>\n";
if ($with) {
    Counters::add('pages.bytes', null, (float) strlen($page));
    Counters::add('pages.seconds', '/members', (hrtime(true) - $started) / 1e9);
}
echo $page;
