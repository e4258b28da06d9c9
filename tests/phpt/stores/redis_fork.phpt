--TEST--
Redis after a fork: each process has its own connection, and nobody disturbs another's
--EXTENSIONS--
pcntl
--SKIPIF--
<?php
require __DIR__ . '/../redis.inc.php';
skip_without_redis();
?>
--INI--
presence.mode=direct
presence.timeout=10
--FILE--
<?php
require __DIR__ . '/../support.inc.php';
require __DIR__ . '/../redis.inc.php';
$presence = new Presence(getenv('PRESENCE_TEST_REDIS'), ['key' => redis_key()]);
$presence->persist('parent');
for ($child = 1; $child <= 4; $child++) {
    if (pcntl_fork() === 0) {
        if ($child === 4) {
            exit(0); // without a word
        }
        for ($i = 0; $i < 50; $i++) {
            $presence->persist("child $child visitor $i");
        }
        exit($presence->isOnline("child $child visitor 49") ? 0 : 1);
    }
}
for ($i = 0; $i < 50; $i++) {
    $presence->persist("parent visitor $i");
    $presence->forget("parent visitor $i");
}
$codes = [];
while (pcntl_wait($status) > 0) {
    $codes[] = pcntl_wifexited($status) ? pcntl_wexitstatus($status) : -1;
}
attempt(fn () => $codes);
attempt(fn () => $presence->count());
attempt(fn () => $presence->isOnline('parent'));
?>
--EXPECT--
[0,0,0,0]
151
true
