<?php
// The recipes of Memcached in plain PHP, with PHP's `memcached` extension, and the extension `presence` on the same keys:
// each reads what the other wrote.
//
//   script/with-memcached php -d extension=…/presence.so tests/interop/memcached.php
//
// Prints a line per check, then `N passed, N failed`.
declare(strict_types=1);

/** One table of id => time in one value: read, changed, written back. */
final class RecipeTable
{
    public function __construct(private Memcached $memcached, private string $key, private int $throttle = 120, private int $keep = 300)
    {
    }

    public function record(string|int $id, int $now): void
    {
        $table = $this->memcached->get($this->key) ?: [];
        if ($now - ($table[$id] ?? 0) < $this->throttle) {
            return;
        }
        $table[$id] = $now;
        $table = array_filter($table, fn (int $time) => $time >= $now - $this->keep);
        $this->memcached->set($this->key, $table);
        $this->memcached->set("$this->key:count", count($table));
    }

    /** @return list<string> */
    public function ids(): array
    {
        return array_map(strval(...), array_keys($this->memcached->get($this->key) ?: []));
    }
}

/** The same over several values, each changed by CAS. */
final class RecipeParts
{
    public function __construct(private Memcached $memcached, private string $key, private int $parts = 8)
    {
    }

    public function part(string|int $id): string
    {
        return "$this->key:" . crc32((string) $id) % $this->parts;
    }

    public function record(string|int $id, int $now): void
    {
        do {
            $read = $this->memcached->get($this->part($id), null, Memcached::GET_EXTENDED);
            $table = $read['value'] ?? [];
            $table[$id] = $now;
        } while (!($read === false ? $this->memcached->add($this->part($id), $table)
            : $this->memcached->cas($read['cas'], $this->part($id), $table)));
    }

    /** @return array<string|int, int> */
    public function table(): array
    {
        $keys = array_map(fn (int $part) => "$this->key:$part", range(0, $this->parts - 1));
        return array_replace([], ...array_values($this->memcached->getMulti($keys) ?: []));
    }
}

/** Unique sessions of the last X seconds, refreshed every Y: X/Y + 1 counters, and a pointer that follows the clock. */
final class RecipeRing
{
    public function __construct(private Memcached $memcached, private string $key, private int $x = 300, private int $y = 60)
    {
    }

    public function session(string $id): string
    {
        $usable = strlen("$this->key:session:$id") <= 250 && $id[0] !== '#' && !preg_match('/[\x00-\x20\x7F]/', $id);
        return "$this->key:session:" . ($usable ? $id : '#' . substr(hash('sha256', $id), 0, 32));
    }

    public function counter(int $now): string
    {
        return "$this->key:" . intdiv($now, $this->y) % (intdiv($this->x, $this->y) + 1);
    }

    public function record(string $id, int $now): void
    {
        if ($this->memcached->add($this->session($id), 1, $this->x)) {
            $this->memcached->add($this->counter($now), 0, $this->x);
            $this->memcached->increment($this->counter($now));
        }
    }

    public function count(int $now): int
    {
        $sum = 0;
        for ($back = 1; $back <= intdiv($this->x, $this->y); $back++) {
            $sum += (int) $this->memcached->get($this->counter($now - $back * $this->y));
        }
        return $sum;
    }
}

$passed = $failed = 0;

function check(string $what, mixed $expected, mixed $actual): void
{
    global $passed, $failed;
    if ($expected === $actual) {
        $passed++;
        echo "$what: ok\n";
        return;
    }
    $failed++;
    echo "$what: expected ", json_encode($expected, JSON_PARTIAL_OUTPUT_ON_ERROR), ', got ', json_encode($actual, JSON_PARTIAL_OUTPUT_ON_ERROR), "\n";
}

/** @return list<array{string, int}> of the variable's DSN */
function servers(string $variable): array
{
    $dsn = getenv($variable) ?: exit("$variable is not set: run this by script/with-memcached\n");
    return array_map(fn (string $server) => [explode(':', $server)[0], (int) explode(':', $server)[1]],
        explode(',', substr($dsn, strlen('memcached://'))));
}

function client(string $variable = 'PRESENCE_TEST_MEMCACHED', array $options = []): Memcached
{
    $memcached = new Memcached();
    $memcached->setOptions($options + [Memcached::OPT_SERIALIZER => Memcached::SERIALIZER_PHP]);
    $memcached->addServers(servers($variable));
    return $memcached;
}

function presence(string $key, array $options = [], string $variable = 'PRESENCE_TEST_MEMCACHED'): Presence
{
    return new Presence(getenv($variable), $options + ['mode' => 'direct', 'key' => $key, 'timeout' => 10]);
}

function fresh_key(): string
{
    return 'interop:' . bin2hex(random_bytes(6));
}

function sorted(array $values): array
{
    sort($values);
    return $values;
}

