<?php
declare(strict_types=1);

/** A server that is taken away from its clients for a while. */
interface Server
{
    /** Kills it, if there is one and it runs; or does whatever else takes it away. */
    public function kill(): bool;

    /** Brings back a server that was taken away; it answers some time later. */
    public function restart(): void;

    /** Waits until it answers. */
    public function await(): void;
}
