<?php
// The page of the site under Apache: counts, and says who did.
for ($i = 0, $adds = (int) ($_GET['adds'] ?? 0); $i < $adds; $i++) {
    Counters::add('views', null, 1);
    usleep((int) ($_GET['pause'] ?? 0));
}
if ($adds > 0) {
    (new Presence())->persist((string) $_GET['id']);
}
header('Content-Type: application/json');
echo json_encode(['pid' => getmypid(), 'flusher' => Counters::status()['flusher']['pid'], 'visitors' => (new Presence())->count()]);
