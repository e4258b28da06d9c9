--TEST--
presence.enabled=0: Counters check their arguments' types and do nothing
--INI--
presence.enabled=0
--FILE--
<?php
require __DIR__ . '/../support.inc.php';
attempt(fn () => Counters::add('views'));
attempt(fn () => Counters::add('payment.time', 'stripe', 0.0347));
attempt(fn () => Counters::connect('mysql://u:p@h/d'));
attempt(fn () => Counters::available());
attempt(fn () => Counters::time('work', null, fn () => 'done'));
attempt(fn () => Counters::time('work', null, fn () => throw new LogicException('thrown')));
attempt(fn () => Counters::flush());
attempt(fn () => Counters::pending());
attempt(fn () => Counters::read('views', 0));
attempt(fn () => Counters::install());
attempt(fn () => Counters::status());
attempt(fn () => Counters::slot(61));
attempt(fn () => Counters::hash('a', null, 60));
attempt(fn () => Counters::add());
attempt(fn () => Counters::add([]));
attempt(fn () => Counters::add('a', null, 'much'));
attempt(fn () => Counters::time('a', null, 'no such function'));
var_dump(file_exists(ini_get('presence.segment')), file_exists(ini_get('presence.data_dir')));
?>
--EXPECTF--
null
null
null
false
"done"
LogicException: thrown
0
[]
[]
null
{"enabled":false}
60
"%x"
ArgumentCountError: Counters::add() expects at least 1 argument, 0 given
TypeError: Counters::add(): Argument #1 ($name) must be of type string, array given
TypeError: Counters::add(): Argument #3 ($value) must be of type float, string given
TypeError: Counters::time(): Argument #3 ($work) must be a valid callback, function "no such function" not found or invalid function name
bool(false)
bool(false)
