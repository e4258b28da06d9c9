--TEST--
With opcache and preloading, classes that use Counters and Presence work, and a preload script may use them itself
--SKIPIF--
<?php
if (!glob(ini_get('extension_dir') . '/opcache.so')) {
    die('skip needs opcache.so');
}
?>
--FILE--
<?php
require __DIR__ . '/../support.inc.php';
$base = ini_get('presence.segment');
file_put_contents("$base.preload.php", '<?php
    final class Page
    {
        private static ?Presence $presence = null;
        const WINDOW = 5;
        public static function viewed(string $path, string|int $visitor): int
        {
            Counters::add("views", $path, 1);
            return Counters::time("page", $path, function () use ($visitor) {
                self::$presence ??= new Presence(null, ["window" => self::WINDOW]);
                self::$presence->persist($visitor);
                return self::$presence->count();
            });
        }
    }
    final class Fake implements Presence\Repository
    {
        public function persist(string|int $visitorId): void {}
        public function purge(): void {}
        public function count(?int $minutes = null): int { return 7; }
        public function ids(?int $minutes = null): array { return []; }
    }
    USED');
$preload = file_get_contents("$base.preload.php");
$zend = ['zend_extension' => 'opcache', 'opcache.enable_cli' => '1', 'opcache.preload_user' => 'root', 'opcache.jit' => 'disable', 'opcache.jit_buffer_size' => '0'];
$run = 'for ($i = 1; $i <= 3; $i++) { echo Page::viewed("/", "v$i"), " "; } echo (new Fake)->count(), " ", json_encode(array_column(Counters::read("views", 0, null, 86400), "count")), " ", opcache_get_status()["opcache_enabled"] ? "cached" : "not cached", "\n";';
foreach (['' => 'plain', 'Counters::add("views", "preload"); (new Presence())->persist("preload"); $GLOBALS["kept"] = new Presence();' => 'used while preloading'] as $used => $title) {
    file_put_contents("$base.preload.php", str_replace('USED', $used, $preload));
    echo "-- $title\n";
    $ini = ['presence.segment' => "$base-$title", 'presence.data_dir' => "$base-$title.data", 'opcache.preload' => "$base.preload.php"] + $zend;
    echo run_php($run, $ini, false, $code), run_php($run, $ini), "code $code\n";
}
?>
--EXPECT--
-- plain
1 2 3 7 [3] cached
3 3 3 7 [6] cached
code 0
-- used while preloading
2 3 4 7 [4] cached
4 4 4 7 [8] cached
code 0
