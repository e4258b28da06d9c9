--TEST--
A Presence object is neither cloned, serialized, extended, compared nor given properties
--FILE--
<?php
require __DIR__ . '/../support.inc.php';
$presence = new Presence();
attempt(fn () => clone $presence);
attempt(fn () => serialize($presence));
attempt(fn () => unserialize('O:8:"Presence":0:{}'));
attempt(fn () => $presence->colour = 'red');
attempt(fn () => (new ReflectionClass(Presence::class))->newInstanceWithoutConstructor());
var_dump($presence == new Presence(), $presence == $presence);
var_dump($presence instanceof Countable, $presence instanceof Presence\Repository);
attempt(fn () => new Presence([]));
attempt(fn () => new Presence('shm:', 'key'));
attempt(fn () => new Presence('shm:', [], 1));
?>
--EXPECTF--
Error: Trying to clone an uncloneable object of class Presence
Exception: Serialization of 'Presence' is not allowed
Exception: Unserialization of 'Presence' is not allowed
Error: Cannot create dynamic property Presence::$colour
ReflectionException: Class Presence is an internal class marked as final that cannot be instantiated without invoking its constructor
bool(false)
bool(true)
bool(true)
bool(true)
TypeError: Presence::__construct(): Argument #1 ($store) must be of type ?string, array given
TypeError: Presence::__construct(): Argument #2 ($options) must be of type array, string given
ArgumentCountError: Presence::__construct() expects at most 2 arguments, 3 given
