<?php
// The extension beside plain PHP code that follows the recipes with phpredis: on the same keys, each reads what the other
// wrote. Run with the extension loaded, in direct mode, under script/with-redis. Prints a line for each check, then
// `N passed, N failed`.

/** Sorted set: the member is the visitor, the score the time of its last request. */
final class SortedSetRecipe
{
    public function __construct(private Redis $redis, private string $key)
    {
    }

    public function record(string $id, int $now): void
    {
        $this->redis->zAdd($this->key, $now, $id);
    }

    public function count(int $now, int $minutes = 5): int
    {
        return $this->redis->zCount($this->key, (string) ($now - $minutes * 60), '+inf');
    }

    public function ids(int $now, int $minutes = 5): array
    {
        return $this->redis->zRangeByScore($this->key, (string) ($now - $minutes * 60), '+inf');
    }

    public function purge(int $now, int $retention = 60): void
    {
        $this->redis->zRemRangeByScore($this->key, '-inf', (string) ($now - $retention * 60));
    }
}

/** One set a minute; a window of 5 is the running minute and the 4 before it. */
final class MinuteSetsRecipe
{
    public function __construct(private Redis $redis, private string $key)
    {
    }

    public function record(string $id, int $now, int $retention = 60): void
    {
        $key = $this->key . ':' . intdiv($now, 60);
        $this->redis->multi(Redis::PIPELINE)->sAdd($key, $id)->expire($key, ($retention + 1) * 60)->exec();
    }

    public function ids(int $now, int $minutes = 5): array
    {
        $minute = intdiv($now, 60);
        return $this->redis->sUnion(array_map(fn ($m) => "$this->key:$m", range($minute - $minutes + 1, $minute)));
    }

    public function count(int $now, int $minutes = 5): int
    {
        return count($this->ids($now, $minutes));
    }
}

/** One bitmap a block; online is who has a bit in the running block or in the one before. */
final class BlockBitmapRecipe
{
    public function __construct(private Redis $redis, private string $prefix, private int $windowSize = 300)
    {
    }

    public function record(int $id, int $now): void
    {
        $key = $this->prefix . ':' . intdiv($now, $this->windowSize);
        $this->redis->multi(Redis::PIPELINE)->setBit($key, $id, true)->expire($key, 2 * $this->windowSize)->exec();
    }

    public function isOnline(int $id, int $now): bool
    {
        $block = intdiv($now, $this->windowSize);
        return $this->redis->getBit("$this->prefix:$block", $id) || $this->redis->getBit("$this->prefix:" . ($block - 1), $id);
    }
}

$passed = $failed = 0;

function check(string $what, mixed $expected, mixed $found): void
{
    global $passed, $failed;
    if ($expected === $found) {
        $passed++;
        echo "$what: ok\n";
    } else {
        $failed++;
        echo "$what: failed, expected ", json_encode($expected), ', found ', json_encode($found), "\n";
    }
}

function sorted(array $ids): array
{
    $ids = array_map(strval(...), $ids);
    sort($ids, SORT_STRING);
    return $ids;
}

foreach (['redis', 'presence'] as $needed) {
    if (!extension_loaded($needed)) {
        exit("the PHP extension $needed is not loaded\n0 passed, 1 failed\n");
    }
}
$dsn = getenv('PRESENCE_TEST_REDIS') ?: exit("needs PRESENCE_TEST_REDIS: run it under script/with-redis\n0 passed, 1 failed\n");
$redis = new Redis();
$redis->connect(parse_url($dsn, PHP_URL_HOST), parse_url($dsn, PHP_URL_PORT));
$key = 'interop' . getmypid();
$open = fn (string $strategy, string $key) => new Presence($dsn, ['key' => $key, 'strategy' => $strategy, 'mode' => 'direct', 'timeout' => 10]);