/** The message of what it throws. */
function thrown(callable $call): string
{
    try {
        $call();
        return 'nothing';
    } catch (Throwable $e) {
        return $e::class . ': ' . $e->getMessage();
    }
}

/** Runs in the minute it is given to the end, however late in it this is. */
function within_a_minute(callable $checks): void
{
    if (time() % 60 > 50) {
        sleep(61 - time() % 60);
    }
    $checks(time());
}

$ids = [42, 0, -7, '042', '-0', 'guest', "a\"b;c'", 'größe', '9223372036854775807', '9223372036854775808', PHP_INT_MIN, 'x y', str_repeat('l', 250)];

function table_of_one_value(array $ids): void
{
    $now = time();
    $memcached = client();
    $key = fresh_key();
    $recipe = new RecipeTable($memcached, $key);
    $presence = presence($key, ['parts' => 1, 'sweep' => 0]);
    foreach ($ids as $id) {
        $recipe->record($id, $now - 10);
    }
    $texts = sorted(array_map(strval(...), $ids));
    check('table: PHP wrote, ids()', $texts, sorted(array_map(strval(...), $presence->ids())));
    check('table: PHP wrote, areOnline()', array_fill_keys($ids, true) + ['nobody' => false], $presence->areOnline([...$ids, 'nobody']));
    check('table: PHP wrote, lastSeen()', $now - 10, $presence->lastSeen(42));
    check('table: PHP wrote, count()', count($ids), $presence->count());

    $key = fresh_key();
    $recipe = new RecipeTable($memcached, $key);
    $presence = presence($key, ['parts' => 1, 'sweep' => 0]);
    foreach ($ids as $id) {
        $presence->persist($id);
    }
    $table = $memcached->get($key);
    $expected = array_fill_keys($ids, 0);
    check('table: we wrote, the keys have the types of PHP', array_keys($expected), array_keys($table));
    check('table: we wrote, the times are integers', true, min($table) >= $now && max($table) <= time());
    check('table: we wrote, PHP reads the count as an integer', count($ids), $memcached->get("$key:count"));
    $recipe->record('another', time());
    $recipe->record(42, time());
    $presence->persist('a third');
    check('table: in turns', sorted([...$texts, 'a third', 'another']), sorted($recipe->ids()));
    check('table: in turns, seen by us', count($ids) + 2, $presence->count());
    $presence->forget('another');
    check('table: forgotten by us, gone for PHP', false, in_array('another', $recipe->ids(), true));
    $memcached->delete($key);
    check('table: deleted by PHP', [], $presence->ids());
}

function table_of_parts(array $ids): void
{
    $now = time();
    $memcached = client();
    $key = fresh_key();
    $recipe = new RecipeParts($memcached, $key);
    $presence = presence($key);
    foreach ($ids as $i => $id) {
        $i % 2 ? $presence->persist($id) : $recipe->record($id, $now);
    }
    check('parts: each where both look', sorted(array_map(strval(...), $ids)), sorted(array_map(strval(...), array_keys($recipe->table()))));
    check('parts: seen by us', count($ids), count($presence->ids()));
    $presence->purge();
    check('parts: the count, for PHP', count($ids), $memcached->get("$key:count"));
    $memcached->set("$key:count", 77);
    check('parts: a count that PHP stored', 77, $presence->count());
}

function compressed(): void
{
    $now = time();
    foreach ([100 => 'short', 3000 => 'level 1', 20000 => 'level 2'] as $count => $name) {
        $memcached = client();
        $memcached->setOption(Memcached::OPT_COMPRESSION, true);
        $memcached->setOption(Memcached::OPT_COMPRESSION_TYPE, Memcached::COMPRESSION_FASTLZ);
        $key = fresh_key();
        $table = [];
        for ($i = 0; $i < $count; $i++) {
            $table[$i % 3 ? $i * 7919 : "guest$i"] = $now - $i % 50;
        }
        $memcached->set($key, $table);
        $presence = presence($key, ['parts' => 1, 'sweep' => 0]);
        check("compressed by FastLZ, $name: count", $count, $presence->count());
        check("compressed by FastLZ, $name: ids", true, sorted(array_map(strval(...), array_keys($table))) === sorted($presence->ids()));
        check("compressed by FastLZ, $name: a time", $table[7919 * 2], $presence->lastSeen(7919 * 2));
        $presence->persist('new');
        $back = $memcached->get($key);
        check("compressed by FastLZ, $name: written back", true, count($back) === $count + 1 && array_diff_key($back, ['new' => 0]) == $table);
    }
    $memcached = client();
    $memcached->setOption(Memcached::OPT_COMPRESSION_TYPE, Memcached::COMPRESSION_ZLIB);
    $key = fresh_key();
    $memcached->set($key, array_fill_keys(range(1, 1000), $now));
    check('compressed by zlib: says what to set', true, str_contains(thrown(fn () => presence($key, ['parts' => 1])->ids()), 'COMPRESSION_FASTLZ'));
    if (Memcached::HAVE_IGBINARY) {
        $memcached = client(options: [Memcached::OPT_SERIALIZER => Memcached::SERIALIZER_IGBINARY]);
        $memcached->set($key, [42 => $now]);
        check('igbinary: says what to set', true, str_contains(thrown(fn () => presence($key, ['parts' => 1])->ids()), 'SERIALIZER_PHP'));
    }
}

