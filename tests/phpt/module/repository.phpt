--TEST--
An application can put a fake in the place of Presence
--FILE--
<?php
class FakePresence implements Presence\Repository
{
    private array $ids = [];

    public function persist(string|int $visitorId): void
    {
        $this->ids[(string) $visitorId] = true;
    }

    public function purge(): void
    {
        $this->ids = [];
    }

    public function count(?int $minutes = null): int
    {
        return count($this->ids);
    }

    public function ids(?int $minutes = null): array
    {
        return array_map('strval', array_keys($this->ids));
    }
}
$fake = new FakePresence();
$fake->persist(42);
var_dump($fake instanceof Presence\Repository, $fake->count(), $fake->ids());
?>
--EXPECT--
bool(true)
int(1)
array(1) {
  [0]=>
  string(2) "42"
}