$plain = new SortedSetRecipe($redis, "$key:z");
$presence = $open('zset', "$key:z");
$now = time();
$plain->record('plain', $now - 200);
$plain->record('gone', $now - 400);
$presence->persist('héllo wörld');
$presence->persist(7);
check('zset: the extension counts both', 3, $presence->count());
check('zset: so does the recipe', 3, $plain->count(time()));
check('zset: ids', sorted($plain->ids(time())), sorted($presence->ids()));
check('zset: what the recipe wrote is online', [true, false], [$presence->isOnline('plain'), $presence->isOnline('gone')]);
check('zset: last seen', $now - 200, $presence->lastSeen('plain'));
check('zset: a longer window', 4, $presence->count(10));
check('zset: no expiry', -1, $redis->ttl("$key:z"));
$plain->record('old', time() - 3700);
$presence->purge();
check('zset: the extension purges', false, $redis->zScore("$key:z", 'old'));
$presence->replace(7, 'user:7');
check('zset: replaced', sorted(['plain', 'héllo wörld', 'user:7']), sorted($plain->ids(time())));
$presence->forget('plain');
check('zset: forgotten', 2, $plain->count(time()));
$plain->purge(time());
check('zset: the recipe purges', 2, $presence->count());

$plain = new MinuteSetsRecipe($redis, "$key:s");
$presence = $open('sets', "$key:s");
$plain->record('plain', time());
$plain->record('earlier', time() - 180);
$plain->record('gone', time() - 360);
$presence->persist('extension');
$presence->persist('plain');
check('sets: the extension counts', 3, $presence->count());
check('sets: so does the recipe', 3, $plain->count(time()));
check('sets: ids', sorted($plain->ids(time())), sorted($presence->ids()));
check('sets: online', ['plain' => true, 'extension' => true, 'gone' => false], $presence->areOnline(['plain', 'extension', 'gone']));
check('sets: the same keys', [], array_filter($redis->keys("$key:s:*"), fn ($name) => !preg_match('/^' . preg_quote($key) . ':s:\d+$/', $name)));
check('sets: every key ends', true, min(array_map($redis->ttl(...), $redis->keys("$key:s:*"))) > 3600);
$presence->replace('plain', 'user');
check('sets: replaced', sorted(['user', 'earlier', 'extension']), sorted($plain->ids(time())));
$presence->forget('earlier');
check('sets: forgotten', sorted(['user', 'extension']), sorted($plain->ids(time())));

$plain = new BlockBitmapRecipe($redis, "$key:b");
$presence = $open('bitmap', "$key:b");
$plain->record(42, time());
$plain->record(43, time() - 300);
$plain->record(44, time() - 900);
$presence->persist(45);
$presence->persist('46');
check('bitmap: the recipe sees', [true, true, true, false], array_map(fn ($id) => $plain->isOnline($id, time()), [42, 45, 46, 47]));
check('bitmap: the extension sees', [42 => true, 43 => true, 44 => false, 45 => true, 46 => true], $presence->areOnline([42, 43, 44, 45, 46]));
check('bitmap: count', 4, $presence->count());
check('bitmap: ids', ['42', '43', '45', '46'], sorted($presence->ids()));
check('bitmap: every key ends', true, min(array_map($redis->ttl(...), $redis->keys("$key:b:*"))) > 0);
mt_srand(1);
$page = [];
for ($i = 0; $i < 200; $i++) {
    $page[] = $id = mt_rand(0, 1_000_000);
    if ($i % 3 === 0) {
        $plain->record($id, time() - 300 * ($i % 2));
    }
}
$expected = [];
foreach ($page as $id) {
    $expected[$id] = $plain->isOnline($id, time());
}
check('bitmap: a page of 200', $expected, $presence->areOnline($page));
$presence->replace(42, 1042);
$presence->forget(45);
check('bitmap: replaced and forgotten', [false, true, false], array_map(fn ($id) => $plain->isOnline($id, time()), [42, 1042, 45]));

$presence = $open('hll', "$key:h");
$presence->persist('a');
$minute = intdiv(time(), 60);
$redis->pfAdd("$key:h:hll:$minute", ['b', 'c']);
check('hll: both', 3, $presence->count());

$redis->del($redis->keys("$key:*"));
echo "$passed passed, $failed failed\n";
exit($failed > 0 ? 1 : 0);
