--TEST--
A password in a DSN shows neither in a stack trace nor in a dump
--FILE--
<?php
class Spy
{
    public function __construct(private Closure $call)
    {
        ($this->call)();
    }
}
// A stack trace with arguments, made while the call runs.
ini_set('zend.exception_ignore_args', '0');
foreach ([fn () => new Presence('redis://u:s3cret@h/0', ['nonsense' => 1]), fn () => Counters::connect('nonsense://u:s3cret@h')] as $call) {
    try {
        new Spy($call);
        echo "accepted\n";
    } catch (Throwable $e) {
        echo str_contains($e . print_r($e, true), 's3cret') ? "leaked in $e\n" : "clean\n";
    }
}
ob_start();
var_dump(new Presence('shm:'));
var_export(new Presence('shm:'));
print_r((array) new Presence('shm:'));
echo json_encode(new Presence('shm:'));
$shown = ob_get_clean();
echo preg_match('/shm/', $shown) ? $shown : "nothing shown\n";
?>
--EXPECTREGEX--
(clean|accepted)
clean
nothing shown
