--TEST--
Presence: forget(), replace(), purge() and flush() do what they say, at once and for all objects
--EXTENSIONS--
pcntl
--SKIPIF--
<?php
require __DIR__ . '/../support.inc.php';
skip_without_clock();
?>
--FILE--
<?php
require __DIR__ . '/../support.inc.php';
require __DIR__ . '/../clock.inc.php';
$presence = new Presence();
$other = new Presence('shm:');
function seen(Presence $presence): void
{
    $ids = $presence->ids(60);
    sort($ids, SORT_STRING);
    $times = array_map(fn ($id) => $presence->lastSeen($id) - CLOCK_START, $ids);
    echo $presence->count(60), ' ', json_encode(array_combine($ids, $times), JSON_FORCE_OBJECT), "\n";
}
$presence->persist('guest');
$presence->persist('a');
set_clock(10);
$presence->persist(42);
seen($other);
echo "-- forget\n";
var_dump($other->isOnline('a'));
$presence->forget('a');
var_dump($presence->isOnline('a'), $other->isOnline('a'), $other->lastSeen('a'), $other->count());
$presence->forget('a');
$presence->forget('nobody');
seen($other);
echo "-- replace: the guest's time stays\n";
$presence->replace('guest', 7);
var_dump($other->isOnline('guest'), $other->isOnline('7'));
seen($other);
echo "-- replace: into one who is here; the later time stays\n";
set_clock(20);
$presence->persist('second guest');
$presence->replace('second guest', 42);
seen($other);
$presence->replace(7, 42);
seen($other);
echo "-- replace: nobody, oneself, back and forth\n";
$presence->replace('nobody', 'new');
$presence->replace(42, '42');
seen($other);
$presence->replace(42, 'x');
$presence->replace('x', 42);
seen($other);
$presence->replace(42, str_repeat('x', 250));
$presence->replace(str_repeat('x', 250), 'short');
seen($other);
echo "-- purge: after the retention, not before\n";
set_clock(20 + 3600);
$presence->purge();
seen($other);
attempt(fn () => $presence->status()['visitors']['used']);
set_clock(20 + 3601);
attempt(fn () => $presence->status()['visitors']['used']);
$presence->purge();
attempt(fn () => $presence->status()['visitors']['used']);
attempt(fn () => $presence->flush());
echo "-- in another process\n";
$presence->persist('here');
echo run_php('$p = new Presence(); echo json_encode($p->ids()), "\n"; $p->forget("here"); $p->persist("there");', [], true);
attempt(fn () => $presence->ids());
?>
--EXPECT--
3 {"42":10,"a":0,"guest":0}
-- forget
bool(true)
bool(false)
bool(false)
NULL
int(2)
2 {"42":10,"guest":0}
-- replace: the guest's time stays
bool(false)
bool(true)
2 {"42":10,"7":0}
-- replace: into one who is here; the later time stays
2 {"42":20,"7":0}
1 {"42":20}
-- replace: nobody, oneself, back and forth
1 {"42":20}
1 {"42":20}
1 {"short":20}
-- purge: after the retention, not before
1 {"short":20}
1
1
0
null
-- in another process
["here"]
["there"]
