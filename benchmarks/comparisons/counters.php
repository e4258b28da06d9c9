<?php
declare(strict_types=1);

// What else is worth knowing of the counters.
return static fn (Bench $bench): array => [
    $bench->cost('add, with argument and value', 'add with argument and value'),
    $bench->cost('add, one key, with JIT', 'add one key, JIT'),
    $bench->cost('add, one key, without opcache', 'add one key, no opcache'),
    $bench->cost('add, 1,024 series in turn', 'add 1,024 keys'),
    $bench->cost('add, 100,000 series in turn', 'add 100,000 keys'),
    $bench->faster('first add of 20,000 new series', 'add of new series', 'apcu recipe, new keys', 'the recipe in PHP on APCu'),
    $bench->rate('add, two processes on 64 series', 'add 64 keys', 2),
    $bench->rate('add, four processes on one key', 'add one key', 4),
    $bench->rate('add, four processes on 64 series', 'add 64 keys', 4),
    $bench->faster('add', 'add one key', 'apcu_inc', 'apcu_inc, a floor: one number'),
    $bench->faster('add', 'add one key', 'yac', 'Yac get and set, a floor: one number, and updates get lost'),
    $bench->faster('add', 'add with argument and value', 'prometheus on APCng', 'promphp/prometheus_client_php, a counter on APCng'),
    $bench->faster('add', 'add with argument and value', 'prometheus on Redis', 'promphp/prometheus_client_php, a counter on Redis'),
    $bench->faster('add', 'add with argument and value', 'direct upsert', 'a prepared upsert for each call, MariaDB on loopback'),
];
