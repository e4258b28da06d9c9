<?php
declare(strict_types=1);

/** The recipes on Memcached as PHP sites write them, with the memcached extension. */
final class MemcachedRecipes
{
    private const KEY = 'bench:peer';
    private const THROTTLE = 120;
    private const WINDOW = 300;
    private const REFRESH = 60;
    private const TRIES = 10;

    private readonly Memcached $client;

    public function __construct()
    {
        $this->client = new Memcached('bench');
        if ($this->client->getServerList() === []) {
            // Its quickest: the default sends each small request with the delay of Nagle's algorithm.
            $this->client->setOptions([Memcached::OPT_BINARY_PROTOCOL => false, Memcached::OPT_TCP_NODELAY => true]);
            $server = parse_url(getenv('PRESENCE_TEST_MEMCACHED'));
            $this->client->addServer($server['host'], $server['port']);
        }
    }

    /** One value that holds everybody; written once in a throttle period a visitor, by compare and swap. */
    public function table_record(int $visitor): void
    {
        for ($try = 0; $try < self::TRIES; ++$try) {
            $got = $this->client->get(self::KEY . ':table', null, Memcached::GET_EXTENDED);
            $table = is_array($got) ? $got['value'] : [];
            $now = time();
            if (($table[$visitor] ?? 0) > $now - self::THROTTLE) {
                return;
            }
            $table[$visitor] = $now;
            if (is_array($got) ? $this->client->cas($got['cas'], self::KEY . ':table', $table) : $this->client->add(self::KEY . ':table', $table)) {
                return;
            }
        }
    }

    public function store_count(int $count): void
    {
        $this->client->set(self::KEY . ':count', $count);
    }

    public function count(): int
    {
        return (int) $this->client->get(self::KEY . ':count');
    }

    /** A session that is new counts in the counter under the pointer. */
    public function ring_record(int $visitor): void
    {
        if ($this->client->add(self::KEY . ":session:$visitor", 1, self::WINDOW)) {
            $counter = self::KEY . ':ring:' . intdiv(time(), self::REFRESH) % (self::WINDOW / self::REFRESH + 1);
            if ($this->client->increment($counter) === false && !$this->client->add($counter, 1, self::WINDOW)) {
                $this->client->increment($counter);
            }
        }
    }
}
