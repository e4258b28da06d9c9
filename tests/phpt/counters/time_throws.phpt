--TEST--
Counters::time(): adds also when the work throws, and the very exception goes on
--FILE--
<?php
require __DIR__ . '/../support.inc.php';
ini_set('zend.exception_ignore_args', '0');
class Failure extends Exception
{
}
$inner = new LogicException('inner', 1);
$thrown = new Failure('outer', 7, $inner);
$line = __LINE__ - 1;
try {
    Counters::time('fails', null, function () use ($thrown) {
        throw $thrown;
    });
    echo "nothing thrown\n";
} catch (Throwable $caught) {
    var_dump($caught === $thrown, $caught->getPrevious() === $inner, $caught->getLine() === $line, $caught->getCode());
    var_dump($inner->getPrevious());
}
// The trace shows the way through time(), with the argument.
function deep(): never
{
    throw new Failure('deep');
}
try {
    Counters::time('fails', 'x', 'deep');
} catch (Failure $caught) {
    foreach ($caught->getTrace() as $frame) {
        echo $frame['class'] ?? '', $frame['type'] ?? '', $frame['function'], ' ', json_encode($frame['args'] ?? null), "\n";
    }
}
// Errors of the engine, exceptions in nested calls, finally blocks.
attempt(fn () => Counters::time('fails', null, fn () => 1 % 0));
function needs(int $needed): void
{
}
attempt(fn () => Counters::time('fails', null, 'needs'));
attempt(fn () => Counters::time('fails', null, fn () => Counters::time('nested', null, fn () => throw new Failure('nested'))));
attempt(fn () => Counters::time('fails', null, function () {
    try {
        throw new Failure('first');
    } finally {
        echo "finally\n";
    }
}));
attempt(function () {
    try {
        Counters::time('fails', null, fn () => throw new Failure('before'));
    } finally {
        echo "outer finally\n";
    }
});
// Caught by the work itself.
attempt(fn () => Counters::time('catches', null, function () {
    try {
        Counters::time('fails', null, fn () => throw new Failure('caught inside'));
    } catch (Failure $caught) {
        return $caught->getMessage();
    }
}));
// A throwing destructor of what the work leaves behind.
attempt(fn () => Counters::time('fails', null, function () {
    $left = new class {
        public function __destruct()
        {
            throw new Failure('destructor');
        }
    };
}));
// Wrong arguments: the work is not called.
$work = function () {
    echo "CALLED\n";
};
attempt(fn () => Counters::time('', null, $work));
attempt(fn () => Counters::time(str_repeat('n', 65), null, $work));
attempt(fn () => Counters::time("\xff", null, $work));
attempt(fn () => Counters::time('fails', [], $work));
attempt(fn () => Counters::time('fails', null, 'nowhere'));
attempt(fn () => Counters::time('fails', null, ['Nobody', 'nothing']));
attempt(fn () => Counters::time('fails', null));
foreach (Counters::pending() as $row) {
    echo $row['name'], ' ', $row['argument'] ?? '-', ' ', $row['count'], "\n";
}
?>
--EXPECT--
bool(true)
bool(true)
bool(true)
int(7)
NULL
deep []
Counters::time ["fails","x","deep"]
DivisionByZeroError: Modulo by zero
ArgumentCountError: Too few arguments to function needs(), 0 passed and exactly 1 expected
Failure: nested
finally
Failure: first
outer finally
Failure: before
"caught inside"
Failure: destructor
ValueError: Counters::time(): Argument #1 ($name) must not be empty
ValueError: Counters::time(): Argument #1 ($name) must be at most 64 bytes long, 65 given
ValueError: Counters::time(): Argument #1 ($name) must be valid UTF-8
TypeError: Counters::time(): Argument #2 ($argument) must be of type ?string, array given
TypeError: Counters::time(): Argument #3 ($work) must be a valid callback, function "nowhere" not found or invalid function name
TypeError: Counters::time(): Argument #3 ($work) must be a valid callback, class "Nobody" not found
ArgumentCountError: Counters::time() expects exactly 3 arguments, 2 given
catches - 1
fails - 8
fails x 1
nested - 1
