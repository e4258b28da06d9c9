--TEST--
An argument is data: too long or not UTF-8, it is kept as far as it can be, and counted in status()
--FILE--
<?php
require __DIR__ . '/../support.inc.php';
function kept(string ...$arguments): void
{
    static $name = 'a';
    $before = Counters::status();
    foreach ($arguments as $argument) {
        Counters::add($name, $argument);
    }
    $rows = array_filter(Counters::pending(), fn ($row) => $row['name'] === $name);
    foreach ($rows as $row) {
        $shown = preg_replace('/(x|ä|\x{FFFD})\1{20,}/u', '$1…', $row['argument']);
        echo json_encode($shown, JSON_UNESCAPED_UNICODE), ' ', strlen($row['argument']), ' bytes, ', $row['count'], " times\n";
        // The same as hash() and read() know it by.
        if (count(Counters::read($name, 0, null, 60, $arguments[0])) !== 1) {
            echo "NOT READ\n";
        }
    }
    $after = Counters::status();
    echo '  shortened ', $after['shortened_arguments'] - $before['shortened_arguments'],
        ', scrubbed ', $after['scrubbed_arguments'] - $before['scrubbed_arguments'], "\n";
    $name++;
}
kept(str_repeat('x', 250));
kept(str_repeat('x', 251));
kept(str_repeat('x', 251), str_repeat('x', 251));
kept(str_repeat('x', 1 << 20));
kept(str_repeat('x', 240) . "\u{E4}" . str_repeat('x', 10));
kept(str_repeat("\u{E4}", 126));
kept("\xff");
kept("before\xe2\x82after");
kept("\xed\xa0\x80");
kept(str_repeat("\xff", 250));
kept(str_repeat("\xff", 83));
kept(str_repeat("\xff", 84));
// Two long ones that begin the same stay apart, also when they differ in what is scrubbed.
$name = 'apart';
Counters::add($name, str_repeat('x', 300) . 'a');
Counters::add($name, str_repeat('x', 300) . 'b');
Counters::add($name, str_repeat('x', 300) . "\xfe");
Counters::add($name, str_repeat('x', 300) . "\xff");
echo count(array_filter(Counters::pending(), fn ($row) => $row['name'] === $name)), " apart\n";
?>
--EXPECT--
"x…" 250 bytes, 1 times
  shortened 0, scrubbed 0
"x…~90d738c3" 250 bytes, 1 times
  shortened 1, scrubbed 0
"x…~90d738c3" 250 bytes, 2 times
  shortened 2, scrubbed 0
"x…~8f990ba0" 250 bytes, 1 times
  shortened 1, scrubbed 0
"x…~23bcf003" 249 bytes, 1 times
  shortened 1, scrubbed 0
"ä…~5f1f5658" 249 bytes, 1 times
  shortened 1, scrubbed 0
"�" 3 bytes, 1 times
  shortened 0, scrubbed 1
"before�after" 14 bytes, 1 times
  shortened 0, scrubbed 1
"���" 9 bytes, 1 times
  shortened 0, scrubbed 1
"�…~3e8cb12c" 249 bytes, 1 times
  shortened 1, scrubbed 1
"�…" 249 bytes, 1 times
  shortened 0, scrubbed 1
"�…~4a83aa45" 249 bytes, 1 times
  shortened 1, scrubbed 1
4 apart
