--TEST--
The exceptions form one family that an application can catch as one
--FILE--
<?php
use Presence\{ConnectionException, PresenceException, UnsupportedException};

var_dump(get_parent_class(PresenceException::class));
var_dump(get_parent_class(ConnectionException::class));
var_dump(get_parent_class(UnsupportedException::class));

class SiteException extends ConnectionException
{
}
try {
    throw new SiteException('down', 7, new RuntimeException('before'));
} catch (PresenceException $e) {
    echo $e::class, ' ', $e->getMessage(), ' ', $e->getCode(), ' ', $e->getPrevious()->getMessage(), "\n";
}
?>
--EXPECT--
string(9) "Exception"
string(26) "Presence\PresenceException"
string(26) "Presence\PresenceException"
SiteException down 7 before