function ring(array $ids): void
{
    within_a_minute(function (int $now) use ($ids) {
        $memcached = client();
        $key = fresh_key();
        $recipe = new RecipeRing($memcached, $key);
        $presence = presence($key, ['strategy' => 'ring']);
        for ($minute = 1; $minute <= 6; $minute++) {
            for ($i = 0; $i < $minute; $i++) {
                $recipe->record("$minute/$i", $now - 60 * $minute);
            }
        }
        check('ring: PHP counted', 1 + 2 + 3 + 4 + 5, $presence->count());
        check('ring: both say the same', $recipe->count($now), $presence->count());
        check('ring: sessions of PHP are online', ['1/0' => true, '5/4' => true, 'x' => false], $presence->areOnline(['1/0', '5/4', 'x']));
        $presence->persist('1/0');
        check('ring: a session of PHP is not new to us', 6, $memcached->get($recipe->counter($now)));
        foreach ($ids as $id) {
            $presence->persist($id);
            $recipe->record((string) $id, $now);
        }
        check('ring: a session of ours is not new to PHP, however its id is written', 6 + count($ids), $memcached->get($recipe->counter($now)));
        $presence->forget('guest');
        check('ring: forgotten by us', false, $memcached->get($recipe->session('guest')));

        $key = fresh_key();
        $recipe = new RecipeRing($memcached, $key);
        $presence = presence($key, ['strategy' => 'ring']);
        foreach ($ids as $id) {
            $presence->persist($id);
        }
        check('ring: we counted, PHP reads an integer', count($ids), $memcached->get($recipe->counter($now)));
        $recipe->record('another', $now);
        check('ring: PHP counts on', count($ids) + 1, $memcached->get($recipe->counter($now)));
        check('ring: PHP sums up a minute later', count($ids) + 1, $recipe->count($now + 60));
    });
}

/** Keys are where PHP's client looks for them, with its defaults and with what many set. */
function distribution(): void
{
    $spreads = [
        'modula' => [],
        'consistent' => [Memcached::OPT_DISTRIBUTION => Memcached::DISTRIBUTION_CONSISTENT],
        'ketama' => [Memcached::OPT_LIBKETAMA_COMPATIBLE => true],
    ];
    foreach ($spreads as $name => $options) {
        $memcached = client('PRESENCE_TEST_MEMCACHED_TWO', $options);
        $more = $name === 'modula' ? [] : ['distribution' => $name];
        $key = fresh_key();
        $table = presence($key, $more, 'PRESENCE_TEST_MEMCACHED_TWO');
        $ring = presence("$key:ring", $more + ['strategy' => 'ring'], 'PRESENCE_TEST_MEMCACHED_TWO');
        $sessions = [];
        for ($i = 0; $i < 200; $i++) {
            $table->persist($i);
            $ring->persist($i);
            $sessions[] = "$key:ring:session:$i";
        }
        check("two servers, $name: the table's parts", 200, count((new RecipeParts($memcached, $key))->table()));
        check("two servers, $name: the ring's sessions", 200, count($memcached->getMulti($sessions)));
        $used = array_unique(array_map(fn (string $session) => $memcached->getServerByKey($session)['port'], $sessions));
        check("two servers, $name: both are used", 2, count($used));
    }
}

/** Processes of both kinds change the same parts. */
function together(): void
{
    $key = fresh_key();
    for ($process = 0; $process < 6; $process++) {
        if (pcntl_fork() === 0) {
            $recipe = new RecipeParts(client(), $key, 2);
            $presence = presence($key, ['parts' => 2]);
            for ($i = 0; $i < 200; $i++) {
                $process % 2 ? $presence->persist($process * 1000 + $i) : $recipe->record($process * 1000 + $i, time());
            }
            // Without destructors, which would print the sums once more.
            posix_kill(getmypid(), SIGKILL);
        }
    }
    while (pcntl_wait($status) > 0);
    check('at once: nobody is lost', 1200, count(presence($key, ['parts' => 2])->ids()));
}

foreach (['memcached', 'presence', 'pcntl', 'posix'] as $extension) {
    extension_loaded($extension) || exit("needs PHP's extension $extension\n");
}
table_of_one_value($ids);
table_of_parts($ids);
compressed();
ring($ids);
distribution();
together();
echo "$passed passed, $failed failed\n";
exit($failed > 0 || $passed === 0 ? 1 : 0);
