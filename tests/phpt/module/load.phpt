--TEST--
The extension loads, has a version, and defines its classes and no functions
--FILE--
<?php
$extension = new ReflectionExtension('presence');
echo preg_match('/^\d+\.\d+\.\d+(-dev)?$/', $extension->getVersion()) ? "version\n" : "no version\n";
echo implode("\n", $extension->getClassNames()), "\n";
var_dump($extension->getFunctions(), $extension->getConstants());
?>
--EXPECT--
version
Presence\Repository
Presence\PresenceException
Presence\ConnectionException
Presence\UnsupportedException
Counters
Presence
array(0) {
}
array(0) {
}
