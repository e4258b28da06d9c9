<?php
declare(strict_types=1);

/** The recipes on Redis as PHP sites write them, with phpredis or Predis. The window is five minutes, of 300 s blocks. */
final class RedisRecipes
{
    private const KEY = 'bench:peer';
    private const WINDOW = 5;
    private const RETENTION = 60;

    private function __construct(private readonly Redis|\Predis\Client $client)
    {
    }

    /** By TCP on the server of PRESENCE_TEST_REDIS, over a connection that stays. */
    public static function phpredis(): self
    {
        static $kept = null;
        if ($kept === null) {
            $server = parse_url(getenv('PRESENCE_TEST_REDIS'));
            $redis = new Redis();
            $redis->pconnect($server['host'], $server['port']);
            $kept = new self($redis);
        }
        return $kept;
    }

    /** The same with Predis, from the folder in PRESENCE_BENCH_PREDIS. */
    public static function predis(): self
    {
        static $kept = null;
        if ($kept === null) {
            $folder = getenv('PRESENCE_BENCH_PREDIS') ?: throw new RuntimeException('predis/predis is not there');
            require_once "$folder/vendor/autoload.php";
            $server = parse_url(getenv('PRESENCE_TEST_REDIS'));
            $kept = new self(new \Predis\Client(['host' => $server['host'], 'port' => $server['port'], 'persistent' => true]));
        }
        return $kept;
    }

    /** Sends what `$fill` asks for in one round trip. */
    private function pipeline(Closure $fill): array
    {
        if ($this->client instanceof Redis) {
            $pipeline = $this->client->multi(Redis::PIPELINE);
            $fill($pipeline);
            return $pipeline->exec();
        }
        return $this->client->pipeline($fill);
    }

    public function zset_record(int $visitor): void
    {
        $this->client->zAdd(self::KEY . ':zset', time(), (string) $visitor);
    }

    public function zset_count(): int
    {
        return $this->client->zCount(self::KEY . ':zset', (string) (time() - self::WINDOW * 60), '+inf');
    }

    /** @return list<string> */
    public function zset_ids(): array
    {
        return $this->client->zRangeByScore(self::KEY . ':zset', (string) (time() - self::WINDOW * 60), '+inf');
    }

    public function sets_record(int $visitor): void
    {
        $key = self::KEY . ':sets:' . intdiv(time(), 60);
        $this->pipeline(static function ($pipeline) use ($key, $visitor): void {
            $pipeline->sAdd($key, (string) $visitor);
            $pipeline->expire($key, (self::RETENTION + 1) * 60);
        });
    }

    public function sets_count(): int
    {
        $minute = intdiv(time(), 60);
        return count($this->client->sUnion(array_map(fn (int $ago): string => self::KEY . ':sets:' . ($minute - $ago), range(0, self::WINDOW - 1))));
    }

    public function bitmap_record(int $visitor): void
    {
        $key = self::KEY . ':bitmap:' . intdiv(time(), 300);
        $this->pipeline(static function ($pipeline) use ($key, $visitor): void {
            $pipeline->setBit($key, $visitor, true);
            $pipeline->expire($key, 600);
        });
    }

    /** @param list<int> $visitors @return array<int, bool> */
    public function bitmap_online(array $visitors): array
    {
        $block = intdiv(time(), 300);
        [$now, $before] = [self::KEY . ":bitmap:$block", self::KEY . ':bitmap:' . ($block - 1)];
        $bits = $this->pipeline(static function ($pipeline) use ($visitors, $now, $before): void {
            foreach ($visitors as $visitor) {
                $pipeline->getBit($now, $visitor);
                $pipeline->getBit($before, $visitor);
            }
        });
        $online = [];
        foreach ($visitors as $at => $visitor) {
            $online[$visitor] = $bits[2 * $at] || $bits[2 * $at + 1];
        }
        return $online;
    }
}
