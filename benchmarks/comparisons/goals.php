<?php
declare(strict_types=1);

// What was promised, and by how much.
return static fn (Bench $bench): array => [
    $bench->cost('add, one key', 'add one key', 2.0),
    $bench->cost('add, 64 keys in turn', 'add 64 keys', 2.0),
    $bench->faster('add', 'add with argument and value', 'apcu recipe', 'the recipe in PHP on APCu', 30),
    $bench->rate('add, two processes on one key', 'add one key', 2, 1.8),
    $bench->faster('persist', 'persist', 'phpredis SETBIT and EXPIRE', 'phpredis, SETBIT and EXPIRE', 800),
    $bench->faster('areOnline of 200 ids', 'areOnline of 200', 'phpredis pipeline of 400 GETBIT', 'phpredis, pipeline of 400 GETBIT', 20),
    $bench->faster('direct areOnline of 200 ids, bitmap', 'direct areOnline of 200 on the bitmap', 'phpredis pipeline of 400 GETBIT', 'phpredis, pipeline of 400 GETBIT', 1.5),
    new Comparison('count of a million visitors, cold', 'a millisecond', $bench->php->nanoseconds('count of a million, cold'), static fn (): float => 1e6, at_most: 1.0),
    $bench->cost('count, repeated within a second', 'count', 3.0),
    new Comparison('memory per visitor', '96 bytes', $bench->php->bytes_per_visitor(), static fn (): float => 96.0, 'bytes', at_most: 1.0),
    $bench->upsert('10,000 rows to MariaDB', 1.15),
    $bench->pages('page with 4 adds, 1 persist, 200 isOnline', 0.97),
];
