--TEST--
phpinfo() shows version, libraries and settings, and no password of a DSN
--INI--
presence.store=redis://site:s3cret-store@redis.example/0
presence.sink=mysql://site:s3cret-sink@db.example:3307/stats
--FILE--
<?php
ob_start();
(new ReflectionExtension('presence'))->info();
phpinfo(INFO_MODULES | INFO_CONFIGURATION);
$text = ob_get_clean();
var_dump(str_contains($text, 's3cret'));
foreach (['Version', 'MySQL sink', 'SQLite sink', 'presence.store', 'presence.sink', 'presence.window'] as $wanted) {
    echo $wanted, ': ', preg_match('/^' . preg_quote($wanted) . '.*$/m', $text, $match) ? $match[0] : 'missing', "\n";
}
?>
--EXPECTF--
bool(false)
Version: Version => %d.%d.%d%S
MySQL sink: MySQL sink%S => %s
SQLite sink: SQLite sink%S => %s
presence.store: presence.store => redis://site:***@redis.example/0 => redis://site:***@redis.example/0
presence.sink: presence.sink => mysql://site:***@db.example:3307/stats => mysql://site:***@db.example:3307/stats
presence.window: presence.window => 5 => 5
