<?php
declare(strict_types=1);

require_once __DIR__ . '/../servers/StoreServer.php';

/** A store that dies now and then, if it keeps what it has, and else falls silent. */
final class StoreTrouble implements Server
{
    public function __construct(private readonly StoreServer $store, private readonly bool $mayDie)
    {
    }

    public function kill(): bool
    {
        if ($this->mayDie && mt_rand(0, 1) === 0) {
            return $this->store->kill();
        }
        $this->store->freeze();
        return true;
    }

    public function restart(): void
    {
        $this->store->restart();
    }

    public function await(): void
    {
        $this->store->await();
    }
}
