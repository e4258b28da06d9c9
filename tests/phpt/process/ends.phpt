--TEST--
Counters and Presence work to the very end of a request: destructors, shutdown functions, session handlers, output callbacks
--EXTENSIONS--
pdo_sqlite
--FILE--
<?php
require __DIR__ . '/../support.inc.php';
$use = 'function used(string $where): void { Counters::add($where); (new Presence())->persist($where); }';
$scripts = [
    'destructor' => 'class A { function __destruct() { used("destructor"); } } $a = new A;',
    'destructor of a static' => 'class A { static $a; function __destruct() { used("destructor"); } } A::$a = new A;',
    'destructor in a cycle' => 'class A { public $self; function __destruct() { used("destructor"); } } $a = new A; $a->self = $a; unset($a);',
    'throwing destructor' => 'class A { function __destruct() { used("destructor"); throw new Exception("from the destructor"); } } $a = new A;',
    'destructor after exit' => 'class A { function __destruct() { used("destructor"); } } $a = new A; exit;',
    'shutdown function' => 'register_shutdown_function(fn () => used("shutdown"));',
    'shutdown function after a fatal error' => 'register_shutdown_function(fn () => used("shutdown")); ini_set("display_errors", "0"); nothing();',
    'shutdown function in one' => 'register_shutdown_function(fn () => register_shutdown_function(fn () => used("shutdown")));',
    'output callback' => 'ob_start(function ($buffer) { used("output"); return $buffer; }); echo "text\n";',
    'output callback at the end' => 'ob_start(function ($buffer, $phase) { if ($phase & PHP_OUTPUT_HANDLER_FINAL) used("output"); return $buffer; }); echo "text\n";',
    'error handler' => 'set_error_handler(fn () => used("handler") ?? true); echo $undefined;',
    'exception handler' => 'set_exception_handler(fn () => used("handler")); throw new Exception();',
    'session handler' => 'if (!extension_loaded("session")) { used("session"); used("session write"); return; }
        eval(\'class H implements SessionHandlerInterface { function open($p, $n): bool { return true; } function close(): bool { used("session"); return true; } function read($i): string { return ""; }
        function write($i, $d): bool { used("session write"); return true; } function destroy($i): bool { return true; } function gc($m): int { return 0; } }\');
        ini_set("session.use_cookies", "0"); session_cache_limiter(""); session_set_save_handler(new H, true); session_start(); $_SESSION["a"] = 1;',
    'tick function' => 'eval("declare(ticks=1) { register_tick_function(fn () => used(\"tick\")); \$a = 1; }");',
    'generator that is left' => '(function () { try { yield 1; } finally { used("generator"); } })()->current();',
    'stream wrapper' => 'class W { public $context; function stream_open() { return true; } function stream_read() { return ""; } function stream_eof() { return true; } function stream_stat() { return []; } function stream_close() { used("close"); } }
        stream_wrapper_register("wrapper", "W"); $GLOBALS["kept"] = fopen("wrapper://x", "r");',
];
$base = ini_get('presence.segment');
$number = 0;
foreach ($scripts as $title => $script) {
    $path = $base . '-' . ++$number;
    $ini = ['presence.segment' => $path, 'presence.data_dir' => "$path.data"];
    file_put_contents("$path.php", "<?php $use $script");
    $printed = (string) shell_exec(implode(' ', array_map(escapeshellarg(...), php_command($ini, false, "$path.php"))));
    // What is used after the extension's own end of the request waits for the next one.
    $found = json_decode(run_php('echo json_encode([array_column(Counters::pending(), "name"), (new Presence())->ids()]);', $ini));
    $stored = array_map(fn ($row) => json_decode($row)[1], stored_rows("$path.data/counters.sqlite"));
    $names = array_values(array_unique([...$stored, ...$found[0]]));
    sort($names);
    $ids = $found[1];
    sort($ids);
    echo "$title: ", json_encode($names), $names === $ids ? '' : ' BUT VISITORS ' . json_encode($ids), preg_match('/^(Warning|Deprecated|presence)|Segmentation/m', $printed) ? " $printed" : '', "\n";
}
?>
--EXPECT--
destructor: ["destructor"]
destructor of a static: ["destructor"]
destructor in a cycle: ["destructor"]
throwing destructor: ["destructor"]
destructor after exit: ["destructor"]
shutdown function: ["shutdown"]
shutdown function after a fatal error: ["shutdown"]
shutdown function in one: ["shutdown"]
output callback: ["output"]
output callback at the end: ["output"]
error handler: ["handler"]
exception handler: ["handler"]
session handler: ["session","session write"]
tick function: ["tick"]
generator that is left: ["generator"]
stream wrapper: ["close"]
